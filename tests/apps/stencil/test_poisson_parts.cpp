// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "poisson/coefficients.hpp"
#include "poisson/domain.hpp"
#include "poisson/kernel.hpp"
#include "poisson/problem.hpp"
#include "support/refusal.hpp"

namespace {

using namespace poisson;
using plait::axis;
using plait::point;
using plait::measure::setting;

/// A value of a cell that no other cell has, and that sums in any order give exactly.
double number_of(const point<3>& cell) {
  return static_cast<double>(1 + cell[axis::x] + 3 * cell[axis::y] * cell[axis::y] +
                             7 * cell[axis::z] * cell[axis::x]);
}

void fill(const values& v) {
  for_each_cell(v.cells(), [&](const point<3>& cell) { v[cell] = number_of(cell); });
}

struct grid_case {
  std::array<std::int64_t, 3> cells;
  std::array<int, 3> grid;
  boundary edge;
};
const std::vector<grid_case> grid_cases{
    {{17, 9, 13}, {1, 1, 1}, boundary::dirichlet},  {{17, 9, 13}, {1, 1, 1}, boundary::periodic},
    {{19, 23, 17}, {2, 2, 2}, boundary::dirichlet}, {{12, 5, 3}, {5, 1, 1}, boundary::periodic},
    {{6, 1, 9}, {6, 1, 3}, boundary::dirichlet},    {{2, 2, 2}, {2, 2, 2}, boundary::periodic},
    {{300, 40, 7}, {3, 1, 1}, boundary::dirichlet}};

int ranks_of(const grid_case& c) {
  return c.grid[0] * c.grid[1] * c.grid[2];
}

TEST(strips, have_each_cell_of_the_block_once) {
  for (const grid_case& c : grid_cases)
    for (int rank = 0; rank < ranks_of(c); ++rank)
      for (const std::int64_t cells_per_strip : {1, 50, 100000}) {
        const domain whole(c.cells, c.edge, ranks_of(c), c.grid);
        plait::region<3> seen;
        std::int64_t cells = 0;
        for (const strip& s : strips_of(whole, rank, cells_per_strip)) {
          std::int64_t in_parts = 0;
          for (const box& part : s.parts) {
            EXPECT_TRUE(s.rows.contains(part));
            in_parts += part.size();
            seen = unite(seen, plait::region<3>(part));
          }
          EXPECT_EQ(in_parts, s.rows.size());
          EXPECT_EQ(s.rows.extent(axis::x), whole.block(rank).extent(axis::x));
          cells += s.rows.size();
        }
        EXPECT_EQ(cells, whole.block(rank).size());
        EXPECT_EQ(seen, plait::region<3>(whole.block(rank)));
      }
}

TEST(strips, need_no_ghosts_in_their_first_part_unless_they_are_rim) {
  for (const grid_case& c : grid_cases)
    for (int rank = 0; rank < ranks_of(c); ++rank) {
      const domain whole(c.cells, c.edge, ranks_of(c), c.grid);
      const auto arrive = ghost_copies(whole.blocks(), plait::ghost_reach::faces, rank);
      for (const strip& s : strips_of(whole, rank, 50)) {
        for (const auto& copy : arrive) {
          const bool is_read = copy.destination == whole.block_of(rank) &&
                               overlap(grow(s.parts[0], {1, 1, 1}), copy.to());
          // Only corners, which no product reads, may be shared.
          if (!s.rim && is_read)
            for (const axis a : plait::axes<3>) {
              plait::extents<3> beside;
              beside[a] = 1;
              EXPECT_FALSE(overlap(grow(s.parts[0], beside), copy.to())) << to_string(s.rows);
            }
        }
      }
    }
}

TEST(strips, say_what_neighbours_need) {
  for (const grid_case& c : grid_cases)
    for (int rank = 0; rank < ranks_of(c); ++rank) {
      const domain whole(c.cells, c.edge, ranks_of(c), c.grid);
      for (const strip& s : strips_of(whole, rank, 50)) {
        bool needed = false;
        for (const auto& copy : ghost_copies(whole.blocks(), plait::ghost_reach::faces, rank))
          needed = needed || (copy.source == whole.block_of(rank) && overlap(s.rows, copy.from));
        EXPECT_EQ(s.is_sent(), needed) << to_string(s.rows);
      }
    }
}

TEST(product, is_six_times_a_cell_less_its_neighbours) {
  problem p(domain({19, 6, 5}, boundary::dirichlet, 1), 0);
  fill(p.block(p.p)[p.cells()]);
  const const_values from = p.block(p.p);
  multiply(from, p.block(p.w)[p.cells()]);
  for_each_cell(p.cells(), [&](const point<3>& cell) {
    double expected = 6 * number_of(cell);
    for (const axis a : plait::axes<3>)
      for (const int step : {-1, 1}) {
        point<3> beside = cell;
        beside[a] += step;
        if (p.cells().contains(beside)) expected -= number_of(beside);
      }
    EXPECT_EQ(p.block(p.w)[cell], expected) << to_string(cell);
  });
}

TEST(product, has_the_same_bits_part_by_part_and_by_strip) {
  for (const grid_case& c : grid_cases)
    for (int rank = 0; rank < ranks_of(c); ++rank) {
      problem p(domain(c.cells, c.edge, ranks_of(c), c.grid), rank);
      const values from = p.block(p.p);
      for_each_cell(from.cells(),
                    [&](const point<3>& cell) { from[cell] = std::sin(number_of(cell)); });
      const coefficients running;
      for (const strip& s : strips_of(p.whole(), rank, 50)) {
        std::array<double, 3> together{};
        std::array<double, 3> apart{};
        product_of_strip(from, p.block(p.w), s, together, running);
        for (std::size_t i = 0; i < apart.size(); ++i)
          if (!s.parts[i].empty()) product(from, p.block(p.r)[s.parts[i]], apart[i], running);
        EXPECT_EQ(together, apart);
        for_each_cell(s.rows, [&](const point<3>& cell) {
          EXPECT_EQ(p.block(p.w)[cell], p.block(p.r)[cell]);
        });
      }
    }
}

TEST(kernels, do_what_their_formulas_say) {
  problem p(domain({11, 3, 2}, boundary::dirichlet, 1), 0);
  for (array* one : {&p.x, &p.r, &p.p, &p.w}) fill(p.block(*one)[p.cells()]);
  const values x = p.block(p.x)[p.cells()], r = p.block(p.r)[p.cells()],
               d = p.block(p.p)[p.cells()], w = p.block(p.w)[p.cells()];
  coefficients c;
  c.alpha = 2;
  c.beta = 3;
  double rr = 0;
  turn(r, x, d, c);
  shorten(w, r, rr, c);
  double expected = 0;
  for_each_cell(p.cells(), [&](const point<3>& cell) {
    const double v = number_of(cell);
    EXPECT_EQ(x[cell], 3 * v);
    EXPECT_EQ(d[cell], 4 * v);
    EXPECT_EQ(r[cell], -v);
    expected += v * v;
  });
  EXPECT_EQ(rr, expected);
  EXPECT_EQ(dot(r, d), -4 * expected);

  c.done = true;
  rr = -1;
  shorten(w, r, rr, c);
  turn(r, x, d, c);
  EXPECT_EQ(rr, -1);
  EXPECT_EQ(dot(r, d), -4 * expected);
}

TEST(kernels, advance_all_recurrences_of_pipelined_cg) {
  problem p(domain({11, 3, 2}, boundary::dirichlet, 1), 0);
  problem more(domain({11, 3, 2}, boundary::dirichlet, 1), 0);
  for (problem* of : {&p, &more})
    for (array* one : {&of->x, &of->r, &of->p, &of->w}) fill(of->block(*one)[p.cells()]);
  const box& all = p.cells();
  const values x = p.block(p.x)[all], r = p.block(p.r)[all], d = p.block(p.p)[all],
               w = p.block(p.w)[all], s = more.block(more.x)[all], z = more.block(more.r)[all],
               q = more.block(more.p)[all];
  coefficients c;
  c.alpha = 2;
  c.beta = 3;
  std::array<double, 2> dots{};
  advance(q, x, r, d, s, w, z, dots, c);
  double vv = 0;
  for_each_cell(all, [&](const point<3>& cell) {
    const double v = number_of(cell);
    for (const values& now : {z, s, d}) EXPECT_EQ(now[cell], 4 * v);
    EXPECT_EQ(x[cell], 9 * v);
    EXPECT_EQ(r[cell], -7 * v);
    EXPECT_EQ(w[cell], -7 * v);
    vv += v * v;
  });
  EXPECT_EQ(dots[0], 49 * vv);
  EXPECT_EQ(dots[1], 49 * vv);
}

TEST(right_hand_side, is_that_of_the_exact_solution) {
  for (const boundary edge : {boundary::dirichlet, boundary::periodic})
    for (const setting how : {setting::distributed, setting::isolated}) {
      const domain whole({5, 1, 7}, edge, 2, {1, 1, 2});
      double sum = 0;
      for (int rank = 0; rank < 2; ++rank) {
        const problem p(whole, rank);
        const box& inside = how == setting::isolated ? p.cells() : whole.blocks().global();
        for_each_cell(p.cells(), [&](const point<3>& cell) {
          double expected = 0;
          for (const axis a : plait::axes<3>)
            for (const int step : {-1, 1}) {
              point<3> beside = cell;
              beside[a] += step;
              const bool counts = inside.contains(beside) ||
                                  (edge == boundary::periodic && how == setting::distributed);
              expected += p.exact(how, cell) - (counts ? p.exact(how, beside) : 0);
            }
          EXPECT_EQ(p.right_hand_side(how, cell), expected);
          sum += expected;
        });
      }
      if (edge == boundary::periodic && how == setting::distributed) {
        EXPECT_EQ(sum, 0) << "not compatible";
      }
    }
}

TEST(exact_solution, goes_around_where_periodic) {
  const problem p(domain({5, 6, 7}, boundary::periodic, 1), 0);
  const double here = p.exact(setting::distributed, point<3>(0, 2, 6));
  EXPECT_EQ(p.exact(setting::distributed, point<3>(5, 2, -1)), here);
}

TEST(smallest_eigenvalue, is_that_of_the_slowest_mode) {
  const problem one(domain({1, 1, 1}, boundary::dirichlet, 1), 0);
  EXPECT_NEAR(one.smallest_eigenvalue(setting::distributed), 6, 1e-14);
  const problem around(domain({4, 1, 2}, boundary::periodic, 1), 0);
  EXPECT_NEAR(around.smallest_eigenvalue(setting::distributed), 2, 1e-14);  // 2 - 2 cos(π / 2)
}

TEST(serial_solution, is_the_exact_one) {
  for (const boundary edge : {boundary::dirichlet, boundary::periodic}) {
    const problem p(domain({8, 5, 6}, edge, 1), 0);
    const serial_solution found = solve_serially(p, {1e-10, 1000});
    EXPECT_GT(found.iterations, 5);
    EXPECT_LT(found.iterations, 100);
    double shift = 0;
    std::size_t i = 0;
    for_each_cell(p.cells(), [&](const point<3>& cell) {
      shift += found.x[i++] - p.exact(setting::distributed, cell);
    });
    shift = edge == boundary::periodic ? shift / static_cast<double>(found.x.size()) : 0;
    i = 0;
    for_each_cell(p.cells(), [&](const point<3>& cell) {
      EXPECT_NEAR(found.x[i++] - shift, p.exact(setting::distributed, cell), 1e-7);
    });
  }
}

TEST(coefficients_of_a_run, are_those_of_conjugate_gradients) {
  coefficients c(8, {1e-3, 5});
  c.step_length(4);
  EXPECT_EQ(c.alpha, 2);
  c.next_direction(2);
  EXPECT_EQ(c.beta, 0.25);
  EXPECT_EQ(c.iterations, 1);
  EXPECT_FALSE(c.done);
  c.next_direction(7.9e-6);  // 1e-6 of the first
  EXPECT_TRUE(c.done);
  EXPECT_TRUE(c.converged());
  c.next_direction(1);
  EXPECT_EQ(c.iterations, 2) << "nothing counts after the end";
}

TEST(coefficients_of_a_run, end_with_the_iterations_and_with_what_is_no_number) {
  coefficients few(8, {1e-3, 1});
  few.next_direction(4);
  EXPECT_TRUE(few.done);
  EXPECT_FALSE(few.converged());
  coefficients lost(8, {1e-3, 100});
  lost.next_direction(std::nan(""));
  EXPECT_TRUE(lost.done);
  EXPECT_FALSE(lost.converged());
  EXPECT_TRUE(coefficients(0, {1e-3, 100}).done);
}

// The two ways to compute alpha are the same number in exact arithmetic.
TEST(coefficients_of_a_run, of_pipelined_cg_take_both_sums_at_once) {
  coefficients c(8, {1e-3, 2});
  c.both(8, 16);
  EXPECT_EQ(c.alpha, 0.5);
  EXPECT_EQ(c.beta, 0);
  EXPECT_EQ(c.iterations, 1);
  c.both(4, 12);
  EXPECT_EQ(c.beta, 0.5);
  EXPECT_EQ(c.alpha, 4 / (12 - 0.5 * 4 / 0.5));
  EXPECT_EQ(c.iterations, 2);
  c.both(1, 1);
  EXPECT_TRUE(c.done) << "the third sums end it, before a third update";
  EXPECT_EQ(c.iterations, 2);
}

TEST(domain, refuses_more_processes_than_cells) {
  const std::string why = plait::test::refusal([] {
    (void)domain({8, 8, 1}, boundary::dirichlet, 2, {1, 1, 2});
  });
  EXPECT_NE(why.find("z"), std::string::npos) << why;
}

}  // namespace
