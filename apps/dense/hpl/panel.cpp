// SPDX-License-Identifier: BSD-3-Clause
#include "panel.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "common/blas.hpp"
#include "pivot_search.hpp"
#include "system.hpp"

namespace hpl {

using plait::dense::op;

std::int64_t panel_size(const panel_place& at) {
  return at.width + 1 + at.width * (at.width + at.below);
}

panel panel_in(std::vector<double>& memory, const panel_place& at) {
  return {std::span(memory).first(static_cast<std::size_t>(panel_size(at))), at.width, at.below};
}

const_panel panel_in(std::span<const double> memory, const panel_place& at) {
  return {memory.first(static_cast<std::size_t>(panel_size(at))), at.width, at.below};
}

namespace {

/// Destination of each moved row when the exchanges of a panel are made one after the other.
struct permutation {
  std::vector<std::int64_t> into;  ///< which row comes into each row of the diagonal block
  /// Rows below the block, and which row of the block comes into each.
  std::vector<std::pair<std::int64_t, std::int64_t>> out_of;
};

permutation permutation_of(const panel_place& at, const const_panel& done) {
  std::map<std::int64_t, std::int64_t> now;  // what is in a row that was exchanged
  const auto in = [&](std::int64_t row) {
    const auto found = now.find(row);
    return found == now.end() ? row : found->second;
  };
  for (std::int64_t i = 0; i < at.width; ++i) {
    const std::int64_t row = at.first + i, other = static_cast<std::int64_t>(done.pivots()[i]);
    const std::int64_t here = in(row), there = in(other);
    now[row] = there;
    now[other] = here;
  }
  permutation result;
  for (std::int64_t i = 0; i < at.width; ++i) result.into.push_back(in(at.first + i));
  for (const auto& [row, content] : now)
    if (row >= at.first + at.width && row != content) result.out_of.emplace_back(row, content);
  return result;
}

}  // namespace

void note_pivots(const panel_place& at, std::span<const double> done,
                 std::span<std::int64_t> pivots, std::int64_t& zero_pivot) {
  const const_panel from = panel_in(done, at);
  for (std::int64_t i = 0; i < at.width; ++i)
    pivots[static_cast<std::size_t>(at.first + i)] = static_cast<std::int64_t>(from.pivots()[i]);
  if (from.zero_pivot() >= 0 && zero_pivot < 0)
    zero_pivot = static_cast<std::int64_t>(from.zero_pivot());
}

void collect_rows(const linear_system& system, const panel_place& at, std::span<const double> done,
                  std::span<const double> columns, std::span<double> in, std::span<double> out) {
  const permutation rows = permutation_of(at, panel_in(done, at));
  const std::int64_t stride = system.rows(), count = std::ssize(in) / at.width;
  const auto cell = [&](std::int64_t row, std::int64_t j) {
    return columns[static_cast<std::size_t>(system.row_axis.to_local(row) + j * stride)];
  };
  std::ranges::fill(in, 0.0);
  for (std::int64_t i = 0; i < at.width; ++i) {
    const std::int64_t row = rows.into[static_cast<std::size_t>(i)];
    if (system.row_axis.place_of(row) != system.grid.p()) continue;
    for (std::int64_t j = 0; j < count; ++j)
      in[static_cast<std::size_t>(i + j * at.width)] = cell(row, j);
  }
  if (at.p != system.grid.p()) return;
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i < at.width; ++i)
      out[static_cast<std::size_t>(i + j * at.width)] = cell(at.first + i, j);
}

void apply_panel(const linear_system& system, const panel_place& at, std::span<const double> done,
                 std::span<double> columns, std::span<double> in, std::span<const double> out) {
  const const_panel by = panel_in(done, at);
  const permutation rows = permutation_of(at, by);
  const std::int64_t stride = system.rows(), count = std::ssize(in) / at.width;
  double* const first = columns.data();
  for (const auto& [row, content] : rows.out_of) {
    if (system.row_axis.place_of(row) != system.grid.p()) continue;
    const std::int64_t local = system.row_axis.to_local(row);
    for (std::int64_t j = 0; j < count; ++j)
      first[local + j * stride] = out[static_cast<std::size_t>(content - at.first + j * at.width)];
  }
  plait::dense::solve_unit_lower(at.width, count, {by.diagonal(), at.width}, {in.data(), at.width});
  const bool has_block = at.p == system.grid.p();
  if (has_block)
    for (std::int64_t j = 0; j < count; ++j)
      std::copy_n(&in[static_cast<std::size_t>(j * at.width)], at.width,
                  first + at.local_row + j * stride);
  plait::dense::multiply(op::none, op::none, {at.below, count, at.width}, -1.0,
                         {by.lower(), at.below}, {in.data(), at.width}, 1.0,
                         {first + at.local_row + (has_block ? at.width : 0), stride});
}

void apply_panel_alone(const linear_system& system, const panel_place& at,
                       std::span<const double> done, std::span<double> columns) {
  const const_panel by = panel_in(done, at);
  const std::int64_t stride = system.rows(), count = std::ssize(columns) / stride;
  double* const first = columns.data();
  for (std::int64_t j = 0; j < count; ++j)
    for (std::int64_t i = 0; i < at.width; ++i)
      std::swap(first[at.first + i + j * stride],
                first[static_cast<std::int64_t>(by.pivots()[i]) + j * stride]);
  double* const block = first + at.first;
  plait::dense::solve_unit_lower(at.width, count, {by.diagonal(), at.width}, {block, stride});
  plait::dense::multiply(op::none, op::none, {at.below, count, at.width}, -1.0,
                         {by.lower(), at.below}, {block, stride}, 1.0, {block + at.width, stride});
}

}  // namespace hpl
