// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

#include "support/refusal.hpp"

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

class scheduler_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(scheduler, scheduler_workers, ::testing::Values(1, 2, 3, 4));

TEST_P(scheduler_workers, a_chain_runs_in_the_order_of_submission) {
  scheduler s{{.workers = GetParam()}};
  int chain = 0;
  std::vector<int> order;
  for (int i = 0; i < 10'000; ++i) {
    s.task(
        "next", [&order](int&, int n) { order.push_back(n); }, inout(chain), i);
  }
  s.wait();
  ASSERT_EQ(order.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
}

// u[i] = u[i] + u[i+1], n sweeps, a task per element: program order gives Pascal's triangle.
TEST_P(scheduler_workers, dependences_give_the_closed_form_of_pascals_triangle) {
  scheduler s{{.workers = GetParam()}};
  constexpr std::size_t n = 30;
  std::vector<std::uint64_t> u(n + 1, 0);
  u[n] = 1;
  for (std::size_t sweep = 0; sweep < n; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      s.task(
          "sum", [](std::uint64_t& a, const std::uint64_t& b) { a += b; }, inout(u[i]),
          in(u[i + 1]));
    }
  }
  s.wait();
  // After n sweeps u[n - k] is C(n, k).
  std::uint64_t binomial = 1;
  for (std::size_t k = 0; k <= n; ++k) {
    EXPECT_EQ(u[n - k], binomial) << "C(" << n << ", " << k << ")";
    binomial = binomial * (n - k) / (k + 1);
  }
}

TEST_P(scheduler_workers, partial_overlap_is_honoured) {
  scheduler s{{.workers = GetParam()}};
  std::vector<std::uint32_t> x(64, 1);
  std::vector<std::uint32_t> expected = x;
  const auto prefix_sum = [](std::span<std::uint32_t> part) {
    std::partial_sum(part.begin(), part.end(), part.begin());
  };
  for (std::size_t i = 0; i < 500; ++i) {
    const std::size_t begin = i * 7 % 50;
    const std::size_t count = 3 + i * 5 % 11;
    s.task("sum", prefix_sum, inout(std::span(x).subspan(begin, count)));
    prefix_sum(std::span(expected).subspan(begin, count));
  }
  s.wait();
  EXPECT_EQ(x, expected);
}

TEST_P(scheduler_workers, independent_tasks_all_run_once) {
  scheduler s{{.workers = GetParam(), .in_flight = 64}};
  std::vector<int> runs(20'000, 0);
  for (int& r : runs)
    s.task(
        "one", [](int& n) { ++n; }, inout(r));
  s.wait();
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), 20'000);
}

TEST_P(scheduler_workers, a_fan_of_readers_lies_between_two_writers) {
  scheduler s{{.workers = GetParam()}};
  int x = 0;
  std::vector<int> seen(300, -1);
  for (int round = 0; round < 20; ++round) {
    s.task(
        "write", [round](int& to) { to = round; }, out(x));
    for (int& to : seen)
      s.task(
          "read", [](const int& from, int& y) { y = from; }, in(x), out(to));
    s.wait();
    ASSERT_EQ(std::count(seen.begin(), seen.end(), round), 300) << "round " << round;
  }
}

TEST_P(scheduler_workers, wait_may_be_called_again_and_without_tasks) {
  scheduler s{{.workers = GetParam()}};
  s.wait();
  int x = 0;
  for (int i = 0; i < 200; ++i) {
    s.task(
        "add", [](int& n) { ++n; }, inout(x));
    s.wait();
    ASSERT_EQ(x, i + 1);
  }
  s.wait();
}

// --- priorities ----------------------------------------------------------------------------------

TEST(priorities, with_one_worker_ready_tasks_run_high_before_normal_before_low) {
  scheduler s{{.workers = 1}};
  std::string order;
  for (int i = 0; i < 3; ++i) {
    s.task("low", [&order] { order += 'l'; }).priority(plait::low);
    s.task("normal", [&order] { order += 'n'; });
    s.task("high", [&order] { order += 'h'; }).priority(plait::high);
  }
  s.wait();
  EXPECT_EQ(order, "hhhnnnlll");
}

TEST(priorities, tasks_of_one_priority_run_in_the_order_of_submission) {
  scheduler s{{.workers = 1}};
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) s.task("task", [&order, i] { order.push_back(i); });
  s.wait();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(priorities, a_released_task_of_high_priority_goes_before_ready_normal_ones) {
  scheduler s{{.workers = 1}};
  std::string order;
  int x = 0;
  s.task(
       "first", [&order](int&) { order += '1'; }, out(x))
      .priority(plait::high);
  for (int i = 0; i < 3; ++i) s.task("normal", [&order] { order += 'n'; });
  s.task(
       "released", [&order](const int&) { order += 'h'; }, in(x))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(order, "1hnnn");
}

