// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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
using plait::usage_error;
using plait::test::refusal;

class replay_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(replay, replay_workers, ::testing::Values(1, 2, 3, 4));

TEST(replay, recording_runs_nothing) {
  scheduler s{{.workers = 2}};
  int runs = 0;
  const plait::graph g = s.record([&] {
    s.task(
        "count", [](int& n) { ++n; }, inout(runs));
  });
  s.wait();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(g.tasks(), 1U);
  EXPECT_EQ(g.messages(), 0U);
  EXPECT_EQ(g.dependences(), 1U) << "a task follows itself";
}

TEST_P(replay_workers, reductions_of_a_range_that_others_read_in_part_keep_their_turns) {
  scheduler s{{.workers = GetParam()}};
  std::vector<long> total(2, 0);
  std::atomic<int> reducing{0};
  std::atomic<bool> overlapped{false};
  std::vector<long> seen;
  constexpr long iterations = 300;
  auto g = s.record([&] {
    for (int k = 0; k < 2; ++k) {
      s.task(
          "add",
          [&reducing, k](std::span<long> part) {
            ++reducing;
            for (std::atomic<int> spin = 0; k == 0 && spin < 3000; ++spin) continue;
            for (long& one : part) ++one;
            --reducing;
          },
          plait::reduce(total));
    }
    s.task(
        "look",
        [&](const long& first) {
          if (reducing.load() != 0) overlapped = true;
          seen.push_back(first);
        },
        in(total[0]));
  });
  s.replay(g, iterations);
  s.wait();
  EXPECT_FALSE(overlapped);
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(iterations));
  for (long i = 0; i < iterations; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], 2 * (i + 1));
  EXPECT_EQ(total[1], 2 * iterations);
}

TEST_P(replay_workers, a_chain_runs_in_order_through_all_iterations) {
  scheduler s{{.workers = GetParam()}};
  std::vector<int> order;
  int turn = 0;
  auto g = s.record([&] {
    for (int i = 0; i < 5; ++i) {
      s.task(
          "next", [&order](int&, int n) { order.push_back(n); }, inout(turn), i);
    }
  });
  s.replay(g, 1000);
  s.wait();
  ASSERT_EQ(order.size(), 5000U);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i % 5);
}

// u[i] += u[i + 1] for all i, n times over: Pascal's triangle again, replayed.
TEST_P(replay_workers, dependences_that_wrap_give_pascals_triangle) {
  scheduler s{{.workers = GetParam()}};
  constexpr std::size_t n = 30;
  std::vector<std::uint64_t> u(n + 1, 0);
  u[n] = 1;
  auto sweep = s.record([&] {
    for (std::size_t i = 0; i < n; ++i) {
      s.task(
          "sum", [](std::uint64_t& a, const std::uint64_t& b) { a += b; }, inout(u[i]),
          in(u[i + 1]));
    }
  });
  s.replay(sweep, n);
  s.wait();
  std::uint64_t binomial = 1;
  for (std::size_t k = 0; k <= n; ++k) {
    EXPECT_EQ(u[n - k], binomial) << "C(" << n << ", " << k << ")";
    binomial = binomial * (n - k) / (k + 1);
  }
}

TEST_P(replay_workers, readers_of_what_nobody_writes_run_once_an_iteration) {
  scheduler s{{.workers = GetParam()}};
  const int constant = 3;
  std::atomic<int> sum{0};
  auto g = s.record([&] {
    for (int i = 0; i < 4; ++i) {
      s.task(
          "read", [](const int& c, std::atomic<int>* to) { *to += c; }, in(constant), &sum);
    }
    s.task(
        "alone", [](std::atomic<int>* to) { ++*to; }, &sum);
  });
  s.replay(g, 1000);
  s.wait();
  EXPECT_EQ(sum.load(), 4 * 3 * 1000 + 1000);
}

TEST(replay, what_was_submitted_before_runs_before_and_what_follows_after) {
  scheduler s{{.workers = 2}};
  int x = 1;
  auto twice = s.record([&] {
    s.task(
        "double", [](int& v) { v *= 2; }, inout(x));
  });
  for (int i = 0; i < 50; ++i) {
    x = 1;
    s.task(
        "add", [](int& v) { v += 2; }, inout(x));
    s.replay(twice, 3);
    s.task(
        "add", [](int& v) { v += 5; }, inout(x));
    s.replay(twice, 1);
    s.wait();
    ASSERT_EQ(x, ((1 + 2) * 8 + 5) * 2);
  }
}

