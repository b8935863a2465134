// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel.hpp"
#include "problem.hpp"

namespace {

using jacobi3d::array;
using jacobi3d::axis;
using jacobi3d::box;
using jacobi3d::domain;
using jacobi3d::problem;
using jacobi3d::setting;
using jacobi3d::stores;
using extents = plait::extents<3>;
using point = plait::point<3>;

plait::decomposition<3> blocks_of(const extents& n, const std::array<int, 3>& grid) {
  return plait::decompose<3>({.global = n, .grid = grid, .ghosts = 1}, grid[0] * grid[1] * grid[2]);
}

domain whole_of(const extents& n, const std::array<int, 3>& grid) {
  return {n.along, plait::stencil::boundary::dirichlet, grid[0] * grid[1] * grid[2], grid};
}

array filled(const extents& n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  array f(blocks_of(n, {1, 1, 1}), 0);
  plait::for_each_cell(plait::grow(box(n)),
                       [&](const point& cell) { f.block(0)[cell] = value(random); });
  return f;
}

double relaxed(const jacobi3d::const_cells& u, const jacobi3d::const_cells& b, const point& cell) {
  const auto [x, y, z] = cell.along;
  return (u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) + u(x, y + 1, z) + u(x, y, z - 1) +
          u(x, y, z + 1) + b(x, y, z)) *
         (1.0 / 6.0);
}

void expect_equal_bits(const jacobi3d::const_cells& a, const jacobi3d::const_cells& b,
                       const box& cells) {
  plait::for_each_cell(cells, [&](const point& cell) {
    ASSERT_EQ(std::memcmp(a.at(cell), b.at(cell), sizeof(double)), 0)
        << "cell (" << cell[axis::x] << ", " << cell[axis::y] << ", " << cell[axis::z] << ")";
  });
}

class kernel : public ::testing::TestWithParam<extents> {};

TEST_P(kernel, the_text_for_devices_gives_the_bits_of_the_hosts_sweep) {
  const extents n = GetParam();
  const array u = filled(n, 1);
  const array b = filled(n, 2);
  array swept(u.blocks(), 0);
  jacobi3d::relax(u.block(0), b.block(0), swept[box(n)], stores::streamed);
  array one_by_one(u.blocks(), 0);
  jacobi3d::relax_one_by_one(u.block(0), b.block(0), one_by_one[box(n)]);
  expect_equal_bits(std::as_const(swept).block(0), std::as_const(one_by_one).block(0), box(n));
}

