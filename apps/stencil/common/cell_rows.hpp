// SPDX-License-Identifier: BSD-3-Clause
/// Judges the cells of a rank, row by row: against expected values, or against the bits of a copy.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/verdict.hpp"

namespace plait::stencil {

/// Cells that lie in memory one after another.
struct cell_row {
  point<3> first;         ///< as the grid counts
  std::int64_t step = 1;  ///< along x, from one to the next
  const double* values = nullptr;
  std::int64_t cells = 0;
  int part = 0;  ///< of a step, in which they are computed
};

/// Calls visit(row) for each row of a box of an array.
template <class Visitor>
void for_each_cell_row(const view<const double, 3>& of, const box<3>& cells, Visitor&& visit) {
  for_each_row(cells, [&](const point<3>& first) {
    visit(cell_row{first, 1, of.at(first), cells.extent(axis::x)});
  });
}

/// Errors of a rank's cells.
struct judgement {
  int rank = 0;
  double bound = 0;
  bool relative = false;  ///< errors are divided by what was expected, unless that is 0
  measure::verdict found = {};

  /// Holds cell i of a row against what was expected.
  void hold(const cell_row& row, std::int64_t i, double expected);
};

/// A copy of cells, which another result has to equal bit for bit.
class kept_cells {
 public:
  void clear() noexcept { values_.clear(); }
  void keep(double value) { values_.push_back(value); }
  void keep(const cell_row& row) {
    values_.insert(values_.end(), row.values, row.values + row.cells);
  }

  /// Compares rows in the order in which they were kept.  `rows(visit)` calls visit(row) for each.
  template <class Rows>
  [[nodiscard]] measure::verdict compare(int rank, Rows&& rows) const {
    measure::verdict result;
    std::size_t next = 0;
    rows([&](const cell_row& row) {
      compare(row, next, rank, result);
      next += static_cast<std::size_t>(row.cells);
    });
    return result;
  }

 private:
  void compare(const cell_row& row, std::size_t place, int rank, measure::verdict& result) const;

  std::vector<double> values_;
};

}  // namespace plait::stencil
