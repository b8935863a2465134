// SPDX-License-Identifier: BSD-3-Clause
// Boxes of arrays as accesses of tasks.
#include <atomic>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "box.hpp"

namespace {

using plait::commutative;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;
using plait::test::array_of;
using plait::test::box_view;

TEST(boxes, arrive_as_views_by_value_and_those_that_are_read_as_views_of_const) {
  scheduler s{{.workers = 1}};
  std::vector<double> data(24, 2);
  const auto all = array_of(data.data(), {2, 3, 4});
  s.task(
      "types",
      [](auto&& x, auto&& y, auto&& z) {
        static_assert(std::is_same_v<decltype(x), box_view<const double>&&>);
        static_assert(std::is_same_v<decltype(y), box_view<double>&&>);
        static_assert(std::is_same_v<decltype(z), box_view<const double>&&>);
        y(0, 0, 0) = x(0, 0, 0) + z(0, 0, 0);
      },
      in(all.part({0, 0, 2}, {2, 3, 4})), out(all.part({0, 0, 0}, {2, 3, 1})),
      in(all.part({0, 0, 1}, {2, 3, 2}).as_const()));
  s.wait();
  EXPECT_EQ(data[0], 4);
}

TEST(boxes, a_reader_of_one_half_of_the_rows_does_not_wait_for_the_writer_of_the_other) {
  scheduler s{{.workers = 2}};
  std::vector<int> data(64);
  const auto all = array_of(data.data(), {1, 8, 8});
  std::atomic<bool> read{false};
  // Each waits for the other to run, so neither may wait for the other to end.
  s.task(
      "left",
      [&read](box_view<int> left) {
        while (!read.load()) {
        }
        left.for_each([](int& x) { x = 1; });
      },
      out(all.part({0, 0, 0}, {1, 8, 4})));
  s.task(
      "right", [&read](box_view<const int>) { read = true; }, in(all.part({0, 0, 4}, {1, 8, 8})));
  int sum = 0;
  s.task(
      "both",
      [](box_view<const int> x, int& to) { x.for_each([&to](const int& one) { to += one; }); },
      in(all.part({0, 3, 3}, {1, 4, 5})), inout(sum));
  s.wait();
  EXPECT_EQ(sum, 1);
}

TEST(boxes, can_be_waited_for) {
  scheduler s{{.workers = 2}};
  std::vector<int> data(64);
  const auto all = array_of(data.data(), {1, 8, 8});
  s.task(
      "left", [](box_view<int> left) { left.for_each([](int& x) { x = 7; }); },
      out(all.part({0, 0, 0}, {1, 8, 4})));
  s.wait_on(all.part({0, 2, 2}, {1, 3, 6}));
  EXPECT_EQ(data[19], 7);
  s.wait();
}

TEST(boxes, may_be_named_without_being_passed) {
  scheduler s{{.workers = 2}};
  std::vector<int> data(64);
  const auto all = array_of(data.data(), {1, 8, 8});
  s.task(
      "write", [](box_view<int> left) { left.for_each([](int& x) { x = 7; }); },
      out(all.part({0, 0, 0}, {1, 8, 4})));
  int seen = 0;
  s.task(
       "read", [&data](int& to) { to = data[19]; }, out(seen))
      .also(in(all.part({0, 2, 2}, {1, 3, 6})));
  s.wait();
  EXPECT_EQ(seen, 7);
}

TEST(boxes, commutative_tasks_that_share_a_cell_do_not_run_at_once) {
  scheduler s{{.workers = 4}};
  std::vector<int> data(64);
  const auto all = array_of(data.data(), {1, 8, 8});
  const auto add = [](box_view<int> x) {
    x.for_each([](int& one) {
      volatile int& slow = one;
      const int before = slow;
      slow = before + 1;
    });
  };
  constexpr int rounds = 500;
  for (int i = 0; i < rounds; ++i) {
    s.task("add", add, commutative(all.part({0, 0, 0}, {1, 5, 5})));
    s.task("add", add, commutative(all.part({0, 3, 3}, {1, 8, 8})));
    s.task("add", add, commutative(all));
  }
  s.wait();
  EXPECT_EQ(data[0], 2 * rounds);
  EXPECT_EQ(data[3 * 8 + 4], 3 * rounds);
  EXPECT_EQ(data[7], rounds);
}

/// A stencil over grown blocks, whose results do not depend on the order of the tasks.
std::vector<double> smooth(scheduler& s, int steps, bool replay) {
  constexpr std::size_t n = 14;
  constexpr std::size_t block = 4;
  std::vector<double> a(n * n * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * 7919 % 1000);
  std::vector<double> b = a;
  const auto relax = [](box_view<const double> from, box_view<double> to) {
    for (std::size_t i = 0; i < to.extent[0]; ++i) {
      for (std::size_t j = 0; j < to.extent[1]; ++j) {
        for (std::size_t k = 0; k < to.extent[2]; ++k) {
          to(i, j, k) =
              (from(i, j + 1, k + 1) + from(i + 2, j + 1, k + 1) + from(i + 1, j, k + 1) +
               from(i + 1, j + 2, k + 1) + from(i + 1, j + 1, k) + from(i + 1, j + 1, k + 2)) /
              6;
        }
      }
    }
  };
  const auto step = [&](std::vector<double>& from, std::vector<double>& to) {
    const auto x = array_of(from.data(), {n, n, n});
    const auto y = array_of(to.data(), {n, n, n});
    for (std::size_t i = 1; i + 1 < n; i += block) {
      for (std::size_t j = 1; j + 1 < n; j += block) {
        for (std::size_t k = 1; k + 1 < n; k += block) {
          s.task("relax", relax,
                 in(x.part({i - 1, j - 1, k - 1}, {i + block + 1, j + block + 1, k + block + 1})),
                 out(y.part({i, j, k}, {i + block, j + block, k + block})));
        }
      }
    }
  };
  const auto two_steps = [&] {
    step(a, b);
    step(b, a);
  };
  if (replay) {
    auto graph = s.record(two_steps);
    s.replay(graph, static_cast<std::uint64_t>(steps / 2));
  } else {
    for (int i = 0; i < steps; i += 2) two_steps();
  }
  s.wait();
  return a;
}

TEST(boxes, a_stencil_over_grown_blocks_has_the_bits_of_its_serial_execution) {
  scheduler serial{{.workers = 1, .in_flight = 1}};
  const auto expected = smooth(serial, 10, false);
  scheduler parallel{{.workers = 4}};
  EXPECT_EQ(smooth(parallel, 10, false), expected);
  EXPECT_EQ(smooth(parallel, 10, true), expected);
}

TEST(boxes, a_task_may_submit_tasks_on_parts_of_its_box) {
  scheduler s{{.workers = 3}};
  std::vector<int> data(64);
  const auto all = array_of(data.data(), {1, 8, 8});
  s.task(
      "whole",
      [&s](box_view<int> x) {
        for (std::size_t half = 0; half < 2; ++half) {
          const auto part = x.part({0, 0, 3 * half}, {1, 8, 3 * half + 3});
          for (int i = 0; i < 3; ++i) {
            s.task(
                "part", [](box_view<int> y) { y.for_each([](int& one) { one = 2 * one + 1; }); },
                inout(part));
          }
        }
      },
      inout(all.part({0, 0, 1}, {1, 8, 7})));
  s.wait();
  EXPECT_EQ(data[0], 0);
  EXPECT_EQ(data[1], 7);
  EXPECT_EQ(data[6], 7);
  EXPECT_EQ(data[7], 0);
}

}  // namespace
