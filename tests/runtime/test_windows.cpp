// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/arrow.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

void fill(std::span<int> x, int value) {
  for (int& one : x) one = value;
}

class windows : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const int rank = env.rank();
  const int ranks = env.size();
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers] = GetParam();
    return {.engine = {.policy = policy}, .tasks = {.workers = workers}};
  }
};
INSTANTIATE_TEST_SUITE_P(one_sided, windows,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 2)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param));
                         });

TEST_P(windows, every_rank_gets_and_puts_parts_of_different_lengths) {
  runtime rt{env, options()};
  // Rank r has 100 (r + 1) elements; in its slot s, the first of which is its own, rank s puts.
  const auto length = [](int r) { return static_cast<std::size_t>(100 * (r + 1)); };
  std::vector<int> own(length(rank));
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = 1000 * rank + static_cast<int>(i);
  std::vector<int> slots(static_cast<std::size_t>(ranks), -1);
  auto source = rt.window(own);
  auto sink = rt.window(slots);
  std::vector<std::vector<int>> got(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    EXPECT_EQ(source.size(r), length(r));
    auto& to = got[static_cast<std::size_t>(r)];
    to.assign(length(r) - 7, -1);
    rt.get("their part", source, r, 7, out(to));
  }
  const int mine = 10 + rank;
  for (int r = 0; r < ranks; ++r) {
    rt.put("mine", sink, r, static_cast<std::size_t>(rank), in(mine));
  }
  rt.wait();
  env.barrier();  // all puts have finished, so they are there
  for (int r = 0; r < ranks; ++r) {
    const auto& to = got[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < to.size(); ++i) {
      ASSERT_EQ(to[i], 1000 * r + static_cast<int>(i) + 7) << "rank " << r << ", element " << i;
    }
    EXPECT_EQ(slots[static_cast<std::size_t>(r)], 10 + r);
  }
  env.barrier();  // nobody's window ends while another one's is looked at
}

