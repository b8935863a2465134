// SPDX-License-Identifier: BSD-3-Clause
/// The N x (N + 1) system [A | b] on one process: its part of it, and the check of the solution.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/dealt_axis.hpp"
#include "common/mesh.hpp"
#include "measure/compare/verdict.hpp"
#include "panel.hpp"
#include "pivot_search.hpp"
#include "settings.hpp"

namespace hpl {

using plait::dense::dealt_axis;
using plait::dense::mesh;
using plait::measure::setting;
using plait::measure::verdict;

/// Dealt in nb x nb blocks, as ScaLAPACK does.  Block column k is panel k.
class linear_system {
 public:
  linear_system(const settings& of, const mesh& on);

  const settings how;
  const mesh& grid;
  const dealt_axis row_axis;
  const dealt_axis column_axis;      ///< b is the last column
  std::vector<double> part;          ///< column-major
  std::vector<double> x;             ///< the solution, on every process
  std::vector<std::int64_t> pivots;  ///< the row that each row was exchanged with
  std::int64_t zero_pivot = -1;      ///< the first column without a pivot; -1: none

  [[nodiscard]] std::int64_t rows() const { return row_axis.count(grid.p()); }
  [[nodiscard]] std::int64_t columns() const { return column_axis.count(grid.q()); }
  [[nodiscard]] int panels() const { return static_cast<int>((how.n + how.nb - 1) / how.nb); }
  [[nodiscard]] panel_place place(int k) const;
  /// Local columns of this process that panel k updates, from there to the last.
  [[nodiscard]] std::int64_t first_trailing(int k) const;
  /// Returns the memory of one of this process's columns; `columns_at`: of `count` neighbouring
  /// ones.
  [[nodiscard]] double* column(std::int64_t local) {
    return part.data() + static_cast<std::size_t>(local * rows());
  }
  [[nodiscard]] std::span<double> columns_at(std::int64_t local, std::int64_t count) {
    return std::span(part).subspan(static_cast<std::size_t>(local * rows()),
                                   static_cast<std::size_t>(count * rows()));
  }

  /// One at a time uses it.
  [[nodiscard]] pivot_search& search() { return search_; }
  /// Solves U x = y when all panels are done.  Plain MPI.  Collective.
  void solve();

  void reset(setting);
  /// Collective.  The residual, and for what communicates nothing that everything is finite.
  [[nodiscard]] verdict check_closed_form(setting, std::int64_t) const;
  [[nodiscard]] double error_bound(setting, std::int64_t) const { return how.threshold; }
  void keep_as_reference() { reference_ = pivots; }
  /// The pivots are those of the reference.
  [[nodiscard]] verdict check_against_reference() const;
  /// ||A x - b|| / (eps (||A|| ||x|| + ||b||) N) in the maximum norm, with eps = 2^-53. Collective.
  [[nodiscard]] double residual() const;
  /// Returns a number of the bits of x.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  /// Writes the system's entries in one of this process's columns.
  void generate_column(std::int64_t local, std::span<double> to) const;

  pivot_search search_;
  std::vector<std::int64_t> reference_;
};

/// Memory that a process needs, in bytes, with this many panels.
[[nodiscard]] double memory_bytes(const settings& of, int panels);

}  // namespace hpl