TEST_P(kernel, a_cell_has_the_same_bits_however_the_block_is_cut_and_written) {
  const extents n = GetParam();
  const array u = filled(n, 1);
  const array b = filled(n, 2);
  array streamed(u.blocks(), 0);
  jacobi3d::relax(u.block(0), b.block(0), streamed[box(n)], stores::streamed);
  array in_pieces(u.blocks(), 0);
  std::int64_t covered = 0;
  const std::int64_t x_cut = n[axis::x] / 3;
  for (const auto& [x0, x1] : {std::pair{std::int64_t{0}, x_cut}, std::pair{x_cut, n[axis::x]}})
    for (const box& piece : plait::cut_in_tiles(box({x0, 0, 0}, {x1, n[axis::y], n[axis::z]}),
                                                {.rows = 7, .cells = 1000})) {
      jacobi3d::relax(u[plait::grow(piece)], b[piece], in_pieces[piece], stores::cached);
      covered += piece.size();
    }
  EXPECT_EQ(covered, n[axis::x] * n[axis::y] * n[axis::z]);
  std::int64_t wrong = 0;
  plait::for_each_cell(box(n), [&](const point& cell) {
    const double expected = relaxed(u.block(0), b.block(0), cell);
    for (array* some : {&streamed, &in_pieces})
      if (std::memcmp(some->block(0).at(cell), &expected, sizeof expected) != 0) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  plait::for_each_cell(
      box({-1, -1, -1}, {0, n[axis::y] + 1, n[axis::z] + 1}),
      [&](const point& cell) { EXPECT_EQ(streamed.block(0)[cell], 0) << "a ghost"; });
}

INSTANTIATE_TEST_SUITE_P(sizes, kernel,
                         ::testing::Values(extents{1, 1, 1}, extents{7, 5, 3}, extents{33, 20, 9},
                                           extents{131, 250, 20}));

void steps_of(problem& p, int steps) {
  for (int step = 0; step < steps; ++step) {
    p.relax(p.cells());
    std::swap(p.u, p.v);
  }
}

TEST(problem, the_iteration_follows_its_closed_form_within_the_rounding_bound) {
  for (const extents n :
       {extents{1, 1, 1}, extents{1, 9, 1}, extents{10, 3, 7}, extents{40, 30, 20}})
    for (const int steps : {1, 2, 10, 500}) {
      problem p(whole_of(n, {1, 1, 1}), 0);
      p.reset(setting::distributed);
      steps_of(p, steps);
      const jacobi3d::verdict found = p.check_closed_form(setting::distributed, steps);
      EXPECT_TRUE(found.verified) << steps << " steps: " << found.complaint;
      EXPECT_LE(found.max_error, p.error_bound(setting::distributed, steps));
    }
}

TEST(problem, an_isolated_block_is_a_problem_of_its_own) {
  const domain whole = whole_of({10, 9, 8}, {2, 1, 2});
  for (int rank = 0; rank < 4; ++rank) {
    problem p(whole, rank);
    p.reset(setting::isolated);
    steps_of(p, 30);
    EXPECT_TRUE(p.check_closed_form(setting::isolated, 30).verified);
    EXPECT_FALSE(p.check_closed_form(setting::distributed, 30).verified);
  }
}

TEST(problem, many_steps_solve_the_equation) {
  const extents n{6, 5, 4};
  problem p(whole_of(n, {1, 1, 1}), 0);
  p.reset(setting::distributed);
  steps_of(p, 2000);
  plait::for_each_cell(box(n), [&](const point& cell) {
    double expected = 1;
    for (const axis a : plait::axes<3>)
      expected *= std::sin(std::numbers::pi * static_cast<double>(cell[a] + 1) /
                           static_cast<double>(n[a] + 1));
    EXPECT_NEAR(p.u.block(0)[cell], expected, 1e-12);
  });
}

TEST(problem, a_wrong_cell_is_named) {
  problem p(whole_of({8, 6, 5}, {1, 1, 1}), 0);
  p.reset(setting::distributed);
  steps_of(p, 3);
  p.keep_as_reference();
  EXPECT_TRUE(p.check_against_reference().verified);
  double& cell = p.u.block(0)(2, 3, 4);
  const double right = cell;
  cell = std::nextafter(cell, 1.0);
  const jacobi3d::verdict one_bit = p.check_against_reference();
  EXPECT_FALSE(one_bit.verified);
  EXPECT_NE(one_bit.complaint.find("rank 0, cell (2, 3, 4): expected "), std::string::npos);
  cell = right * 1.0001;
  const jacobi3d::verdict off = p.check_closed_form(setting::distributed, 3);
  EXPECT_FALSE(off.verified);
  EXPECT_NE(off.complaint.find("rank 0, cell (2, 3, 4): expected "), std::string::npos);
  cell = std::nan("");
  const jacobi3d::verdict poisoned = p.check_closed_form(setting::distributed, 3);
  EXPECT_FALSE(poisoned.verified);
  EXPECT_TRUE(std::isinf(poisoned.max_error));
}

TEST(problem, a_missed_exchange_is_found) {
  // Two blocks, the second step computed with the ghosts of the first.
  problem p(whole_of({6, 6, 8}, {1, 1, 2}), 0);
  p.reset(setting::distributed);
  steps_of(p, 2);
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 2).verified);
}

}  // namespace
