// SPDX-License-Identifier: BSD-3-Clause
// Recorded graphs with messages: promises 1, 2, 3 and 5 hold in a replay as elsewhere.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class replay_policies : public ::testing::TestWithParam<std::tuple<progress, int, double>> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers, disturbed] = GetParam();
    return {.engine = {.policy = policy,
                       .disturb = {.seed = 7, .probability = disturbed, .longest_delay_s = 1e-4}},
            .tasks = {.workers = workers}};
  }
};
INSTANTIATE_TEST_SUITE_P(replay, replay_policies,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 3), ::testing::Values(0.0, 0.3)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param)) +
                                  (std::get<2>(one.param) > 0 ? "_disturbed" : "");
                         });

/// Values travel round the ring, growing by 1 on each rank: few enough to be sent without a
/// handshake, so that sends complete when a failure ends the run.
struct ring {
  std::vector<std::uint64_t> mine, theirs;

  explicit ring(const environment& env) : mine(20, 0), theirs(20, 0) {
    for (auto& v : mine) v = static_cast<std::uint64_t>(env.rank());
  }
  void submit(runtime& rt, int left, int right) {
    rt.recv("from the left", out(theirs), left);
    rt.send("to the right", in(mine), right);
    rt.task(
        "take",
        [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 1;
        },
        inout(mine), in(theirs));
  }
  void expect_rounds(const environment& env, std::uint64_t rounds) const {
    const auto size = static_cast<std::uint64_t>(env.size());
    const auto rank = static_cast<std::uint64_t>(env.rank());
    const std::uint64_t started_at = (rank + rounds * size - rounds) % size;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_EQ(mine[i], started_at + rounds) << "rank " << rank << ", element " << i;
    }
  }
};

TEST_P(replay_policies, a_ring_replayed_goes_round) {
  runtime rt{env, options()};
  ring r(env);
  graph round = rt.record([&] { r.submit(rt, left, right); });
  EXPECT_EQ(round.tasks(), 1U);
  EXPECT_EQ(round.messages(), 2U);
  rt.replay(round, 150).wait();
  r.expect_rounds(env, 150);
  rt.replay(round, 1).wait();
  rt.replay(round, 9).wait();
  r.expect_rounds(env, 160);
}

TEST_P(replay_policies, ranks_that_replay_meet_ranks_that_submit) {
  runtime_options with = options();
  with.engine.persistent_requests = persistence::always;
  runtime rt{env, with};
  ring r(env);
  const auto submit = [&] { r.submit(rt, left, right); };
  if (env.rank() % 2 == 0) {
    for (int i = 0; i < 5; ++i) submit();
    graph three = rt.record([&] {
      for (int i = 0; i < 3; ++i) submit();
    });
    rt.replay(three, 40).wait();
  } else {
    graph five = rt.record([&] {
      for (int i = 0; i < 5; ++i) submit();
    });
    rt.replay(five, 15);
    for (int i = 0; i < 50; ++i) submit();
    rt.wait();
  }
  r.expect_rounds(env, 125);
}

// More messages on a channel, ready in random order, than may overtake each other.
TEST_P(replay_policies, the_kth_send_meets_the_kth_receive_through_all_iterations) {
  runtime rt{env, options()};
  constexpr std::size_t messages = 75;
  constexpr int iterations = 7;
  std::vector<int> sent(messages);
  std::vector<int> got(messages);
  std::vector<int> wrong(messages);
  std::vector<int> turn(messages);
  graph exchange = rt.record([&] {
    for (std::size_t i = 0; i < messages; ++i) {
      const auto urgency = static_cast<plait::priority>(i % 3);
      rt.task(
            "make",
            [](int& value, int& iteration, std::size_t k) {
              value = static_cast<int>(k) + 1000 * iteration++;
            },
            out(sent[i]), inout(turn[i]), i)
          .priority(urgency);
    }
    for (std::size_t i = 0; i < messages; ++i) {
      rt.recv("receive", out(got[i]), left, 3);
      rt.send("send", in(sent[i]), right, 3);
      rt.task(
          "check",
          [](int value, int& sum, const int& iteration, std::size_t k) {
            sum += value == static_cast<int>(k) + 1000 * (iteration - 1) ? 0 : 1;
          },
          in(got[i]), inout(wrong[i]), in(turn[i]), i);
    }
  });
  rt.replay(exchange, iterations).wait();
  EXPECT_EQ(wrong, std::vector<int>(messages, 0));
  EXPECT_EQ(turn, std::vector<int>(messages, iterations));
}

