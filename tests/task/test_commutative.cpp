// SPDX-License-Identifier: BSD-3-Clause
// Tasks with `commutative` accesses: in any order, one at a time.
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/cpu_pause.hpp>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

using plait::commutative;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

class commutative_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(commutative_access, commutative_workers, ::testing::Values(1, 2, 3, 4));

/// Counts what meets it inside.
struct room {
  std::atomic<int> inside{0};
  std::atomic<int> met{0};
  void visit(int spins) {
    if (inside.fetch_add(1) != 0) ++met;
    for (int i = 0; i < spins; ++i) plait::cpu_pause();
    inside.fetch_sub(1);
  }
};

TEST_P(commutative_workers, updates_are_not_lost_and_never_meet) {
  scheduler s{{.workers = GetParam(), .in_flight = 500}};
  room r;
  long sum = 0;
  for (long i = 0; i < 20'000; ++i) {
    s.task(
        "add",
        [&r](long& to, long n) {
          r.visit(static_cast<int>(n % 50));
          to += n;
        },
        commutative(sum), i);
  }
  s.wait();
  EXPECT_EQ(sum, 20'000L * 19'999 / 2);
  EXPECT_EQ(r.met, 0);
}

TEST(commutative_access, a_task_that_is_ready_does_not_wait_for_one_submitted_earlier) {
  scheduler s{{.workers = 1}};
  int late = 0;
  int x = 0;
  std::vector<int> order;
  auto& held = s.allocate("held", plait::detail::node_kind::asynchronous);
  held.act = [](auto&, auto) {};
  const auto begin = reinterpret_cast<std::uintptr_t>(&late);
  s.add_access(held, {begin, begin + sizeof late}, plait::access_mode::out);
  s.submit(held);
  s.task(
      "first", [&order](const int&, int&) { order.push_back(1); }, in(late), commutative(x));
  s.task(
      "second", [&](int&) { order.push_back(2), s.complete(held); }, commutative(x));
  s.wait();
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST_P(commutative_workers, other_accesses_see_all_before_them_and_none_after) {
  scheduler s{{.workers = GetParam()}};
  long sum = 0;
  std::vector<long> seen(100);
  for (std::size_t round = 0; round < seen.size(); ++round) {
    for (int i = 0; i < 7; ++i) {
      s.task(
          "add", [](long& to) { ++to; }, commutative(sum));
    }
    s.task(
        "look", [](const long& from, long& to) { to = from; }, in(sum), out(seen[round]));
  }
  s.wait();
  for (std::size_t round = 0; round < seen.size(); ++round) {
    EXPECT_EQ(seen[round], 7 * static_cast<long>(round + 1));
  }
}

// Dining philosophers: each needs two forks at once.
TEST_P(commutative_workers, several_commutative_accesses_do_not_deadlock) {
  scheduler s{{.workers = GetParam()}};
  constexpr std::size_t forks = 5;
  std::vector<int> used(forks);
  std::vector<room> rooms(forks);
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::size_t left = i % forks;
    const std::size_t right = (i + 1 + i / 1000) % forks;
    if (left == right) continue;
    s.task(
        "eat",
        [&rooms](int& a, int& b, std::size_t l, std::size_t r) {
          rooms[l].visit(20);
          rooms[r].visit(20);
          ++a, ++b;
        },
        commutative(used[left]), commutative(used[right]), left, right);
  }
  s.wait();
  EXPECT_EQ(std::accumulate(used.begin(), used.end(), 0), 2 * 4000);
  for (const room& r : rooms) EXPECT_EQ(r.met, 0);
}

TEST_P(commutative_workers, ranges_that_overlap_in_part_exclude_each_other) {
  scheduler s{{.workers = GetParam()}};
  std::vector<int> x(64);
  std::vector<int> expected(64);
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t begin = (i * 7) % 50;
    const std::size_t length = 1 + (i * 5) % 14;
    s.task(
        "add",
        [](std::span<int> some) {
          for (int& one : some) ++one;
        },
        commutative(std::span(x).subspan(begin, length)));
    for (std::size_t k = begin; k < begin + length; ++k) ++expected[k];
  }
  s.wait();
  EXPECT_EQ(x, expected);
}

TEST_P(commutative_workers, a_failure_lets_those_that_wait_go) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    scheduler s{{.workers = GetParam()}};
    int x = 0;
    for (int i = 0; i < 300; ++i) {
      s.task(
          "add",
          [](int& to, int n) {
            if (n == 100) throw std::runtime_error("one hundred");
            ++to;
          },
          commutative(x), i);
    }
    EXPECT_THROW(s.wait(), std::runtime_error);
    s.task(
        "set", [](int& to) { to = 1; }, commutative(x));
    s.wait();
    EXPECT_EQ(x, 1);
  }
}

TEST_P(commutative_workers, a_replay_excludes_across_iterations) {
  scheduler s{{.workers = GetParam()}};
  room r;
  long sum = 0;
  std::vector<int> mine(8);
  plait::graph g = s.record([&] {
    for (int& one : mine) {
      s.task(
          "add",
          [&r](long& to, int& n) {
            r.visit(30);
            to += ++n;
          },
          commutative(sum), inout(one));
    }
  });
  s.replay(g, 500);
  s.wait();
  EXPECT_EQ(sum, 8L * 500 * 501 / 2);
  EXPECT_EQ(r.met, 0);
}

// The commutative tasks of one iteration are kept apart by the reader; those of two are not.
TEST_P(commutative_workers, a_replay_excludes_what_meets_only_across_the_end_of_an_iteration) {
  scheduler s{{.workers = GetParam()}};
  room r;
  long sum = 0;
  long seen = 0;
  plait::graph g = s.record([&] {
    const auto add = [&r](long& to) {
      r.visit(30);
      ++to;
    };
    s.task("add", add, commutative(sum));
    s.task(
        "look", [](const long& from, long& to) { to += from; }, in(sum), inout(seen));
    s.task("add", add, commutative(sum));
    s.task("add", add, commutative(sum));
  });
  s.replay(g, 1000);
  s.wait();
  EXPECT_EQ(sum, 3000);
  EXPECT_EQ(r.met, 0);
  EXPECT_GE(seen, 1000 * 999 / 2 * 3 + 1000);
}

TEST(commutative_access, a_suspended_task_keeps_its_turn) {
  scheduler s{{.workers = 1, .task_stack_bytes = std::size_t{1} << 16}};
  int x = 0;
  std::vector<int> order;
  plait::detail::task_node* suspended = nullptr;
  s.task(
      "suspends",
      [&](int&) {
        order.push_back(1);
        struct remembered : plait::suspension {
          plait::detail::task_node** to;
        } next{{[](plait::suspension& self, plait::detail::task_node& node) {
                 *static_cast<remembered&>(self).to = &node;
               }},
               &suspended};
        s.suspend(next);
        order.push_back(2);
      },
      commutative(x));
  s.task(
      "waits", [&](int&) { order.push_back(3); }, commutative(x));
  s.task("resumes", [&] { s.resume(*suspended); });
  s.wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

}  // namespace