TEST(priorities, a_released_task_of_low_priority_lets_ready_normal_ones_go_first) {
  scheduler s{{.workers = 1}};
  std::string order;
  int x = 0;
  s.task(
      "first", [&order](int&) { order += '1'; }, out(x));
  s.task(
       "released", [&order](const int&) { order += 'l'; }, in(x))
      .priority(plait::low);
  for (int i = 0; i < 3; ++i) s.task("normal", [&order] { order += 'n'; });
  s.wait();
  EXPECT_EQ(order, "1nnnl");
}

TEST(priorities, among_released_tasks_the_highest_priority_goes_first) {
  scheduler s{{.workers = 1}};
  std::string order;
  int x = 0;
  s.task(
      "first", [&order](int&) { order += '1'; }, out(x));
  for (const char c : {'l', 'n', 'h', 'l', 'n', 'h'}) {
    s.task(
         "reader", [&order, c](const int&) { order += c; }, in(x))
        .priority(c == 'h'   ? plait::high
                  : c == 'n' ? plait::normal
                             : plait::low);
  }
  s.wait();
  EXPECT_EQ(order, "1hhnnll");
}

// --- the in-flight limit
// --------------------------------------------------------------------------

TEST(in_flight_limit, never_more_tasks_are_in_flight_than_it_says) {
  for (const int workers : {1, 2, 4}) {
    for (const std::size_t in_flight : {1U, 2U, 7U, 64U}) {
      scheduler s{{.workers = workers, .in_flight = in_flight}};
      std::vector<int> x(16, 0);
      for (std::size_t i = 0; i < 2000; ++i)
        s.task(
            "add", [](int& n) { ++n; }, inout(x[i % 16]));
      s.wait();
      EXPECT_LE(s.peak_tasks(), in_flight) << workers << " workers";
      EXPECT_EQ(s.in_flight_limit(), in_flight);
      for (const int n : x) EXPECT_EQ(n, 125);
    }
  }
}

TEST(in_flight_limit, the_submitting_thread_helps_while_it_is_full) {
  scheduler s{{.workers = 1, .in_flight = 4}};
  int ran = 0;
  for (int i = 0; i < 100; ++i) {
    s.task("count", [&ran] { ++ran; });
    EXPECT_GE(ran, i + 1 - 4);
  }
  s.wait();
  EXPECT_EQ(ran, 100);
}

// The task it would run may be a long one, or wait for what the program does next.
TEST(in_flight_limit, the_submitting_thread_runs_nothing_while_there_is_room) {
  constexpr std::size_t in_flight = 64;
  constexpr std::size_t done = 7;  // fewer than what a full one would open for
  scheduler s{{.workers = 2, .in_flight = in_flight}};
  for (std::size_t i = 0; i < done; ++i) s.task("done", [] {});
  std::atomic<bool> held{false};
  std::atomic<bool> go{false};
  int x = 0;
  s.task(
      "holds the other worker",
      [&](int&) {
        held = true;
        while (!go) std::this_thread::yield();
      },
      inout(x));
  while (!held) std::this_thread::yield();
  std::atomic<bool> ran{false};
  s.task("ready", [&] { ran = true; });
  for (std::size_t i = done + 2; i < in_flight; ++i)
    s.task(
        "waits", [](int&) {}, inout(x));
  s.task(
      "one more", [](int&) {}, inout(x));
  EXPECT_FALSE(ran);
  go = true;
  s.wait();
  EXPECT_TRUE(ran);
}

// --- what is refused -----------------------------------------------------------------------------

TEST(options, those_out_of_range_are_named) {
  const auto refusal = [](plait::scheduler_options o) {
    return plait::test::refusal([&] { const scheduler s{o}; });
  };
  EXPECT_EQ(refusal({.workers = -1}), "workers is -1; it can be 0 (one a core) to 4096");
  EXPECT_EQ(refusal({.workers = 5000}), "workers is 5000; it can be 0 (one a core) to 4096");
  EXPECT_EQ(refusal({.workers = 1, .in_flight = 16777217}),
            "in_flight is 16777217; it can be 0 (4096) to 16777216");
}

TEST(options, an_in_flight_limit_of_zero_means_the_usual_one) {
  scheduler s{{.workers = 1}};
  EXPECT_EQ(s.in_flight_limit(), plait::scheduler_options::usual_in_flight);
}

TEST(options, zero_workers_means_one_for_each_usable_core) {
  scheduler s{{.workers = 0}};
  EXPECT_GE(s.workers(), 1);
}

TEST(options, a_task_for_blocking_communication_is_refused_where_nothing_can_suspend_it) {
  scheduler s{{.workers = 1}};
  bool ran = false;
  try {
    s.task("recv", [&ran] { ran = true; }).target(plait::comm);
    FAIL() << "no exception";
  } catch (const plait::usage_error& e) {
    EXPECT_EQ(std::string(e.what()),
              "task 'recv' has target(comm), and nothing here can suspend it: link "
              "plait::blocking_mpi");
  }
  s.wait();
  EXPECT_FALSE(ran);
}

TEST(misuse_death, another_thread_that_submits_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        scheduler s{{.workers = 1}};
        std::thread([&s] { s.wait(); }).join();
      },
      "only the thread that made the scheduler");
}

}  // namespace
