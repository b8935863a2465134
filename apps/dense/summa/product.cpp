// SPDX-License-Identifier: BSD-3-Clause
#include "product.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace summa {
namespace {

dealt_axis deal(std::int64_t size, std::int64_t block, int places) {
  return block == 0 ? plait::dense::in_one_block_each(size, places)
                    : dealt_axis{size, block, places};
}

dealt_matrix deal(std::int64_t rows, std::int64_t columns, const product& what, grid_shape grid) {
  return {deal(rows, what.block, grid.rows), deal(columns, what.block, grid.columns)};
}

/// Returns the form of the operand A, or B, that the form of the product wants: op(A)' or op(B)' if
/// transposed.
op wanted_of_a(form stationary) {
  return stationary == form::stationary_b ? op::transposed : op::none;
}
op wanted_of_b(form stationary) {
  return stationary == form::stationary_a ? op::transposed : op::none;
}

}  // namespace

arrangement arrange(const product& what, form stationary, grid_shape grid) {
  const auto [m, n, k] = std::array{what.m, what.n, what.k};
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, op how) {
    return how == op::none ? deal(rows, columns, what, grid) : deal(columns, rows, what, grid);
  };
  arrangement where;
  where.stationary = stationary;
  where.grid = grid;
  where.stored_a = matrix(m, k, what.of_a);
  where.stored_b = matrix(k, n, what.of_b);
  where.left = matrix(m, k, wanted_of_a(stationary));
  where.right = matrix(k, n, wanted_of_b(stationary));
  where.c = matrix(m, n, op::none);
  where.transposes_a = what.of_a != wanted_of_a(stationary);
  where.transposes_b = what.of_b != wanted_of_b(stationary);
  return where;
}

double received_entries(const product& what, form stationary, grid_shape grid) {
  const auto m = static_cast<double>(what.m), n = static_cast<double>(what.n),
             k = static_cast<double>(what.k);
  const double p = grid.rows, q = grid.columns;
  const double from_row = (q - 1) / q, from_column = (p - 1) / p, from_all = 1 - 1 / (p * q);
  double entries = 0;
  switch (stationary) {
    case form::stationary_c:
      entries = m * k / p * from_row + k * n / q * from_column;
      break;
    case form::stationary_a:
      entries = n * k / q * from_column + m * n / p * from_row;
      break;
    case form::stationary_b:
      entries = k * m / p * from_row + n * m / q * from_column;
      break;
  }
  if (what.of_a != wanted_of_a(stationary)) entries += m * k / (p * q) * from_all;
  if (what.of_b != wanted_of_b(stationary)) entries += k * n / (p * q) * from_all;
  return entries;
}

arrangement choose(const product& what, int ranks, grid_shape wanted, const form* only) {
  double least = std::numeric_limits<double>::infinity();
  std::optional<arrangement> best;
  for (int rows = 1; rows <= ranks; ++rows) {
    const grid_shape grid{rows, ranks / rows};
    if (ranks % rows != 0 || (wanted.rows != 0 && wanted.rows != grid.rows) ||
        (wanted.columns != 0 && wanted.columns != grid.columns))
      continue;
    for (const form one : {form::stationary_c, form::stationary_a, form::stationary_b}) {
      if (only != nullptr && *only != one) continue;
      const double entries = received_entries(what, one, grid);
      if (entries >= least) continue;
      least = entries;
      best = arrange(what, one, grid);
    }
  }
  if (!best)
    throw plait::usage_error(fmt::format("--grid is {}x{}, which {} ranks cannot make", wanted.rows,
                                         wanted.columns, ranks));
  return *best;
}

std::vector<step> steps_of(const product& what, const arrangement& where) {
  // The axes whose blocks a step must not cross, first that along which panels of `left` are cut.
  const dealt_axis* by_columns = nullptr;
  const dealt_axis* by_rows = nullptr;
  switch (where.stationary) {
    case form::stationary_c:
      by_columns = &where.left.columns, by_rows = &where.right.rows;
      break;
    case form::stationary_a:
      by_columns = &where.c.columns, by_rows = &where.right.rows;
      break;
    case form::stationary_b:
      by_columns = &where.left.columns, by_rows = &where.c.rows;
      break;
  }
  std::vector<step> steps;
  for (std::int64_t at = 0; at < by_columns->size; at += steps.back().width) {
    const std::int64_t end =
        std::min({by_columns->block_end(at), by_rows->block_end(at), at + what.panel});
    step& one = steps.emplace_back(step{.first = at, .width = end - at});
    const int column = by_columns->place_of(at), row = by_rows->place_of(at);
    switch (where.stationary) {
      case form::stationary_c:
        one.row_root = column, one.column_root = row;
        break;
      case form::stationary_a:
        one.column_root = row, one.owner = column;
        break;
      case form::stationary_b:
        one.row_root = column, one.owner = row;
        break;
    }
  }
  return steps;
}

}  // namespace summa
