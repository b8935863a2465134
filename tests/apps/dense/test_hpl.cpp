// SPDX-License-Identifier: BSD-3-Clause
// Every variant of HPL on every grid of these ranks: the residual, the pivots, and the bits.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/blas.hpp"
#include "generator.hpp"
#include "support/mpi_test.hpp"
#include "variant.hpp"

namespace hpl {
namespace {

using plait::dense::grid_shape;
using plait::test::test_environment;

std::vector<grid_shape> grids() {
  std::vector<grid_shape> all;
  const int ranks = test_environment().size();
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0) all.push_back({rows, ranks / rows});
  return all;
}

settings small(std::int64_t n, std::int64_t nb, grid_shape grid) {
  settings how;
  how.n = n;
  how.nb = nb;
  how.grid = grid;
  how.nbmin = 2;
  return how;
}

/// Of all rows, as LAPACK finds them.
std::vector<std::int64_t> pivots_of_lapack(std::int64_t n) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  generator entries(0);
  for (double& value : a) value = entries.next();
  return plait::dense::factor(n, {a.data(), n});
}

/// Runs a variant and expects a solution; returns a number of its bits.
std::uint64_t expect_solved(linear_system& system, const std::string& name,
                            const options& chosen = {.tasks = {.workers = 1}}) {
  const auto code = variants_of(test_environment(), chosen)(name);
  system.reset(code->solves());
  code->prepare(system);
  code->run(system, 1, {});
  (void)code->finish(system);
  const verdict found = system.check_closed_form(code->solves(), 1);
  const settings& how = system.how;
  EXPECT_TRUE(found.verified) << fmt::format("{} of n = {}, nb = {} on {}x{}: {}", name, how.n,
                                             how.nb, how.grid.rows, how.grid.columns,
                                             found.complaint);
  return system.hash();
}

void expect_right(const settings& how) {
  const mesh grid(test_environment(), how.grid.rows, how.grid.columns, how.order);
  linear_system system(how, grid);
  const std::vector<std::int64_t> expected = pivots_of_lapack(how.n);
  for (const char* name : {"base", "olap", "plait", "plait in order"}) {
    (void)expect_solved(system, name);
    EXPECT_EQ(system.pivots, expected) << fmt::format("{} of n = {}, nb = {} on {}x{}", name, how.n,
                                                      how.nb, how.grid.rows, how.grid.columns);
  }
  (void)expect_solved(system, "ideal");
}

TEST(hpl, solves_at_the_corners_of_n_with_the_pivots_of_lapack) {
  constexpr std::int64_t nb = 3;
  for (const grid_shape grid : grids())
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, nb - 1, nb, nb + 1, 5 * nb + 3})
      expect_right(small(n, nb, grid));
}

TEST(hpl, solves_where_a_panel_is_wider_than_the_matrix_and_ranks_have_no_columns) {
  for (const grid_shape grid : grids()) {
    expect_right(small(7, 20, grid));
    expect_right(small(12, 11, grid));
  }
}

TEST(hpl, solves_with_every_broadcast_and_exchange_of_rows) {
  for (const grid_shape grid : grids())
    for (int i = 0; i < (grid.rows == 1 ? 6 : 3); ++i) {  // each search for a pivot is a message
      settings how = small(grid.rows == 1 ? 41 : 17, 3, grid);
      how.bcast = static_cast<broadcast>(i);
      how.swap = static_cast<swapping>(i % 3);
      how.swap_threshold = 6;
      how.order =
          i % 2 == 0 ? plait::dense::rank_order::row_major : plait::dense::rank_order::column_major;
      expect_right(how);
    }
}

TEST(hpl, solves_with_every_order_of_a_factorisation) {
  for (int i = 0; i < 9; ++i) {
    // Each on one process row, and some on one process column.
    const bool among = i % 3 == i / 3;
    settings how = small(among ? 17 : 50, 16, among ? grids().back() : grids().front());
    how.pfact = static_cast<looking>(i % 3);
    how.rfact = static_cast<looking>(i / 3);
    how.nbmin = 1 + i % 4;
    how.ndiv = 2 + i % 2;
    expect_right(how);
  }
}

TEST(hpl, has_the_same_bits_for_any_workers_depth_policy_and_limit) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    settings how = small(shape.rows == 1 ? 90 : 30, 4, shape);
    linear_system first(how, grid);
    const std::uint64_t expected = expect_solved(first, "plait");
    for (const int depth : {0, 3}) {
      how.depth = depth;
      linear_system system(how, grid);
      EXPECT_EQ(expect_solved(system, "plait", {.tasks = {.workers = 1, .in_flight = 1}}),
                expected);
      EXPECT_EQ(
          expect_solved(system, "plait",
                        {.engine = {.policy = plait::progress::sleeping}, .tasks = {.workers = 2}}),
          expected);
      EXPECT_EQ(
          expect_solved(system, "plait",
                        {.engine = {.policy = plait::progress::none}, .tasks = {.workers = 1}}),
          expected);
    }
  }
}

TEST(hpl, finds_a_column_without_a_pivot) {
  for (const grid_shape shape : grids()) {
    const mesh grid(test_environment(), shape.rows, shape.columns);
    settings how = small(23, 5, shape);
    how.zero_column = 13;
    linear_system system(how, grid);
    for (const char* name : {"base", "olap", "plait"}) {
      const auto code = variants_of(test_environment(), {.tasks = {.workers = 1}})(name);
      system.reset(code->solves());
      code->prepare(system);
      code->run(system, 1, {});
      (void)code->finish(system);
      EXPECT_EQ(system.zero_pivot, 13) << name;
    }
  }
}

}  // namespace
}  // namespace hpl
