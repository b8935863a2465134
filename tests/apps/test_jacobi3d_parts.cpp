// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "faces.hpp"
#include "kernel.hpp"
#include "problem.hpp"

namespace {

using jacobi3d::axis;
using jacobi3d::box;
using jacobi3d::extents;
using jacobi3d::field;
using jacobi3d::problem;
using jacobi3d::setting;

template <class Visitor>
void each_cell(const box& b, Visitor&& visit) {
  for_each_cell(b, [&](const auto& p) { visit(p[axis::x], p[axis::y], p[axis::z]); });
}

void fill(field& f, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  const extents n = f.size();
  each_cell(grow(jacobi3d::whole(n)),
            [&](auto x, auto y, auto z) { *f.at(x, y, z) = value(random); });
}

plait::decomposition<3> blocks_of(const extents& n, const std::array<int, 3>& grid) {
  return plait::decompose<3>({.global = n, .grid = grid}, grid[0] * grid[1] * grid[2]);
}

TEST(field, rows_start_on_a_cache_line_and_no_two_cells_share_memory) {
  for (const extents n : {extents{1, 1, 1}, extents{5, 3, 2}, extents{6, 2, 2}, extents{510, 4, 3},
                          extents{512, 3, 1}}) {
    field f(n);
    double next = 1;
    const box all = grow(jacobi3d::whole(n));
    each_cell(all, [&](auto x, auto y, auto z) { *f.at(x, y, z) = next++; });
    next = 1;
    each_cell(all, [&](auto x, auto y, auto z) { ASSERT_EQ(*f.at(x, y, z), next++); });
    for (std::int64_t z = 0; z < n[axis::z]; ++z)
      for (std::int64_t y = 0; y < n[axis::y]; ++y)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(f.at(0, y, z)) % 64, 0U);
    for (std::int64_t z = -1; z <= n[axis::z]; ++z) {
      const auto plane = f.planes(z, z + 1);
      EXPECT_LE(plane.data(), f.at(-1, -1, z));
      EXPECT_GT(plane.data() + plane.size(), f.at(n[axis::x], n[axis::y], z));
    }
  }
}

double relaxed(const field& u, const field& b, std::int64_t x, std::int64_t y, std::int64_t z) {
  return (*u.at(x - 1, y, z) + *u.at(x + 1, y, z) + *u.at(x, y - 1, z) + *u.at(x, y + 1, z) +
          *u.at(x, y, z - 1) + *u.at(x, y, z + 1) + *b.at(x, y, z)) *
         (1.0 / 6.0);
}

// Sizes below and above the one from which stores bypass the cache.
class kernel : public ::testing::TestWithParam<extents> {};

