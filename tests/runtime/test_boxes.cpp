// SPDX-License-Identifier: BSD-3-Clause
// Boxes of distributed arrays as accesses of tasks.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using grid = block_array<std::uint32_t, 2>;
using cells = view<std::uint32_t, 2>;
using const_cells = view<const std::uint32_t, 2>;

void add_up(const_cells from, cells to) {
  for_each_cell(to.cells(), [&](const point<2>& p) {
    to[p] = from(p[axis::x] - 1, p[axis::y]) + from(p[axis::x] + 1, p[axis::y]) +
            3 * from(p[axis::x], p[axis::y] - 1) + 5 * from(p[axis::x], p[axis::y] + 1) + 1;
  });
}

/// Blocks of 16 x 12 cells, of which some are other ranks', with a rim of ghosts.
class sweep {
 public:
  explicit sweep(runtime& rt)
      : rt_(rt),
        blocks_(decompose<2>(
            {.global = global, .ghosts = 1, .periodic = {true, true}, .blocks_per_rank = {2, 2}},
            rt.env().size())),
        u_(blocks_, rt.env().rank()),
        v_(blocks_, rt.env().rank()) {
    for (const int id : u_.local_blocks()) {
      const cells all = u_.block(id);
      for_each_cell(blocks_.block(id), [&](const point<2>& p) { all[p] = first(p); });
    }
  }

  void step() { step(u_, v_); }
  void step_back() { step(v_, u_); }

  void expect_after(int steps) {
    std::vector<std::uint32_t> old(static_cast<std::size_t>(box<2>(global).size()));
    const auto at = [&](std::vector<std::uint32_t> & of, std::int64_t x, std::int64_t y) -> auto& {
      const std::int64_t nx = global.along[0];
      const std::int64_t ny = global.along[1];
      return of[static_cast<std::size_t>((x + nx) % nx + (y + ny) % ny * nx)];
    };
    for_each_cell(box<2>(global),
                  [&](const point<2>& p) { at(old, p[axis::x], p[axis::y]) = first(p); });
    for (int i = 0; i < steps; ++i) {
      auto next = old;
      for_each_cell(box<2>(global), [&](const point<2>& p) {
        const auto x = p[axis::x];
        const auto y = p[axis::y];
        at(next, x, y) = at(old, x - 1, y) + at(old, x + 1, y) + 3 * at(old, x, y - 1) +
                         5 * at(old, x, y + 1) + 1;
      });
      old = next;
    }
    for (const int id : u_.local_blocks()) {
      const cells all = u_.block(id);
      for_each_cell(blocks_.block(id), [&](const point<2>& p) {
        EXPECT_EQ(all[p], at(old, p[axis::x], p[axis::y]))
            << "rank " << rt_.env().rank() << ", cell " << to_string(p);
      });
    }
  }

 private:
  static constexpr extents<2> global{16, 12};

  [[nodiscard]] static std::uint32_t first(const point<2>& p) {
    return static_cast<std::uint32_t>(p[axis::x] * 7919 + p[axis::y] * 104729);
  }

  void step(grid& from, grid& to) {
    fill_ghosts(from);
    for (const int id : from.local_blocks()) {
      for (const auto& part : quarters(blocks_.block(id))) {
        rt_.task("add up", add_up, in(from.block(id)[star(part)]), out(to.block(id)[part]));
      }
    }
  }

  /// By hand, as a mover would.
  void fill_ghosts(grid& of) {
    const int self = rt_.env().rank();
    const int tag = 0;
    for (const auto& copy : ghost_copies(blocks_, ghost_reach::faces, self)) {
      const int from = blocks_.rank_of(copy.source);
      const int to = blocks_.rank_of(copy.destination);
      // The same place in the same list of both ranks.
      if (to == self) {
        rt_.recv("ghosts", out(of.block(copy.destination)[copy.to()]), from, tag);
      }
      if (from == self) rt_.send("edge", in(of.block(copy.source)[copy.from]), to, tag);
    }
  }

  [[nodiscard]] static std::vector<box<2>> quarters(const box<2>& of) {
    std::vector<box<2>> parts;
    for (const auto& half : cut(of, axis::x, {1, 1})) {
      for (const auto& quarter : cut(half, axis::y, {1, 2})) parts.push_back(quarter);
    }
    return parts;
  }

  runtime& rt_;
  decomposition<2> blocks_;
  grid u_;
  grid v_;
};

TEST(boxes_of_arrays, a_sweep_over_parts_of_blocks_has_the_values_of_its_serial_execution) {
  runtime rt{test_environment(), {.tasks = {.workers = 3}}};
  sweep s(rt);
  for (int i = 0; i < 4; ++i) {
    s.step();
    s.step_back();
  }
  rt.wait();
  s.expect_after(8);
}

TEST(boxes_of_arrays, a_replayed_sweep_has_them_too) {
  runtime rt{test_environment(), {.tasks = {.workers = 3}}};
  sweep s(rt);
  graph two_steps = rt.record([&] {
    s.step();
    s.step_back();
  });
  rt.replay(two_steps, 4);
  rt.wait();
  s.expect_after(8);
}

}  // namespace
}  // namespace plait::test
