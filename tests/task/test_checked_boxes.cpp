// SPDX-License-Identifier: BSD-3-Clause
// Checked mode and boxes of arrays: what lies between the rows of a box is no part of it.
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/view.hpp>
#include <plait/task/scheduler.hpp>

#include "box.hpp"
#include "checked.hpp"

namespace plait::test {
namespace {

void touch(box_view<int> x) {
  x.for_each([](int& one) { one += 1; });
}

TEST(checked_boxes, tasks_that_stay_in_their_boxes_are_not_told_of) {
  std::vector<int> data(6 * 8 * 10);
  const auto all = array_of(data.data(), {6, 8, 10});
  EXPECT_EQ(found([&](scheduler& s) {
              for (std::size_t k = 0; k < 10; k += 5) {
                s.task("half", touch, inout(all.part({0, 0, k}, {6, 8, k + 5})));
              }
            }),
            "nothing");
}

TEST(checked_boxes, a_cell_beside_a_row_is_found_where_another_box_has_it) {
  std::vector<int> data(6 * 8 * 10);
  const auto all = array_of(data.data(), {6, 8, 10});
  EXPECT_EQ(found([&](scheduler& s) {
              s.task("right", touch, inout(all.part({0, 0, 5}, {6, 8, 10})));
              s.task(
                  "left", [](box_view<int> x) { x(2, 3, 5) = 1; },
                  out(all.part({0, 0, 0}, {6, 8, 5})));
            }),
            "task 'left' writes bytes 0 to 3 of row (2, 3) of what task 'right' names as its "
            "access 1 (inout, 6 x 8 rows of 20 bytes), without an access to it");
}

TEST(checked_boxes, a_write_to_a_box_that_is_read_is_found) {
  std::vector<int> data(8 * 10);
  const auto all = array_of(data.data(), {1, 8, 10});
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "read", [](box_view<const int> x) { const_cast<int&>(x(0, 7, 1)) = 1; },
                  in(all.part({0, 0, 0}, {1, 8, 5})));
            }),
            "task 'read' writes bytes 4 to 7 of row (7) of its access 1, which it declares in, 8 "
            "rows of 20 bytes");
}

TEST(checked_boxes, a_range_that_a_box_does_not_cover_is_found) {
  std::vector<int> data(8 * 10);
  const auto all = array_of(data.data(), {1, 8, 10});
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "all", [](std::vector<int>& x) { x[0] = 1; }, inout(data));
              s.task(
                  "box", [](box_view<int> x) { x(0, 1, 9) = 1; },
                  out(all.part({0, 0, 0}, {1, 8, 5})));
            }),
            "task 'box' writes bytes 76 to 79 of what task 'all' names as its access 1 (inout), "
            "without an access to it");
}

TEST(checked_boxes, a_star_has_no_corners) {
  std::vector<int> data(6 * 8 * 10);
  using plait::box;
  const plait::view<int, 3> u(data.data(), box<3>({0, 0, 0}, {10, 8, 6}), {1, 10, 80});
  const auto reading = [&](std::int64_t x, std::int64_t y) {
    return found([&](scheduler& s) {
      s.task(
          "star",
          [x, y](plait::view<const int, 3> around) {
            (void)*static_cast<const volatile int*>(&around(x, y, 2));
          },
          in(u[star(box<3>({2, 1, 2}, {4, 4, 3}))]));
      s.task(
          "row", [](std::span<int>) {}, inout(std::span(data).subspan(160, 10)));
    });
  };
  EXPECT_EQ(reading(1, 1), "nothing");
  EXPECT_EQ(reading(2, 0), "nothing");
  EXPECT_EQ(reading(1, 0),
            "task 'star' reads bytes 4 to 7 of what task 'row' names as its access 1 (inout), "
            "without an access to it");
}

}  // namespace
}  // namespace plait::test
