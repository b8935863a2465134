// SPDX-License-Identifier: BSD-3-Clause
// Tasks that submit tasks.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

using plait::commutative;
using plait::in;
using plait::inout;
using plait::out;
using plait::reduce;
using plait::scheduler;
using plait::scheduler_options;

class family_workers : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] scheduler_options options() const { return {.workers = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(family, family_workers, ::testing::Values(1, 2, 4));

/// A task's function: a task for each element.
auto increment_each(scheduler& s) {
  return [&s](std::vector<int>& v) {
    for (int& one : v) {
      s.task(
          "increment", [](int& to) { ++to; }, inout(one));
    }
  };
}

TEST_P(family_workers, a_task_is_finished_when_those_it_submitted_are) {
  scheduler s{options()};
  std::vector<int> x(50);
  std::vector<int> sums(20);
  for (int& sum : sums) {
    s.task("fill", increment_each(s), inout(x));
    s.task(
        "sum",
        [](const std::vector<int>& v, int& to) { to = std::accumulate(v.begin(), v.end(), 0); },
        in(x), out(sum));
  }
  s.wait();
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 50 * static_cast<int>(i + 1));
}

void quicksort(std::span<int> x, scheduler* s) {
  if (x.size() <= 16) {
    std::sort(x.begin(), x.end());
    return;
  }
  const int pivot = x[x.size() / 2];
  auto* const less =
      std::partition(x.data(), x.data() + x.size(), [=](int i) { return i < pivot; });
  auto* const more = std::partition(less, x.data() + x.size(), [=](int i) { return i == pivot; });
  s->task("sort", quicksort, inout(std::span(x.data(), less)), s);
  s->task("sort", quicksort, inout(std::span(more, x.data() + x.size())), s);
}

TEST_P(family_workers, quicksort_sorts_whatever_the_limit) {
  for (const std::size_t in_flight : {1U, 7U, 4096U}) {
    scheduler s{{.workers = GetParam(), .in_flight = in_flight}};
    std::mt19937 random(3);
    std::vector<int> x(20'000);
    for (int& one : x) one = static_cast<int>(random() % 5000);
    auto expected = x;
    std::sort(expected.begin(), expected.end());
    bool sorted = false;
    s.task("sort", quicksort, inout(std::span(x)), &s);
    s.task(
        "check", [&](const std::vector<int>& v) { sorted = v == expected; }, in(x));
    s.wait();
    EXPECT_TRUE(sorted);
  }
}

// Random trees of tasks: what each does to the data depends on all before it in program order.
struct tree {
  scheduler* s;
  std::vector<std::uint32_t>* data;

  static void step(std::uint32_t& x, const std::uint32_t& y, std::uint32_t salt) {
    x = x * 1664525U + y + salt;
  }

  /// Deterministic in `seed`.  Without a scheduler: the serial execution.
  void grow(std::span<std::uint32_t> mine, std::uint32_t seed, int depth) const {
    std::mt19937 random(seed);
    for (auto n = 3 + random() % 6; n > 0; --n) {
      const std::size_t a = random() % mine.size();
      const std::size_t b = random() % mine.size();
      const auto salt = static_cast<std::uint32_t>(random());
      if (depth > 0 && random() % 2 == 0) {
        const std::size_t low = std::min(a, b);
        const auto part = mine.subspan(low, std::max(a, b) - low + 1);
        const auto body = [this, salt, depth](std::span<std::uint32_t> some) {
          grow(some, salt, depth - 1);
        };
        s != nullptr ? (void)s->task("grow", body, inout(part)) : body(part);
      } else if (s != nullptr && a != b) {
        s->task("step", step, inout(mine[a]), in(mine[b]), salt);
      } else if (a != b) {
        step(mine[a], mine[b], salt);
      }
    }
  }
};

TEST_P(family_workers, random_trees_give_the_bits_of_the_serial_execution) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::vector<std::uint32_t> expected(40);
    std::iota(expected.begin(), expected.end(), seed);
    auto got = expected;
    tree{nullptr, &expected}.grow(expected, seed, 5);
    scheduler s{{.workers = GetParam(), .in_flight = seed % 3 == 0 ? 2U : 500U}};
    const tree t{&s, &got};
    t.grow(got, seed, 5);
    s.wait();
    ASSERT_EQ(got, expected) << "seed " << seed;
  }
}