TEST_P(kernel, a_cell_has_the_same_bits_however_the_block_is_cut) {
  const extents n = GetParam();
  field u(n);
  field b(n);
  fill(u, 1);
  fill(b, 2);
  field at_once(n);
  jacobi3d::relax(u, b, at_once, jacobi3d::whole(n));
  field in_pieces(n);
  std::int64_t covered = 0;
  const std::int64_t x_cut = n[axis::x] / 3;
  for (const auto& [x0, x1] : {std::pair{std::int64_t{0}, x_cut}, std::pair{x_cut, n[axis::x]}})
    jacobi3d::for_each_piece(u, box({x0, 0, 0}, {x1, n[axis::y], n[axis::z]}), 1000,
                             [&](const box& piece) {
                               jacobi3d::relax(u, b, in_pieces, piece);
                               covered += piece.size();
                             });
  EXPECT_EQ(covered, n[axis::x] * n[axis::y] * n[axis::z]);
  std::int64_t wrong = 0;
  each_cell(jacobi3d::whole(n), [&](auto x, auto y, auto z) {
    const double expected = relaxed(u, b, x, y, z);
    const auto differs = [&](const field& f) {
      return std::memcmp(f.at(x, y, z), &expected, sizeof expected) != 0;
    };
    if (differs(at_once) || differs(in_pieces)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  each_cell(box({-1, -1, -1}, {0, n[axis::y] + 1, n[axis::z] + 1}),
            [&](auto x, auto y, auto z) { EXPECT_EQ(*at_once.at(x, y, z), 0) << "a ghost"; });
}

INSTANTIATE_TEST_SUITE_P(sizes, kernel,
                         ::testing::Values(extents{1, 1, 1}, extents{7, 5, 3}, extents{33, 20, 9},
                                           extents{131, 250, 20}));

TEST(faces, interior_and_rim_cover_a_block_once) {
  for (const std::array<int, 3> dims :
       {std::array{1, 1, 1}, std::array{3, 3, 3}, std::array{1, 1, 5}, std::array{2, 4, 1}}) {
    const auto blocks = blocks_of({5, 7, 6}, dims);
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      const auto block = blocks.block(rank);
      const extents n = block.extent();
      const auto faces = jacobi3d::faces_of(blocks, rank);
      const auto parts = jacobi3d::cut(n, faces);
      std::vector<int> seen(static_cast<std::size_t>(n[axis::x] * n[axis::y] * n[axis::z]), 0);
      const auto count = [&](auto x, auto y, auto z) {
        ++seen[static_cast<std::size_t>(x + n[axis::x] * (y + n[axis::y] * z))];
      };
      each_cell(parts.interior, count);
      for (const box& slice : parts.rim) each_cell(slice, count);
      for (const int times : seen) ASSERT_EQ(times, 1) << "rank " << rank;
      // What waits for no ghost must not touch one.
      for (const jacobi3d::face& f : faces)
        each_cell(parts.interior, [&](auto x, auto y, auto z) {
          for (const auto& [dx, dy, dz] :
               {std::array{-1, 0, 0}, std::array{1, 0, 0}, std::array{0, -1, 0},
                std::array{0, 1, 0}, std::array{0, 0, -1}, std::array{0, 0, 1}}) {
            const bool in_ghost =
                x + dx >= f.ghost.low[axis::x] && x + dx < f.ghost.high[axis::x] &&
                y + dy >= f.ghost.low[axis::y] && y + dy < f.ghost.high[axis::y] &&
                z + dz >= f.ghost.low[axis::z] && z + dz < f.ghost.high[axis::z];
            ASSERT_FALSE(in_ghost) << "rank " << rank;
          }
        });
    }
  }
}

TEST(faces, what_one_side_sends_is_what_the_other_expects) {
  const auto blocks = blocks_of({7, 8, 9}, {2, 3, 2});
  for (int rank = 0; rank < blocks.ranks(); ++rank)
    for (const jacobi3d::face& f : jacobi3d::faces_of(blocks, rank)) {
      int matches = 0;
      for (const jacobi3d::face& g : jacobi3d::faces_of(blocks, f.peer))
        if (g.peer == rank && g.receive_tag() == f.send_tag()) {
          ++matches;
          EXPECT_EQ(g.ghost.size(), f.edge.size());
        }
      EXPECT_EQ(matches, 1);
    }
}

TEST(faces, unpacking_restores_what_was_packed) {
  const extents n{5, 6, 7};
  field source(n);
  field target(n);
  fill(source, 3);
  const box some({1, -1, 2}, {4, 3, 8});
  std::vector<double> buffer(static_cast<std::size_t>(some.size()));
  jacobi3d::pack(source, some, buffer);
  jacobi3d::unpack(target, some, buffer);
  each_cell(some,
            [&](auto x, auto y, auto z) { EXPECT_EQ(*target.at(x, y, z), *source.at(x, y, z)); });
}

void steps_of(problem& p, int steps) {
  for (int step = 0; step < steps; ++step) {
    jacobi3d::relax(p.u, p.b, p.v, jacobi3d::whole(p.size()));
    std::swap(p.u, p.v);
  }
}

TEST(problem, the_iteration_follows_its_closed_form_within_the_rounding_bound) {
  for (const extents n :
       {extents{1, 1, 1}, extents{1, 9, 1}, extents{10, 3, 7}, extents{40, 30, 20}})
    for (const int steps : {1, 2, 10, 500}) {
      problem p(blocks_of(n, {1, 1, 1}), 0);
      p.reset(setting::distributed);
      steps_of(p, steps);
      const jacobi3d::verdict found = p.check_closed_form(setting::distributed, steps);
      EXPECT_TRUE(found.verified) << steps << " steps: " << found.complaint;
      EXPECT_LE(found.max_error, problem::error_bound(setting::distributed, steps));
    }
}

TEST(problem, an_isolated_block_is_a_problem_of_its_own) {
  const auto blocks = blocks_of({10, 9, 8}, {2, 1, 2});
  for (int rank = 0; rank < 4; ++rank) {
    problem p(blocks, rank);
    p.reset(setting::isolated);
    steps_of(p, 30);
    EXPECT_TRUE(p.check_closed_form(setting::isolated, 30).verified);
    EXPECT_FALSE(p.check_closed_form(setting::distributed, 30).verified);
  }
}

TEST(problem, many_steps_solve_the_equation) {
  const extents n{6, 5, 4};
  problem p(blocks_of(n, {1, 1, 1}), 0);
  p.reset(setting::distributed);
  steps_of(p, 2000);
  each_cell(jacobi3d::whole(n), [&](auto x, auto y, auto z) {
    const auto sine = [](auto i, auto cells) {
      return std::sin(std::numbers::pi * static_cast<double>(i + 1) /
                      static_cast<double>(cells + 1));
    };
    EXPECT_NEAR(*p.u.at(x, y, z), sine(x, n[axis::x]) * sine(y, n[axis::y]) * sine(z, n[axis::z]),
                1e-12);
  });
}

TEST(problem, a_wrong_cell_is_named) {
  const auto blocks = blocks_of({8, 6, 5}, {1, 1, 1});
  problem p(blocks, 0);
  p.reset(setting::distributed);
  steps_of(p, 3);
  p.keep_as_reference();
  EXPECT_TRUE(p.check_against_reference().verified);
  double& cell = *p.u.at(2, 3, 4);
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
  const auto blocks = blocks_of({6, 6, 8}, {1, 1, 2});
  problem p(blocks, 0);
  p.reset(setting::distributed);
  steps_of(p, 2);
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 2).verified);
}

}  // namespace
