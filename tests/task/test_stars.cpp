// SPDX-License-Identifier: BSD-3-Clause
// Stars of cells as accesses of tasks: a box and what lies straight before its faces.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/view.hpp>
#include <plait/task/scheduler.hpp>

namespace plait::test {
namespace {

/// 9 x 8 x 7 cells from (-1, -1, -1) on.
struct cube {
  std::vector<int> data = std::vector<int>(9 * 8 * 7);
  view<int, 3> u{data.data(), box<3>({-1, -1, -1}, {8, 7, 6}), {1, 9, 72}};
};

[[nodiscard]] box<3> only(const point<3>& cell) {
  return {cell, cell + extents<3>(1)};
}

/// How many of the tasks in flight a task that names `box` in this way would follow.
int followed(scheduler& s, const strided_bytes& box, access_mode mode) {
  detail::task_node& node = s.allocate("probe", detail::node_kind::compute);
  node.act = [](detail::task_node&, detail::node_action) {};
  s.add_box(node, box, mode);
  const int edges = node.edges_made;
  s.submit(node);
  s.wait();
  return edges;
}

TEST(stars, conflict_with_who_writes_one_of_their_cells_and_with_nobody_else) {
  scheduler s{{.workers = 1}};
  cube c;
  const box<3> cells({2, 1, 2}, {4, 4, 3});
  for (const std::int64_t width : {0, 1, 2}) {
    for_each_cell(c.u.cells(), [&](const point<3>& cell) {
      int outside = 0;
      bool near = true;
      for (const axis a : axes<3>) {
        outside += cell[a] < cells.low[a] || cell[a] >= cells.high[a] ? 1 : 0;
        near &= cell[a] >= cells.low[a] - width && cell[a] < cells.high[a] + width;
      }
      const bool in_star = near && outside <= 1;
      const strided_bytes one = c.u[only(cell)].strided_memory();
      const auto reads = [](view<const int, 3>) {};
      const auto writes = [](view<int, 3>) {};
      s.task("star", reads, in(c.u[star(cells, width)]));
      EXPECT_EQ(followed(s, one, access_mode::out), in_star ? 1 : 0)
          << "width " << width << ", a writer of " << to_string(cell);
      s.task("star", reads, in(c.u[star(cells, width)]));
      EXPECT_EQ(followed(s, one, access_mode::in), 0);
      s.task("star", writes, inout(c.u[star(cells, width)]));
      EXPECT_EQ(followed(s, one, access_mode::in), in_star ? 1 : 0)
          << "width " << width << ", a reader of " << to_string(cell);
      s.task("star", writes, commutative(c.u[star(cells, width)]));
      EXPECT_EQ(followed(s, one, access_mode::out), in_star ? 1 : 0);
    });
  }
}

TEST(stars, arrive_as_a_view_of_the_box_around_them) {
  scheduler s{{.workers = 1}};
  cube c;
  const box<3> cells({2, 1, 2}, {4, 4, 3});
  box<3> seen;
  s.task(
      "types",
      [&seen](auto&& x, auto&& y, auto&& z) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(x)>, view<const int, 3>>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(y)>, view<int, 3>>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(z)>, view<const int, 3>>);
        seen = x.cells();
        y(0, 0, -1) = x(1, 1, 2) + 1;
      },
      in(c.u[star(cells)]), out(c.u[star(only({0, 0, 0}))]),
      in(view<const int, 3>(c.u)[star(cells)]));
  s.wait();
  EXPECT_EQ(seen, grow(cells));
  EXPECT_EQ(c.u(0, 0, -1), 1);
}

TEST(stars, may_be_waited_for_and_declared_only) {
  scheduler s{{.workers = 2}};
  cube c;
  const box<3> cells({2, 1, 2}, {4, 4, 3});
  for (const box<3>& part : star(cells)) {
    s.task(
        "fill",
        [](view<int, 3> some) {
          for_each_cell(some.cells(), [&](const point<3>& cell) { some[cell] = 3; });
        },
        inout(c.u[part]));
  }
  int sum = 0;
  s.task(
       "sum", [&c, cells](int& to) { to = c.u(1, 1, 2) + c.u(2, 0, 2) + c.u(2, 1, 1); }, out(sum))
      .also(in(c.u[star(cells)]));
  s.wait_on(c.u[star(cells)], sum);
  EXPECT_EQ(sum, 9);
  EXPECT_EQ(c.u(3, 3, 3), 3);
  s.wait();
}

TEST(stars, keep_their_order_in_replays) {
  scheduler s{{.workers = 3}};
  cube c;
  const auto parts = {box<3>({0, 0, 0}, {4, 6, 5}), box<3>({4, 0, 0}, {7, 6, 5})};
  std::vector<int> other = c.data;
  const view<int, 3> v(other.data(), c.u.cells(), {1, 9, 72});
  const auto add_up = [](view<const int, 3> from, view<int, 3> to) {
    for_each_cell(to.cells(), [&](const point<3>& p) {
      int sum = 1;
      for (const axis a : axes<3>) {
        extents<3> step;
        step[a] = 1;
        sum += from[p - step] + 2 * from[p + step];
      }
      to[p] = sum % 1009;
    });
  };
  const auto sweep = [&](const view<int, 3>& from, const view<int, 3>& to, auto run) {
    for (const box<3>& part : parts) run(from[star(part)], to[part]);
  };
  const auto both = [&](auto run) {
    sweep(c.u, v, run);
    sweep(v, c.u, run);
  };
  graph twice = s.record([&] {
    both([&](const auto& from, const auto& to) { s.task("add up", add_up, in(from), out(to)); });
  });
  s.replay(twice, 20);
  s.wait();
  const std::vector<int> replayed = c.data;
  std::ranges::fill(c.data, 0);
  std::ranges::fill(other, 0);
  for (int i = 0; i < 20; ++i) {
    both([&](const auto& from, const auto& to) { add_up(from.as_const().passed(), to); });
  }
  EXPECT_EQ(replayed, c.data);
}

}  // namespace
}  // namespace plait::test
