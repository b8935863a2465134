// SPDX-License-Identifier: BSD-3-Clause
// Tasks with `reduce` accesses: side by side, each into a copy of its own.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::reduce;
using plait::scheduler;

class reduction_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(reduction, reduction_workers, ::testing::Values(1, 2, 3, 4));

TEST_P(reduction_workers, a_sum_of_integers_is_exact) {
  scheduler s{{.workers = GetParam(), .in_flight = 300}};
  std::int64_t total = 5;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    s.task(
        "add",
        [](std::int64_t& mine, std::int64_t n) {
          EXPECT_EQ(mine, 0);
          for (std::int64_t k = 0; k < n % 10; ++k) ++mine;
        },
        reduce(total), i);
  }
  s.wait();
  EXPECT_EQ(total, 5 + 1000 * 45);
}

TEST_P(reduction_workers, a_range_arrives_as_a_span_of_identities) {
  scheduler s{{.workers = GetParam()}};
  std::vector<std::int64_t> histogram(16);
  for (std::size_t i = 0; i < 500; ++i) {
    s.task(
        "count",
        [](std::span<std::int64_t> mine, std::size_t n) {
          EXPECT_EQ(mine.size(), 16U);
          EXPECT_TRUE(std::all_of(mine.begin(), mine.end(), [](auto x) { return x == 0; }));
          for (std::size_t k = 0; k < 40; ++k) ++mine[(n + k * k) % 16];
        },
        reduce(histogram), i);
  }
  s.wait();
  std::vector<std::int64_t> expected(16);
  for (std::size_t i = 0; i < 500; ++i) {
    for (std::size_t k = 0; k < 40; ++k) ++expected[(i + k * k) % 16];
  }
  EXPECT_EQ(histogram, expected);
}

/// The program's own: the product of 2x2 matrices would not commute, greatest common divisors do.
struct common_divisor {
  template <class T>
  static constexpr T identity() {
    return T{0};
  }
  template <class T>
  T operator()(T a, T b) const {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  }
};

TEST_P(reduction_workers, every_operation_combines_as_it_says) {
  scheduler s{{.workers = GetParam()}};
  double smallest = std::numeric_limits<double>::max();
  int largest = std::numeric_limits<int>::lowest();
  std::uint64_t product = 3;
  unsigned divisor = 0;
  for (int i = 1; i <= 30; ++i) {
    s.task(
        "all",
        [](double& low, int& high, std::uint64_t& times, unsigned& common, int n) {
          EXPECT_EQ(low, std::numeric_limits<double>::infinity());
          EXPECT_EQ(high, std::numeric_limits<int>::lowest());
          EXPECT_EQ(times, 1U);
          low = std::min(low, 10.5 - n);
          high = std::max(high, n * (40 - n));
          times *= n % 2 == 0 ? 2 : 1;
          common = 12U * static_cast<unsigned>(n);
        },
        reduce<plait::minimum>(smallest), reduce<plait::maximum>(largest),
        reduce<plait::product>(product), reduce<common_divisor>(divisor), i);
  }
  s.wait();
  EXPECT_EQ(smallest, -19.5);
  EXPECT_EQ(largest, 400);
  EXPECT_EQ(product, 3U << 15U);
  EXPECT_EQ(divisor, 12U);
}

TEST_P(reduction_workers, others_see_the_whole_result) {
  scheduler s{{.workers = GetParam()}};
  long total = 0;
  std::vector<long> seen(200);
  for (long& one : seen) {
    for (int i = 0; i < 5; ++i) {
      s.task(
          "add", [](long& mine) { mine = 3; }, reduce(total));
    }
    s.task(
        "take", [](long& from, long& to) { to = std::exchange(from, 1L); }, inout(total), out(one));
  }
  s.wait();
  EXPECT_EQ(seen[0], 15);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], 16);
}

