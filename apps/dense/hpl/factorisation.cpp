// SPDX-License-Identifier: BSD-3-Clause
// The factorisation of a panel, recursive as netlib's: groups of columns are factored one after the
// other, and the others brought up to date before (left), in between (Crout) or after (right).
#include <algorithm>
#include <cmath>

#include "common/blas.hpp"
#include "panel.hpp"
#include "pivot_search.hpp"
#include "system.hpp"

namespace hpl {
namespace {

using plait::dense::op;

class factorisation {
 public:
  factorisation(const linear_system& system, const panel_place& at, pivoting among,
                std::span<double> columns, std::span<double> to, pivot_search& search)
      : system_(system),
        at_(at),
        to_{to, at.width, at.below},
        search_(search),
        asks_(among == pivoting::of_column),
        has_block_(at.p == system.grid.p()),
        rows_(system.rows()),
        first_(columns.data()) {}

  void run() {
    to_.zero_pivot() = -1;
    factor(0, at_.width, false);
    if (has_block_)
      for (std::int64_t j = 0; j < at_.width; ++j)
        std::copy_n(to_.diagonal() + j * at_.width, at_.width, first_ + at_.local_row + j * rows_);
    const std::int64_t below = at_.local_row + (has_block_ ? at_.width : 0);
    for (std::int64_t j = 0; j < at_.width; ++j)
      std::copy_n(first_ + below + j * rows_, at_.below, to_.lower() + j * at_.below);
  }

 private:
  /// Columns j0 to j1 of the panel, all earlier ones applied to them.
  void factor(std::int64_t j0, std::int64_t j1, bool in_leaf) {
    if (j1 - j0 == 1) return pivot(j0);
    const bool leaf = in_leaf || j1 - j0 <= std::max<std::int64_t>(1, system_.how.nbmin);
    const looking how = leaf ? system_.how.pfact : system_.how.rfact;
    const std::int64_t group = leaf ? 1 : group_of(j1 - j0);
    for (std::int64_t at = j0; at < j1; at += group) {
      const std::int64_t end = std::min(at + group, j1);
      if (how != looking::right && at > j0) bring_up_to_date(how, j0, at, end);
      factor(at, end, leaf);
      if (how == looking::right && end < j1) {
        solve(at, end, end, j1);
        subtract(at, end, end, j1, end);
      }
      if (how == looking::crout && end < j1) {
        if (at > j0) subtract_above(j0, at, at, end, end, j1);
        solve(at, end, end, j1);
      }
    }
  }

  [[nodiscard]] std::int64_t group_of(std::int64_t columns) const {
    const std::int64_t least = std::max<std::int64_t>(1, system_.how.nbmin);
    const std::int64_t pieces = (columns + least - 1) / least;
    return std::min(columns - 1, (pieces + system_.how.ndiv - 1) / system_.how.ndiv * least);
  }

  /// Applies columns j0 to j1 to those from j1 to `end`, which nothing of this level has touched.
  void bring_up_to_date(looking how, std::int64_t j0, std::int64_t j1, std::int64_t end) {
    if (how == looking::left) solve(j0, j1, j1, end);
    subtract(j0, j1, j1, end, j1);
  }

  // With T the factors of the diagonal block, which every process of the column keeps.
  [[nodiscard]] double* t(std::int64_t i, std::int64_t j) const {
    return to_.diagonal() + i + j * at_.width;
  }
  /// This process's first row of the panel that is below its row j.
  [[nodiscard]] std::int64_t first_row(std::int64_t j) const {
    return at_.local_row + (has_block_ ? j : 0);
  }

