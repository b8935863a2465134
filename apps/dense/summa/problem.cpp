// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "common/blas.hpp"

namespace summa {
namespace {

std::size_t area(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

std::vector<double> part_of(const dealt_matrix& dealt, const mesh& grid) {
  return std::vector<double>(area(dealt.rows.count(grid.p()), dealt.columns.count(grid.q())));
}

}  // namespace

problem::problem(const product& what_is_asked, const arrangement& arranged, const mesh& on)
    : what(what_is_asked),
      where(arranged),
      grid(on),
      steps(steps_of(what, where)),
      a(part_of(where.stored_a, on)),
      b(part_of(where.stored_b, on)),
      c(part_of(where.c, on)) {
  if (where.transposes_a) {
    of_a.emplace(where.stored_a, where.left, on);
    left = part_of(where.left, on);
  }
  if (where.transposes_b) {
    of_b.emplace(where.stored_b, where.right, on);
    right = part_of(where.right, on);
  }
  fill(0, where.stored_a, a);
  fill(1, where.stored_b, b);
}

std::int64_t problem::widest() const {
  std::int64_t width = 0;
  for (const step& s : steps) width = std::max(width, s.width);
  return width;
}

std::int64_t problem::sums_size(const step& s) const {
  switch (where.stationary) {
    case form::stationary_a:
      return c_rows() * s.width;
    case form::stationary_b:
      return c_columns() * s.width;
    default:
      return 0;
  }
}

bool problem::owns_sums(const step& s) const {
  return s.owner == (where.stationary == form::stationary_a ? grid.q() : grid.p());
}

std::span<const double> problem::own_x(const step& s) const {
  const std::int64_t column = where.left.columns.to_local(s.first);
  return left_part().subspan(area(left_rows(), column), area(left_rows(), s.width));
}

void problem::pack_y(const step& s, std::span<const double> from, std::span<double> to) const {
  const std::int64_t rows = right_rows(), row = where.right.rows.to_local(s.first);
  for (std::int64_t column = 0; column < right_columns(); ++column)
    std::copy_n(&from[static_cast<std::size_t>(row + column * rows)], s.width,
                &to[static_cast<std::size_t>(column * s.width)]);
}

void problem::multiply(const step& s, std::span<const double> x, std::span<const double> y,
                       std::span<double> columns) const {
  if (columns.empty()) return;
  plait::dense::multiply(op::none, op::none, {c_rows(), std::ssize(columns) / c_rows(), s.width},
                         what.alpha, {x.data(), left_rows()}, {y.data(), s.width},
                         s.first == 0 ? what.beta : 1.0, {columns.data(), c_rows()});
}

void problem::partial(const step& s, std::span<const double> x, std::span<const double> y,
                      std::span<const double> from, std::span<double> sums) const {
  if (where.stationary == form::stationary_a) {
    plait::dense::multiply(
        op::none, op::transposed, {c_rows(), s.width, where.left.columns.count(grid.q())},
        what.alpha, {from.data(), left_rows()}, {y.data(), s.width}, 0.0, {sums.data(), c_rows()});
  } else {
    plait::dense::multiply(op::transposed, op::none, {s.width, c_columns(), left_rows()},
                           what.alpha, {x.data(), left_rows()}, {from.data(), right_rows()}, 0.0,
                           {sums.data(), s.width});
  }
}

void problem::add(const step& s, std::span<const double> sums, std::span<double> all) const {
  const bool whole_columns = where.stationary == form::stationary_a;
  const std::int64_t rows = whole_columns ? c_rows() : s.width;
  const std::int64_t columns = whole_columns ? s.width : c_columns();
  const std::int64_t row = whole_columns ? 0 : where.c.rows.to_local(s.first);
  const std::int64_t column = whole_columns ? where.c.columns.to_local(s.first) : 0;
  const double* from = sums.data();
  for (std::int64_t j = 0; j < columns; ++j) {
    double* to = all.data() + row + (column + j) * c_rows();
    for (std::int64_t i = 0; i < rows; ++i, ++from)
      to[i] = what.beta == 0 ? *from : what.beta * to[i] + *from;
  }
}

void problem::scale_where_no_step_does() {
  if (!steps.empty()) return;
  for (double& value : c) value = what.beta == 0 ? 0.0 : what.beta * value;
}

void problem::reset(setting) {
  if (what.beta == 0) {
    std::ranges::fill(c, std::numeric_limits<double>::quiet_NaN());
  } else {
    fill(2, where.c, c);
  }
  std::ranges::fill(left, std::numeric_limits<double>::quiet_NaN());
  std::ranges::fill(right, std::numeric_limits<double>::quiet_NaN());
}

// SplitMix64 of the index.  [Steele, Lea, Flood 2014]
double problem::entry(int matrix, std::int64_t row, std::int64_t column) const {
  std::uint64_t z = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(column) * 0xd1342543de82ef95U +
                    static_cast<std::uint64_t>(matrix + 1) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  if (what.kind == entries::integers) return static_cast<double>(z % 17) - 8;
  return static_cast<double>(z >> 11) * 0x1p-53 - 0.5;
}

void problem::fill(int matrix, const dealt_matrix& dealt, std::vector<double>& part) const {
  const std::int64_t rows = dealt.rows.count(grid.p()), columns = dealt.columns.count(grid.q());
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      part[area(rows, j) + static_cast<std::size_t>(i)] =
          entry(matrix, dealt.rows.to_global(i, grid.p()), dealt.columns.to_global(j, grid.q()));
}

double memory_bytes(const product& what, const arrangement& where, int buffers) {
  const auto m = static_cast<double>(what.m), n = static_cast<double>(what.n),
             k = static_cast<double>(what.k), width = static_cast<double>(what.panel);
  const double p = where.grid.rows, q = where.grid.columns;
  double entries = (m * k + k * n + 2 * m * n) / (p * q);
  if (where.transposes_a) entries += 3 * m * k / (p * q);
  if (where.transposes_b) entries += 3 * k * n / (p * q);
  const double longest = std::max({m, n, k});
  entries += 3 * buffers * width * longest / std::min(p, q);
  return entries * sizeof(double);
}

}  // namespace summa