TEST_P(family_workers, a_replayed_task_may_submit) {
  scheduler s{options()};
  std::vector<int> x(10);
  long sum = 0;
  plait::graph g = s.record([&] {
    s.task("all", increment_each(s), inout(x));
    s.task(
        "sum",
        [](const std::vector<int>& v, long& to) { to += std::accumulate(v.begin(), v.end(), 0L); },
        in(x), inout(sum));
  });
  s.replay(g, 200);
  s.wait();
  EXPECT_EQ(sum, 10L * 200 * 201 / 2);
}

TEST_P(family_workers, every_access_word_works_among_children) {
  scheduler s{options()};
  long total = 0;
  int turns = 0;
  for (int round = 0; round < 50; ++round) {
    s.task(
        "parent",
        [&s](long& sum, int& n) {
          for (int i = 0; i < 10; ++i) {
            s.task(
                "child",
                [](long& mine, int& shared) {
                  mine += 2;
                  ++shared;
                },
                reduce(sum), commutative(n));
          }
        },
        commutative(total, turns));
  }
  s.wait();
  EXPECT_EQ(total, 1000);
  EXPECT_EQ(turns, 500);
}

TEST_P(family_workers, an_exception_of_a_child_surfaces) {
  scheduler s{options()};
  int x = 0;
  int y = 0;
  s.task(
      "parent",
      [&s](int& to) {
        s.task(
            "child", [](int&) { throw std::runtime_error("from a child"); }, inout(to));
        s.task(
            "next", [](int& v) { v = 7; }, inout(to));
      },
      out(x));
  s.task(
      "after", [](const int&, int& to) { to = 1; }, in(x), out(y));
  try {
    s.wait();
    ADD_FAILURE() << "no exception";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "from a child");
  }
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, 0);
}

// With an in-flight limit of 1 the second child runs inside its parent's function, on the parent's
// stack.
TEST_P(family_workers, a_task_with_a_stack_of_its_own_may_submit) {
  scheduler s{{.workers = GetParam(), .in_flight = 1, .task_stack_bytes = std::size_t{1} << 17}};
  std::vector<int> x(100);
  for (int i = 0; i < 20; ++i) {
    s.task("parent", increment_each(s), inout(x));
  }
  s.wait();
  EXPECT_EQ(x, std::vector<int>(100, 20));
}

TEST_P(family_workers, the_ledger_balances) {
  scheduler s{options()};
  s.task("parent", [&s] {
    for (int i = 0; i < 10'000; ++i) s.task("child", [] {});
  });
  s.wait();
  for (const auto& e : s.ledger()) EXPECT_LT(e.balance_error(), 0.01) << "worker " << e.worker;
}

TEST_P(family_workers, a_result_is_there_when_those_it_submitted_are_finished) {
  scheduler s{options()};
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> finished{0};
    auto parent = s.task("parent", [&s, &finished] {
                     for (int i = 0; i < 8; ++i) {
                       s.task("child", [&finished] {
                         std::this_thread::sleep_for(std::chrono::microseconds(50));
                         ++finished;
                       });
                     }
                     return 1;
                   }).result();
    EXPECT_EQ(parent.get(), 1);
    ASSERT_EQ(finished, 8);
  }
}

TEST(family_death, waiting_for_data_inside_a_task_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        scheduler s{{.workers = 1}};
        int x = 0;
        s.task("waits", [&] { s.wait_on(x); });
        s.wait();
      },
      "a task cannot wait");
}

TEST(family_death, waiting_inside_a_task_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        scheduler s{{.workers = 1}};
        s.task("waits", [&s] { s.wait(); });
        s.wait();
      },
      "a task cannot wait");
}

}  // namespace