TEST_P(windows,
       a_get_after_a_put_of_the_same_bytes_sees_it_and_a_put_after_a_get_does_not_disturb) {
  runtime rt{env, options()};
  std::vector<int> own(40'000, -1);  // large, so that its data is a message of its own
  auto w = rt.window(own);
  std::vector<int> first(20'000, 1 + rank);
  std::vector<int> second(20'000, 101 + rank);
  int before = 0;
  int after = 0;
  rt.put("first", w, right, 10'000, in(first));
  rt.get("before", w, right, 15'000, out(before));
  rt.put("second", w, right, 10'000, in(second));
  rt.get("after", w, right, 15'000, out(after));
  rt.wait();
  EXPECT_EQ(before, 1 + rank);
  EXPECT_EQ(after, 101 + rank);
  env.barrier();
  EXPECT_EQ(own[9'999], -1);
  EXPECT_EQ(own[10'000], 101 + left);
  EXPECT_EQ(own[29'999], 101 + left);
  EXPECT_EQ(own[30'000], -1);
}

TEST_P(windows, parts_of_one_array_are_windows_of_their_own_side_by_side_and_one_after_the_other) {
  runtime rt{env, options()};
  alignas(64) std::array<int, 64> all;  // libraries register lines, and join what overlaps
  fill(all, -1);
  const std::span parts(all);
  const int mine = 10 + rank;
  const auto put_into = [&](window<int>& w) { rt.put("mine", w, right, 1, in(mine)); };
  {
    auto first = rt.window(parts.first(20)), second = rt.window(parts.subspan(20, 4));
    put_into(second);
    put_into(first);
    rt.wait();
    env.barrier();
  }
  auto inside_first = rt.window(parts.subspan(10, 3));
  put_into(inside_first);
  rt.wait();
  env.barrier();
  std::array<int, 64> expected;
  fill(expected, -1);
  for (const std::size_t i : {1U, 11U, 21U}) expected[i] = 10 + left;
  EXPECT_EQ(all, expected);
}

TEST_P(windows, what_is_put_may_be_overwritten_by_later_tasks) {
  runtime rt{env, options()};
  std::vector<int> own(8 * 1000, -1);
  auto w = rt.window(own);
  std::vector<int> buffer(1000);
  for (int i = 0; i < 8; ++i) {
    rt.task("fill", fill, out(std::span(buffer)), 8 * rank + i);
    rt.put("part", w, right, static_cast<std::size_t>(1000 * i), in(buffer));
  }
  rt.wait();
  env.barrier();
  for (int i = 0; i < 8 * 1000; ++i) {
    ASSERT_EQ(own[static_cast<std::size_t>(i)], 8 * left + i / 1000) << "element " << i;
  }
  env.barrier();
}

constexpr put_options source_free_early{.source = completion::local};

TEST_P(windows, a_source_that_is_free_early_may_be_overwritten_and_later_operations_keep_order) {
  for (const std::size_t count : {100U, 20'000U}) {  // in a letter, and as a message of its own
    runtime rt{env, options()};
    std::vector<int> own(2 * count, -1);
    std::vector<int> buffer(count);
    int seen[3] = {};
    {
      auto w = rt.window(own);
      const auto overwrite = [&](int value) {
        rt.task("fill", fill, out(std::span(buffer)), value);
      };
      for (int i = 0; i < 3; ++i) {
        overwrite(10 * rank + i);
        rt.put("again", w, right, count / 2, in(buffer), source_free_early);
        overwrite(-7);
        rt.get("between", w, right, count, out(seen[i]));
      }
      rt.wait();
      env.barrier();
      EXPECT_EQ(own[count / 2 - 1], -1);
      EXPECT_EQ(std::count(own.begin(), own.end(), 10 * left + 2), static_cast<int>(count));
      EXPECT_EQ(own[count / 2 + count], -1);
      env.barrier();
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(seen[i], 10 * rank + i) << "put " << i;
  }
}

TEST_P(windows, replays_put_from_one_source_that_is_free_early) {
  constexpr int iterations = 30;
  runtime rt{env, options()};
  std::vector<int> own(3000, -1);
  std::vector<int> buffer(3000);
  int made = 0;
  int sum = 0;
  auto w = rt.window(own);
  graph step = rt.record([&] {
    rt.task(
        "fill", [](std::span<int> x, int& value) { fill(x, value++); }, out(std::span(buffer)),
        inout(made));
    rt.put_signal("data", w, right, 0, in(buffer), 0, source_free_early);
    rt.await_signal("data", w, left, out(own), 0);
    rt.task(
        "look", [](std::span<const int> x, int& to) { to += x.front() + x.back(); },
        in(std::span(own)), inout(sum));
    rt.signal("room", w, left, inout(own), 1);
    rt.await_signal("room", w, right, out(buffer), 1);
  });
  rt.replay(step, iterations).wait();
  EXPECT_EQ(sum, iterations * (iterations - 1));
}

// With `none` nobody answers on a rank that waits in MPI; what has left need not be answered.
TEST(window, frees_the_source_of_a_small_put_while_its_target_does_not_answer) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.engine = {.policy = progress::none}, .tasks = {.workers = 1}}};
  std::vector<int> own(10, -1);
  std::vector<int> x(10, 5);
  auto w = rt.window(own);
  int overwritten = 0;
  if (env.rank() == 0) {
    rt.put("early", w, 1, 0, in(x), source_free_early);
    rt.task("fill", fill, out(std::span(x)), 6);
    rt.wait_on(x);
    overwritten = x.front();
    MPI_Send(&overwritten, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (env.rank() == 1) {
    MPI_Recv(&overwritten, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  rt.wait();
  env.barrier();
  if (env.rank() > 1) return;
  EXPECT_EQ(overwritten, 6);
  EXPECT_EQ(own, std::vector<int>(10, env.rank() == 1 ? 5 : -1));
}

// As many as Pencils of the architectural probes has under way, each in a letter of its own.
TEST(window, frees_the_sources_of_256_puts_of_16_KiB_while_their_target_does_not_answer) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  constexpr std::size_t puts = 256;
  constexpr std::size_t count = 4096;
  runtime rt{env, {.engine = {.policy = progress::none}, .tasks = {.workers = 1}}};
  std::vector<int> own(puts * count, -1);
  std::vector<int> x(puts * count);
  auto w = rt.window(own);
  int overwritten = 0;
  if (env.rank() == 0) {
    for (std::size_t i = 0; i < puts; ++i) {
      const auto source = std::span(x).subspan(i * count, count);
      fill(source, static_cast<int>(i));
      rt.put("early", w, 1, i * count, in(source), source_free_early);
      rt.task("fill", fill, out(source), -7);
    }
    rt.wait_on(x);
    overwritten = static_cast<int>(std::ranges::count(x, -7));
    MPI_Send(&overwritten, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (env.rank() == 1) {
    MPI_Recv(&overwritten, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  rt.wait();
  env.barrier();
  if (env.rank() > 1) return;
  EXPECT_EQ(overwritten, static_cast<int>(puts * count));
  for (std::size_t i = 0; i < own.size(); ++i) {
    ASSERT_EQ(own[i], env.rank() == 1 ? static_cast<int>(i / count) : -1) << "element " << i;
  }
}

TEST_P(windows, signals_carry_a_ring_of_sums_with_one_buffer_in_each_direction) {
  runtime rt{env, options()};
  constexpr int rounds = 12;
  constexpr int data = 0;
  constexpr int room = 1;
  std::vector<long> ghost(3000, 0);
  std::vector<long> sum(3000, rank + 1);
  auto w = rt.window(ghost);
  bool may_put = false;
  for (int round = 0; round < rounds; ++round) {
    // From the second round on the neighbour says when its ghosts may be overwritten.
    if (round > 0) rt.await_signal("room", w, right, out(may_put), room);
    auto send = [&] { rt.put_signal("edge", w, right, 0, in(sum), data); };
    if (round > 0) {
      rt.task(
          "after room", [](bool, std::span<long>) {}, in(may_put), inout(std::span(sum)));
    }
    send();
    rt.await_signal("ghost", w, left, out(ghost), data);
    rt.task(
        "add",
        [](std::span<const long> g, std::span<long> s) {
          for (std::size_t i = 0; i < s.size(); ++i) s[i] = g[i] + 1;
        },
        in(std::span(ghost)), inout(std::span(sum)));
    rt.signal("read", w, left, inout(ghost), room);
  }
  rt.wait();
  // Each round hands on the neighbour's value and adds one.
  const int from = ((rank - rounds) % ranks + ranks) % ranks;
  for (const long s : sum) ASSERT_EQ(s, from + 1 + rounds);
  env.barrier();
}

TEST_P(windows, the_kth_wait_meets_the_kth_signal_whichever_is_first) {
  runtime rt{env, options()};
  std::vector<int> slots(60, -1);
  auto w = rt.window(slots);
  std::vector<int> values(60);
  std::vector<int> seen(60, -1);
  // The data of even places is final late; the waits for flag 1 are submitted before its signals.
  std::iota(values.begin(), values.end(), 100 * rank);
  const auto wait_for = [&](std::size_t i, int flag) {
    rt.await_signal("arrived", w, left, out(slots[i]), flag);
    rt.task(
        "look", [](int x, int& to) { to = x; }, in(slots[i]), out(seen[i]));
  };
  for (std::size_t i = 30; i < 60; ++i) wait_for(i, 1);
  for (std::size_t i = 0; i < 60; ++i) {
    if (i % 2 == 0) {
      rt.task(
          "late",
          [](int& x) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            x += 1000;
          },
          inout(values[i]));
    }
    rt.put_signal("value", w, right, i, in(values[i]), i < 30 ? 0 : 1);
  }
  for (std::size_t i = 0; i < 30; ++i) wait_for(i, 0);
  rt.wait();
  for (std::size_t i = 0; i < 60; ++i) {
    ASSERT_EQ(seen[i], 100 * left + static_cast<int>(i) + (i % 2 == 0 ? 1000 : 0)) << i;
  }
  env.barrier();
}

TEST_P(windows, a_recorded_exchange_keeps_its_signals_apart) {
  runtime rt{env, options()};
  constexpr std::uint64_t rounds = 20;
  long ghost = 0;
  long value = rank;
  bool may_put = false;
  auto w = rt.window(std::span(&ghost, 1));
  rt.signal("room at first", w, left, inout(ghost), 1);
  plait::graph round = rt.record([&] {
    rt.await_signal("room", w, right, out(may_put), 1);
    rt.task(
        "after room", [](bool, long&) {}, in(may_put), inout(value));
    rt.put_signal("edge", w, right, 0, in(value));
    rt.await_signal("ghost", w, left, out(ghost));
    rt.task(
        "add", [](long g, long& v) { v = g + 1; }, in(ghost), inout(value));
    rt.signal("read", w, left, inout(ghost), 1);
  });
  rt.replay(round, rounds);
  rt.replay(round, 3).wait();
  const long all = static_cast<long>(rounds) + 3;
  EXPECT_EQ(value, ((rank - all) % ranks + ranks) % ranks + all);
  env.barrier();
}

TEST_P(windows, the_ledger_balances) {
  runtime rt{env, options()};
  std::vector<int> own(20'000);
  std::vector<int> theirs(20'000);
  auto w = rt.window(own);
  rt.reset_ledger();
  for (int i = 0; i < 10; ++i) {
    rt.get("get", w, right, 0, out(theirs));
    rt.task(
        "use", [](std::span<const int> x, int) { EXPECT_EQ(x[0], 0); }, in(std::span(theirs)), i);
  }
  rt.wait();
  for (const auto& e : rt.ledger()) EXPECT_LT(e.balance_error(), 0.01) << "worker " << e.worker;
}

TEST(window, refuses_what_is_out_of_range_in_one_line) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<double> own(100);
  auto w = rt.window(own, {.flags = 3});
  std::vector<double> x(60);
  const std::string ranks = "; ranks are 0 to " + std::to_string(env.size() - 1);
  EXPECT_EQ(refusal([&] { rt.put("edge", w, env.size(), 0, in(x)); }),
            "put 'edge': rank " + std::to_string(env.size()) + ranks);
  EXPECT_EQ(refusal([&] { rt.get("edge", w, -7, 0, out(x)); }), "get 'edge': rank -7" + ranks);
  EXPECT_EQ(refusal([&] { rt.get("edge", w, 0, 50, out(x)); }),
            "get 'edge': 480 bytes from byte 400 on are not in the window of rank 0, which has 800 "
            "bytes");
  EXPECT_NE(refusal([&] { rt.put("edge", w, 0, SIZE_MAX / 4 + 1, in(x)); }), "accepted");
  EXPECT_EQ(refusal([&] { rt.put_signal("edge", w, 0, 0, in(x), 3); }),
            "put_signal 'edge': flag 3; the flags of this window are 0 to 2");
  EXPECT_EQ(refusal([&] { rt.await_signal("edge", w, 0, out(own), -1); }),
            "await_signal 'edge': flag -1; the flags of this window are 0 to 2");
  rt.wait();  // nothing of it was submitted
  EXPECT_NE(refusal([&] { (void)rt.window(own, {.flags = 0}); }), "accepted");
  if (env.size() > 1) {
    EXPECT_NE(refusal([&] { (void)rt.window(own, {.flags = env.rank() + 1}); }), "accepted");
  }
}

TEST(window, has_what_feeds_a_put_go_first_in_a_replay) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  int ghost = 0;
  auto w = rt.window(std::span(&ghost, 1));
  std::array<int, 8> inner{};
  int rim = 0;
  int begin = 0;
  std::vector<int> order;
  const auto note = [](const int&, int& value, std::vector<int>* to, int task) {
    ++value;
    to->push_back(task);
  };
  graph step = rt.record([&] {
    for (int i = 0; i < 8; ++i) {
      rt.task("inner", note, in(begin), inout(inner[static_cast<std::size_t>(i)]), &order, i);
    }
    rt.task("rim", note, in(begin), inout(rim), &order, 8);
    rt.put("edge", w, (env.rank() + 1) % env.size(), 0, in(rim));
    // Writes what the put reads, so that all of the next iteration is ready when this is done.
    rt.task("end", note, inout(rim), inout(begin), &order, 9);
  });
  constexpr std::size_t iterations = 20;
  rt.replay(step, iterations).wait();
  ASSERT_EQ(order.size(), 10 * iterations);
  for (std::size_t i = 8; i < iterations; ++i) EXPECT_EQ(order[10 * i], 8) << "iteration " << i;
}

TEST(window, shows_a_signal_as_an_arrow_from_its_put_to_its_wait) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  int own = 0;
  int mine = 1;
  int theirs = 0;
  std::vector<trace_event> events;
  {
    auto w = rt.window(std::span(&own, 1));
    auto other = rt.window(std::span(&mine, 1));  // its operations have no part in this
    rt.start_trace();
    rt.put_signal("put", w, next, 0, in(mine), 1);
    rt.get("get", other, next, 0, out(theirs));
    rt.await_signal("wait", w, before, out(own), 1);
    rt.wait();
    events = collect_events(env, rt.stop_trace());
  }
  if (env.rank() != 0) return;
  int arrows = 0;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::message) continue;
    ++arrows;
    EXPECT_EQ(events[arrow.from].name, "put");
    EXPECT_EQ(events[arrow.to].name, "wait");
    EXPECT_EQ(events[arrow.to].rank, (events[arrow.from].rank + 1) % env.size());
  }
  EXPECT_EQ(arrows, env.size());
}

}  // namespace
}  // namespace plait::test
