// SPDX-License-Identifier: BSD-3-Clause
// Messages that tasks submit, on lanes.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/lane.hpp>
#include <plait/runtime/runtime.hpp>

#include "failure_of.hpp"
#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class lanes : public ::testing::TestWithParam<std::tuple<progress, int, std::size_t>> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();

  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers, in_flight] = GetParam();
    return {.engine = {.policy = policy}, .tasks = {.workers = workers, .in_flight = in_flight}};
  }
};
INSTANTIATE_TEST_SUITE_P(policies, lanes,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 2, 4),
                                            ::testing::Values(1U, 4096U)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param)) + "_in_flight_" +
                                  std::to_string(std::get<2>(one.param));
                         });

/// A value that travels around the ring by one rank, from a task, and is checked by its child.
struct ring {
  int sent = 0;
  int came = -1;
  int right_ones = 0;

  void submit(runtime& rt, lane& via, int rank, int right, int left, int number) {
    rt.task(
          "exchange",
          [this, &rt, rank, right, left, number](lane& on) {
            sent = number * 100 + rank;
            on.send("on", in(sent), right);
            on.recv("from", out(came), left);
            rt.task(
                "check",
                [number, left](const int& value, int& good) {
                  good += value == number * 100 + left ? 1 : 0;
                },
                in(came), inout(right_ones));
          },
          inout(via))
        .also(inout(sent, came, right_ones));
  }
};

TEST_P(lanes, tasks_exchange_in_the_order_of_the_lane) {
  runtime rt{env, options()};
  lane via{rt, "ring"};
  ring r;
  for (int i = 0; i < 100; ++i) r.submit(rt, via, env.rank(), right, left, i);
  rt.wait();
  EXPECT_EQ(r.right_ones, 100);
}

TEST_P(lanes, messages_of_the_program_do_not_meet_them) {
  runtime rt{env, options()};
  lane via{rt, "ring"};
  lane other{rt, "other ring"};
  ring r, s;
  int mine = 0, theirs = -1, good = 0;
  for (int i = 0; i < 50; ++i) {
    // Ranks submit in different orders what has nothing to do with each other.
    if (env.rank() % 2 == 0) r.submit(rt, via, env.rank(), right, left, i);
    if (env.rank() % 2 != 0) s.submit(rt, other, env.rank(), right, left, 1000 + i);
    rt.task(
        "write", [i, rank = env.rank()](int& x) { x = -i * 100 - rank; }, out(mine));
    rt.send("program", in(mine), right);
    rt.recv("program", out(theirs), left);
    rt.task(
        "check", [i, from = left](const int& x, int& n) { n += x == -i * 100 - from ? 1 : 0; },
        in(theirs), inout(good));
    if (env.rank() % 2 != 0) r.submit(rt, via, env.rank(), right, left, i);
    if (env.rank() % 2 == 0) s.submit(rt, other, env.rank(), right, left, 1000 + i);
  }
  rt.wait();
  EXPECT_EQ(r.right_ones, 50);
  EXPECT_EQ(s.right_ones, 50);
  EXPECT_EQ(good, 50);
}

TEST_P(lanes, replayed_tasks_submit_anew) {
  const auto& [policy, workers, in_flight] = GetParam();
  if (in_flight == 1) return;  // a graph must fit
  runtime rt{env, options()};
  lane via{rt, "ring"};
  ring r;
  graph two = rt.record([&] {
    r.submit(rt, via, env.rank(), right, left, 1);
    r.submit(rt, via, env.rank(), right, left, 2);
  });
  rt.replay(two, 40).wait();
  EXPECT_EQ(r.right_ones, 80);
}

TEST_P(lanes, tasks_of_tasks_go_on_with_the_lane) {
  runtime rt{env, options()};
  lane via{rt, "numbers"};
  std::size_t own = 0, wanted = 0;
  std::vector<int> sent(100), came(100);
  std::iota(sent.begin(), sent.end(), env.rank());
  const std::span<int> to(sent), from(came);
  long sum = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    rt.task(
          "ask",
          [&, i](lane& on) {
            own = (i * 7 + static_cast<std::size_t>(env.rank())) % 100;
            on.send("how many", in(own), right);
            on.recv("how many", out(wanted), left);
            on.send("these", counted(in(to), in(own)), right, 1);
            rt.task(
                  "take",
                  [&](lane& then, const std::size_t& count) {
                    then.recv("these", out(from.first(count)), left, 1);
                    rt.task(
                        "add",
                        [](std::span<const int> x, long& total) {
                          total += std::accumulate(x.begin(), x.end(), 0L);
                        },
                        in(from.first(count)), inout(sum));
                  },
                  inout(on), in(wanted))
                .also(inout(from, sum));
          },
          inout(via))
        .also(inout(own, wanted, to, from, sum));
  }
  rt.wait();
  long expected = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto count = static_cast<long>((i * 7 + static_cast<std::size_t>(left)) % 100);
    expected += count * left + count * (count - 1) / 2;
  }
  EXPECT_EQ(sum, expected);
}

TEST_P(lanes, a_task_is_finished_when_its_messages_are) {
  runtime rt{env, options()};
  lane via{rt, "late"};
  int x = env.rank(), y = -1, seen = -1;
  rt.task(
        "exchange",
        [&](lane& on) {
          // The others' tasks come when they come.
          if (env.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          on.recv("y", out(y), left);
          on.send("x", in(x), right);
        },
        inout(via))
      .also(inout(y))
      .also(in(x));
  rt.task(
      "see", [](const int& from, int& to) { to = from; }, in(y), out(seen));
  rt.wait();
  EXPECT_EQ(seen, left);
}

TEST_P(lanes, a_wrong_peer_is_an_error_of_the_task) {
  runtime rt{env, options()};
  lane via{rt, "border"};
  int x = 0;
  rt.task(
      "wrong", [&, nobody = env.size()](lane& on) { on.send("x", in(x), nobody); }, inout(via));
  const std::string text = failure_of(rt);
  EXPECT_NE(text.find("to rank " + std::to_string(env.size()) + " of 'border'"), std::string::npos)
      << text;
}

TEST_P(lanes, a_task_with_commutative_data_sends_nothing) {
  runtime rt{env, options()};
  lane via{rt, "border"};
  int x = 0, total = 0;
  rt.task(
        "sum", [&](lane& on) { on.send("x", in(x), right); }, inout(via))
      .also(commutative(total));
  EXPECT_NE(failure_of(rt).find("task 'sum' names data commutative"), std::string::npos);
}

TEST_P(lanes, a_failure_ends_tasks_that_wait_for_messages) {
  runtime rt{env, options()};
  lane via{rt, "border"};
  int never = 0;
  rt.task(
        "waits", [&](lane& on) { on.recv("never", out(never), left); }, inout(via))
      .also(inout(never));
  rt.task("fails", [] { throw error("it failed"); });
  EXPECT_EQ(failure_of(rt), "it failed");
}

TEST_P(lanes, the_program_itself_does_not_use_them) {
  runtime rt{env, options()};
  lane via{rt, "border"};
  int x = 0;
  try {
    via.send("x", in(x), right);
    ADD_FAILURE() << "it was submitted";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "send 'x': lane 'border': its messages are submitted by tasks that name it, "
                 "inout(lane)");
  }
}

TEST_P(lanes, without_a_lane_a_task_sends_nothing) {
  runtime rt{env, options()};
  int x = 0;
  rt.task("sends", [&] { rt.send("x", in(x), right); });
  EXPECT_NE(failure_of(rt).find("a task submits no messages"), std::string::npos);
}

}  // namespace
}  // namespace plait::test