TEST(replay, values_are_the_same_in_every_iteration) {
  scheduler s{{.workers = 1}};
  std::size_t total = 0;
  auto g = s.record([&] {
    s.task(
        "consume",
        [](std::size_t& sum, std::vector<int> mine) {
          sum += mine.size();
          mine.clear();
        },
        inout(total), std::vector<int>(7));
  });
  s.replay(g, 10);
  s.wait();
  EXPECT_EQ(total, 70U);
}

TEST(replay, no_iterations_and_no_tasks_are_nothing) {
  scheduler s{{.workers = 2}};
  int runs = 0;
  auto g = s.record([&] {
    s.task(
        "count", [](int& n) { ++n; }, inout(runs));
  });
  auto empty = s.record([] {});
  s.replay(g, 0);
  s.replay(empty, 1000);
  s.wait();
  EXPECT_EQ(runs, 0);
}

TEST(replay, a_graph_runs_while_its_handle_is_gone) {
  scheduler s{{.workers = 2}};
  std::uint64_t runs = 0;
  {
    auto g = s.record([&] {
      s.task(
          "count", [](std::uint64_t& n) { ++n; }, inout(runs));
    });
    s.replay(g, 20'000);
  }
  s.wait();
  EXPECT_EQ(runs, 20'000U);
}

TEST(replay, data_that_has_moved_is_refused_by_name) {
  scheduler s{{.workers = 1}};
  std::vector<double> x(10);
  auto g = s.record([&] {
    s.task(
        "scale", [](std::vector<double>&) {}, inout(x));
  });
  s.replay(g, 1);
  s.wait();
  x.resize(5000);
  const std::string said = refusal([&] { s.replay(g, 1); });
  EXPECT_NE(said.find("'scale'"), std::string::npos) << said;
  EXPECT_NE(said.find("record the graph again"), std::string::npos) << said;
}

TEST(replay, a_value_that_cannot_be_copied_is_refused_by_name) {
  scheduler s{{.workers = 1}};
  int x = 0;
  const auto submit = [&] {
    s.task(
        "once", [](int& v, std::unique_ptr<int> by) { v += *by; }, inout(x),
        std::make_unique<int>(4));
  };
  const std::string said = refusal([&] { (void)s.record(submit); });
  EXPECT_NE(said.find("'once'"), std::string::npos) << said;
  submit();
  s.wait();
  EXPECT_EQ(x, 4) << "without recording it is as good as any";
}

TEST(replay, more_tasks_than_the_in_flight_limit_are_refused) {
  scheduler s{{.workers = 1, .in_flight = 4}};
  int x = 0;
  auto g = s.record([&] {
    for (int i = 0; i < 5; ++i)
      s.task(
          "next", [](int& v) { ++v; }, inout(x));
  });
  EXPECT_NE(refusal([&] { s.replay(g, 1); }).find("5 tasks, the in-flight limit is 4"),
            std::string::npos);
}

TEST(replay, another_schedulers_graph_is_refused) {
  scheduler first{{.workers = 1}};
  int x = 0;
  auto g = first.record([&] {
    first.task(
        "next", [](int& v) { ++v; }, inout(x));
  });
  first.close();
  scheduler second{{.workers = 1}};
  EXPECT_NE(refusal([&] { second.replay(g, 1); }).find("another scheduler"), std::string::npos);
}

TEST(replay, what_record_throws_leaves_the_scheduler_as_it_was) {
  scheduler s{{.workers = 1}};
  int x = 0;
  EXPECT_THROW((void)s.record([&] {
    s.task(
        "next", [](int& v) { ++v; }, inout(x));
    throw std::runtime_error("changed its mind");
  }),
               std::runtime_error);
  s.task(
      "next", [](int& v) { v += 10; }, inout(x));
  s.wait();
  EXPECT_EQ(x, 10);
}

TEST_P(replay_workers, an_exception_ends_the_replay_and_the_graph_can_run_again) {
  scheduler s{{.workers = GetParam()}};
  std::vector<int> x(8, 0);
  bool armed = true;
  auto g = s.record([&] {
    for (int& each : x) {
      s.task(
          "next",
          [](int& v, const bool* fails) {
            if (++v == 100 && *fails) throw std::runtime_error("a hundred");
          },
          inout(each), &armed);
    }
  });
  s.replay(g, 1'000'000'000);  // would take minutes
  EXPECT_THROW(s.wait(), std::runtime_error);
  armed = false;
  std::fill(x.begin(), x.end(), 0);
  s.replay(g, 200);
  s.wait();
  EXPECT_EQ(x, std::vector<int>(8, 200));
}

TEST(replay_death, waiting_while_recording_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  scheduler s{{.workers = 1}};
  EXPECT_DEATH((void)s.record([&] { s.wait(); }), "nothing to wait for");
}

TEST(replay_death, a_graph_that_was_moved_from_ends_the_program_with_a_line) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  scheduler s{{.workers = 1}};
  plait::graph first = s.record([] {});
  const plait::graph second = std::move(first);
  EXPECT_EQ(second.tasks(), 0U);
  EXPECT_DEATH(s.replay(first, 1), "the graph was moved from");
  EXPECT_DEATH((void)first.tasks(), "the graph was moved from");
}

/// Tasks on random ranges of an array, each adding what it reads, in an order that matters.
struct planned_task {
  std::size_t from, from_end, to, to_end;
  std::uint64_t salt;
};

/// Lets one of the tasks that count it down throw.
struct fuse {
  std::atomic<std::int64_t> left{INT64_MAX};
};

void combine(std::span<const std::uint64_t> from, std::span<std::uint64_t> to, std::uint64_t salt,
             fuse* burns) {
  if (burns->left.fetch_sub(1, std::memory_order_relaxed) == 0) throw std::runtime_error("burnt");
  std::uint64_t h = salt;
  for (const std::uint64_t v : from) h = (h ^ v) * 0x100000001B3U;
  for (std::uint64_t& v : to) v = (v << 7U) + (h ^= v + (h << 3U));
}

/// Counts of unmet predecessors go from one replay over to the next, but for one that has failed.
TEST(replay, random_graphs_give_the_bits_of_the_serial_execution_each_time_they_run) {
  constexpr std::size_t size = 24;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<planned_task> plan(1 + below(20));
    for (planned_task& t : plan) {
      t.from = below(size);
      t.from_end = t.from + below(size - t.from + 1);
      t.to = below(size);
      t.to_end = t.to + below(std::min<std::size_t>(6, size - t.to) + 1);
      t.salt = random();
    }
    fuse burns;
    fuse whole;
    std::vector<std::uint64_t> expected(size, 1);
    std::vector<std::uint64_t> data(size, 1);
    const auto parts = [](std::vector<std::uint64_t>& all, const planned_task& t) {
      return std::pair(std::span(all).subspan(t.from, t.from_end - t.from),
                       std::span(all).subspan(t.to, t.to_end - t.to));
    };
    scheduler s{{.workers = static_cast<int>(1 + below(4))}};
    const std::size_t on_io = below(3);  // of three
    const plait::resource io = s.add_resource("io");
    auto g = s.record([&] {
      for (const planned_task& t : plan) {
        const auto [from, to] = parts(data, t);
        auto task = s.task("combine", combine, in(from), inout(to), t.salt, &burns);
        task.priority(static_cast<plait::priority>(below(3)));
        if (below(3) < on_io) task.target(io);
      }
    });
    for (std::size_t replays = 1 + below(4); replays > 0; --replays) {
      if (below(4) == 0) {
        burns.left = static_cast<std::int64_t>(below(3 * plan.size()));
        s.replay(g, 3);
        EXPECT_THROW(s.wait(), std::runtime_error);
        burns.left = INT64_MAX;
        data = expected;
      }
      const std::uint64_t iterations = below(12);
      for (std::uint64_t k = 0; k < iterations; ++k) {
        for (const planned_task& t : plan) {
          const auto [from, to] = parts(expected, t);
          combine(from, to, t.salt, &whole);
        }
      }
      s.replay(g, iterations);
      s.wait();
      ASSERT_EQ(data, expected) << "seed " << seed;
    }
  }
}

}  // namespace