TEST_P(replay_policies, an_exception_in_a_replay_with_messages_surfaces) {
  runtime_options with = options();
  with.engine.persistent_requests = persistence::always;
  runtime rt{env, with};
  ring r(env);
  int rounds = 0;
  graph round = rt.record([&] {
    r.submit(rt, left, right);
    rt.task(
        "fail at last",
        [](int& n, const std::vector<std::uint64_t>&) {
          if (++n == 90) throw std::runtime_error("ninety rounds");
        },
        inout(rounds), in(r.mine));
  });
  rt.replay(round, 1'000'000'000);
  std::string said = "nothing";
  try {
    rt.wait();
  } catch (const std::runtime_error& e) {
    said = e.what();
  }
  // Ranks fail one after the other; one that waits for a peer that has failed fails itself.
  EXPECT_EQ(said, "ninety rounds");
  EXPECT_THROW(rt.replay(round, 1), error);
  env.barrier();
}

/// Ten interior tasks (0 to 9), a rim task (10) that feeds a send, and one that ends the iteration
/// when the messages are over (11).
struct stencil {
  std::vector<int> cells = std::vector<int>(10);
  int rim = 0;
  int ghost = 0;
  int end = 0;
  int sum = 0;
  std::vector<int> order;

  static void note(const int&, int& value, stencil* self, int task) {
    ++value;
    self->order.push_back(task);
  }
  void submit(runtime& rt, int left, int right) {
    rt.recv("ghost", out(ghost), left);
    for (int i = 0; i < 10; ++i) {
      rt.task("interior", &stencil::note, in(end), inout(cells[static_cast<std::size_t>(i)]), this,
              i);
    }
    rt.task("rim", &stencil::note, in(end), inout(rim), this, 10);
    rt.send("rim", in(rim), right);
    rt.task(
        "end",
        [](const int& got, int&, int& at_end, int& total, stencil* self) {
          ++at_end;
          total = 3 * total + got;
          self->order.push_back(11);
        },
        in(ghost), inout(rim), inout(end), inout(sum), this);
  }
};

TEST_P(replay_policies, a_task_on_the_way_to_a_send_goes_first_and_changes_no_result) {
  std::vector<int> sums;
  for (const bool measured : {true, false}) {
    runtime_options with = options();
    with.tasks.workers = 1;
    with.tasks.measured_priorities = measured;
    runtime rt{env, with};
    stencil s;
    graph iteration = rt.record([&] { s.submit(rt, left, right); });
    rt.replay(iteration, 15).wait();
    ASSERT_EQ(s.order.size(), 15U * 12);
    for (std::size_t i = 0; i < 15; ++i) {
      const auto place =
          std::find(s.order.begin() + static_cast<std::ptrdiff_t>(12 * i), s.order.end(), 10) -
          s.order.begin() - static_cast<std::ptrdiff_t>(12 * i);
      if (!measured || i < 4) {
        EXPECT_EQ(place, 10) << "iteration " << i;
      } else if (i >= 6) {
        EXPECT_EQ(place, 0) << "iteration " << i;
      }
    }
    EXPECT_EQ(s.cells, std::vector<int>(10, 15));
    sums.push_back(s.sum);
  }
  EXPECT_EQ(sums[0], sums[1]);
}

TEST(replay, a_graph_may_outlive_its_runtime) {
  environment& env = test_environment();
  std::optional<graph> kept;
  ring r(env);
  {
    runtime rt{env,
               {.engine = {.persistent_requests = persistence::always}, .tasks = {.workers = 1}}};
    const int size = env.size();
    kept =
        rt.record([&] { r.submit(rt, (env.rank() + size - 1) % size, (env.rank() + 1) % size); });
    rt.replay(*kept, 150).wait();
  }
  r.expect_rounds(env, 150);
  kept.reset();
}

/// Records what `submit` submits of a vector, moves the vector, and returns what a replay says.
std::string refusal_after_a_move(runtime& rt,
                                 const std::function<void(std::vector<int>&)>& submit) {
  std::vector<int> v(10, 1);
  graph g = rt.record([&] { submit(v); });
  v = std::vector<int>(20, 5);
  try {
    rt.replay(g, 1);
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "nothing";
}

TEST(replay, operations_on_a_vector_that_has_moved_are_refused_by_name) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> other(10);
  std::size_t n = 10;
  auto w = rt.window(other);
  const int right = (env.rank() + 1) % env.size();
  const std::string moved = " names a container that has moved or changed its size";
  const auto expect = [&](const std::string& name, const auto& submit) {
    const std::string said = refusal_after_a_move(rt, submit);
    EXPECT_EQ(said.substr(0, name.size() + moved.size()), name + moved);
  };
  using numbers = std::vector<int>;
  expect("send 's'", [&](numbers& v) { rt.send("s", in(v), right); });
  expect("receive 'r'", [&](numbers& v) { rt.recv("r", out(v), right); });
  expect("send 'c'", [&](numbers& v) { rt.send("c", counted(in(v), in(n)), right); });
  expect("allreduce 'a'", [&](numbers& v) { rt.allreduce("a", in(v), out(other)); });
  expect("allreduce 'b'", [&](numbers& v) { rt.allreduce("b", in(other), out(v)); });
  expect("bcast 'l'", [&](numbers& v) {
    rt.bcast("l", inout(v), 0, {.back_end = collective::back_end::library});
  });
  expect("put 'p'", [&](numbers& v) { rt.put("p", w, right, 0, in(v)); });
  expect("get 'g'", [&](numbers& v) { rt.get("g", w, right, 0, out(v)); });
  expect("put_signal 'q'", [&](numbers& v) { rt.put_signal("q", w, right, 0, in(v)); });
  expect("await_signal 'w'", [&](numbers& v) { rt.await_signal("w", w, right, out(v)); });
}

TEST(replay, messages_of_a_vector_recorded_again_after_a_move_bring_what_it_has) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  for (const int value : {3, 5}) {
    std::vector<int> from(static_cast<std::size_t>(1000 * value), value);
    std::vector<int> to(from.size());
    graph g = rt.record([&] {
      rt.send("edge", in(from), right);
      rt.recv("ghost", out(to), left);
      rt.task(
          "count", [](std::vector<int>& v) { ++v.front(); }, inout(from));
    });
    for (int round = 0; round < 2; ++round) rt.replay(g, 2).wait();
    EXPECT_EQ(to.front(), value + 3);
    EXPECT_EQ(to.back(), value);
  }
}

TEST(replay, a_peer_out_of_range_is_refused_when_recorded) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  int x = 0;
  EXPECT_THROW((void)rt.record([&] { rt.send("send", in(x), env.size()); }), usage_error);
}

}  // namespace
}  // namespace plait::test