  /// Rows j0 to j1 of U in columns c0 to c1.
  void solve(std::int64_t j0, std::int64_t j1, std::int64_t c0, std::int64_t c1) const {
    plait::dense::solve_unit_lower(j1 - j0, c1 - c0, {t(j0, j0), at_.width},
                                   {t(j0, c0), at_.width});
  }
  /// Rows from `row` on in columns c0 to c1, minus L of columns j0 to j1 times U.
  void subtract(std::int64_t j0, std::int64_t j1, std::int64_t c0, std::int64_t c1,
                std::int64_t row) const {
    const std::int64_t from = first_row(row), count = rows_ - from;
    double* const l = first_ + from + j0 * rows_;
    double* const a = first_ + from + c0 * rows_;
    if (c1 - c0 == 1) {
      plait::dense::multiply_vector(count, j1 - j0, -1.0, {l, rows_}, t(j0, c0), a);
    } else if (j1 - j0 == 1) {
      plait::dense::add_outer_product(count, c1 - c0, -1.0, l, t(j0, c0), at_.width, {a, rows_});
    } else {
      plait::dense::multiply(op::none, op::none, {count, c1 - c0, j1 - j0}, -1.0, {l, rows_},
                             {t(j0, c0), at_.width}, 1.0, {a, rows_});
    }
  }
  /// Rows r0 to r1 of T in columns c0 to c1, minus their L in columns j0 to j1 times U.
  void subtract_above(std::int64_t j0, std::int64_t j1, std::int64_t r0, std::int64_t r1,
                      std::int64_t c0, std::int64_t c1) const {
    plait::dense::multiply(op::none, op::none, {r1 - r0, c1 - c0, j1 - j0}, -1.0,
                           {t(r0, j0), at_.width}, {t(j0, c0), at_.width}, 1.0,
                           {t(r0, c0), at_.width});
  }

  /// Finds the pivot of column j, exchanges rows of the panel, divides.
  void pivot(std::int64_t j) {
    search_.clear();
    const std::int64_t from = first_row(j), count = rows_ - from;
    double* const column = first_ + j * rows_;
    if (count > 0) {
      const std::int64_t best = from + plait::dense::largest(count, column + from);
      search_.set_candidate(std::abs(column[best]),
                            system_.row_axis.to_global(best, system_.grid.p()));
      copy_row(best, search_.pivot_row());
    }
    if (has_block_) {
      search_.set_has_current();
      copy_row(from, search_.current_row());
    }
    if (asks_) search_.run();
    take(j);
    const double value = *t(j, j);
    if (value == 0) {
      if (to_.zero_pivot() < 0) to_.zero_pivot() = static_cast<double>(at_.first + j);
      return;
    }
    const std::int64_t below = first_row(j + 1);
    if (below < rows_) plait::dense::scale(rows_ - below, 1 / value, column + below);
  }

  void copy_row(std::int64_t row, std::span<double> to) const {
    for (std::int64_t j = 0; j < at_.width; ++j)
      to[static_cast<std::size_t>(j)] = first_[row + j * rows_];
  }

  void take(std::int64_t j) {
    const bool found = search_.magnitude() >= 0;
    const std::int64_t row = found ? search_.row() : at_.first + j;
    to_.pivots()[j] = static_cast<double>(row);
    const std::span<double> pivot = search_.pivot_row(), current = search_.current_row();
    for (std::int64_t c = 0; c < at_.width; ++c)
      *t(j, c) = found ? pivot[static_cast<std::size_t>(c)] : 0.0;
    if (row == at_.first + j || !search_.has_current() ||
        system_.row_axis.place_of(row) != system_.grid.p())
      return;
    const std::int64_t local = system_.row_axis.to_local(row);
    for (std::int64_t c = 0; c < at_.width; ++c)
      first_[local + c * rows_] = current[static_cast<std::size_t>(c)];
  }

  const linear_system& system_;
  const panel_place at_;
  const panel to_;
  pivot_search& search_;
  const bool asks_;
  const bool has_block_;
  const std::int64_t rows_;
  double* const first_;
};

}  // namespace

void factor_panel(const linear_system& system, const panel_place& at, pivoting among,
                  std::span<double> columns, std::span<double> to, pivot_search& search) {
  factorisation(system, at, among, columns, to, search).run();
}

}  // namespace hpl