// Both run at once: each waits until the other has begun.
TEST(reduction, two_reductions_of_the_same_variable_run_side_by_side) {
  scheduler s{{.workers = 2}};
  std::atomic<int> begun{0};
  int total = 0;
  for (int i = 0; i < 2; ++i) {
    s.task(
        "meet",
        [&begun](int& mine) {
          ++begun;
          while (begun != 2) std::this_thread::yield();
          ++mine;
        },
        reduce(total));
  }
  s.wait();
  EXPECT_EQ(total, 2);
}

TEST_P(reduction_workers, parts_and_the_whole_reduce_in_turn) {
  scheduler s{{.workers = GetParam()}};
  std::vector<int> x(10);
  const auto add = [](std::span<int> mine) {
    for (int& one : mine) ++one;
  };
  for (int i = 0; i < 300; ++i) {
    s.task("whole", add, reduce(x));
    s.task("part", add, reduce(std::span(x).subspan(0, 5)));
    s.task("part", add, reduce(std::span(x).subspan(3, 4)));
  }
  s.wait();
  EXPECT_EQ(x, (std::vector<int>{600, 600, 600, 900, 900, 600, 600, 300, 300, 300}));
}

TEST_P(reduction_workers, a_replay_reduces) {
  scheduler s{{.workers = GetParam()}};
  long total = 0;
  long sum_of_sums = 0;
  plait::graph g = s.record([&] {
    for (long i = 0; i < 4; ++i) {
      s.task(
          "add", [](long& mine, long n) { mine += n; }, reduce(total), i);
    }
    s.task(
        "sum", [](const long& from, long& to) { to += from; }, in(total), inout(sum_of_sums));
  });
  s.replay(g, 100);
  s.wait();
  EXPECT_EQ(total, 600);
  EXPECT_EQ(sum_of_sums, 6 * 100 * 101 / 2);
}

// The smallest bytes of a word are not the bytes of the smallest word.
TEST_P(reduction_workers, reductions_of_the_same_bytes_as_other_types_keep_their_order) {
  scheduler s{{.workers = GetParam()}};
  std::uint32_t word = 0x00'20'00'00;
  const std::span<unsigned char> bytes(reinterpret_cast<unsigned char*>(&word), 4);
  const auto least_byte = [](std::span<unsigned char> mine) { mine[1] = 0x10; };
  const auto least_word = [](std::uint32_t& mine) { mine = 0x00'01'20'00; };
  auto g = s.record([&] {
    s.task("word", least_word, reduce<plait::minimum>(word));
    s.task("byte", least_byte, reduce<plait::minimum>(bytes)).priority(plait::high);
  });
  for (int i = 0; i < 200; ++i) {
    word = 0x00'20'00'00;
    s.replay(g, 1);
    s.wait();
    ASSERT_EQ(word, 0x00'01'10'00U) << "replay " << i;
    word = 0x00'20'00'00;
    std::atomic<bool> may_go = false;
    s.task(
        "first",
        [&may_go](std::uint32_t&) {
          while (!may_go) std::this_thread::yield();
        },
        inout(word));
    s.task("word", least_word, reduce<plait::minimum>(word));
    s.task("byte", least_byte, reduce<plait::minimum>(bytes)).priority(plait::high);
    may_go = true;
    s.wait();
    ASSERT_EQ(word, 0x00'01'10'00U) << "submission " << i;
  }
}

TEST_P(reduction_workers, a_reduction_that_fails_combines_nothing) {
  scheduler s{{.workers = GetParam()}};
  int total = 7;
  s.task(
      "fails",
      [](int& mine) {
        mine = 100;
        throw std::runtime_error("no sum");
      },
      reduce(total));
  EXPECT_THROW(s.wait(), std::runtime_error);
  EXPECT_EQ(total, 7);
}

TEST(reduction, a_task_that_reduces_may_return_a_value) {
  scheduler s{{.workers = 1}};
  int total = 0;
  auto result = s.task(
                     "both",
                     [](int& mine) {
                       mine = 2;
                       return 40;
                     },
                     reduce(total))
                    .result();
  EXPECT_EQ(result.get() + total, 42);
}

}  // namespace
