// SPDX-License-Identifier: BSD-3-Clause
/// A product of matrices on one process: its parts of them, the steps, and the check of the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/mesh.hpp"
#include "measure/compare/verdict.hpp"
#include "product.hpp"
#include "transposition.hpp"

namespace summa {

using plait::dense::mesh;
using plait::measure::setting;
using plait::measure::verdict;

/// Holds what travels for a step, on a process that has it: columns of `left`, rows of `right`.
struct step_panels {
  std::span<const double> x;  ///< columns of `left`, one behind the other
  std::span<const double> y;  ///< rows of `right`, `step::width` to a column
};

/// Entries are functions of the global index, so each is known everywhere.  C begins as NaN where
/// beta is 0: an implementation that reads it is found out.
class problem {
 public:
  problem(const product& what, const arrangement& where, const mesh& grid);

  const product what;
  const arrangement where;
  const mesh& grid;
  const std::vector<step> steps;

  std::vector<double> a;      ///< this process's part of A as stored, column-major
  std::vector<double> b;      ///< its part of B
  std::vector<double> c;      ///< its part of C
  std::vector<double> left;   ///< of A's transpose, if the form wants that
  std::vector<double> right;  ///< of B's
  std::optional<transposition> of_a;
  std::optional<transposition> of_b;

  // This process's extents.
  [[nodiscard]] std::int64_t left_rows() const { return where.left.rows.count(grid.p()); }
  [[nodiscard]] std::int64_t right_rows() const { return where.right.rows.count(grid.p()); }
  [[nodiscard]] std::int64_t right_columns() const { return where.right.columns.count(grid.q()); }
  [[nodiscard]] std::int64_t c_rows() const { return where.c.rows.count(grid.p()); }
  [[nodiscard]] std::int64_t c_columns() const { return where.c.columns.count(grid.q()); }
  [[nodiscard]] std::int64_t widest() const;

  /// Returns what the form multiplies: the stored operands, or their transposes.
  [[nodiscard]] std::span<const double> left_part() const { return of_a ? left : a; }
  [[nodiscard]] std::span<const double> right_part() const { return of_b ? right : b; }
  /// Returns the operand that is not moved.  (Stationary A and B)
  [[nodiscard]] std::span<const double> stays() const {
    return where.stationary == form::stationary_a ? left_part() : right_part();
  }
  [[nodiscard]] std::span<double> columns_of_c(std::int64_t first, std::int64_t count) {
    return std::span(c).subspan(static_cast<std::size_t>(first * c_rows()),
                                static_cast<std::size_t>(count * c_rows()));
  }

  // Sizes of a step's panels and sums on this process, in entries.
  [[nodiscard]] std::int64_t x_size(const step& s) const { return left_rows() * s.width; }
  [[nodiscard]] std::int64_t y_size(const step& s) const { return right_columns() * s.width; }
  [[nodiscard]] std::int64_t sums_size(const step& s) const;
  [[nodiscard]] bool broadcasts_x() const { return where.stationary != form::stationary_a; }
  [[nodiscard]] bool broadcasts_y() const { return where.stationary != form::stationary_b; }
  /// Returns whether this process gets the sums of a step.
  [[nodiscard]] bool owns_sums(const step& s) const;

  /// The columns of `left` that this process sends.  Precondition: it is the step's root.
  [[nodiscard]] std::span<const double> own_x(const step& s) const;

  // What is computed.  These touch no entries but those of their arguments.
  /// Copies the rows of `right_part()` that this process sends.  Precondition: it is the step's
  /// root.
  void pack_y(const step& s, std::span<const double> from, std::span<double> to) const;
  /// C += alpha X Y on some columns of C, of which y has the rows; the first step applies beta.
  /// (Stationary C)
  void multiply(const step& s, std::span<const double> x, std::span<const double> y,
                std::span<double> columns) const;
  /// The sums that this process contributes to a step: alpha A Y', or alpha X' B.  `from`: what
  /// `stays()` returns.
  void partial(const step& s, std::span<const double> x, std::span<const double> y,
               std::span<const double> from, std::span<double> sums) const;
  /// C = beta C + sums, on the cells of a step.  Precondition: this process owns them.
  void add(const step& s, std::span<const double> sums, std::span<double> all) const;
  /// C = beta C, where there is no step that would do it.
  void scale_where_no_step_does();

  void reset(setting how);
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t runs) const;
  /// 0 for whole numbers.  [Higham 2002, section 3.5: |error| <= k eps |A| |B|, here with room for
  /// the check's own sums.]
  [[nodiscard]] double error_bound(setting how, std::int64_t runs) const;
  void keep_as_reference() { reference_ = c; }
  /// Bit for bit where every order of additions gives the same bits.
  [[nodiscard]] verdict check_against_reference() const;

  /// Returns what panels hold, at a place of their memory, in a run that communicates nothing.
  [[nodiscard]] double stand_in(bool of_y, std::int64_t place) const {
    return entry(of_y ? 4 : 3, place, 0);
  }

 private:
  struct checked_rows;
  [[nodiscard]] verdict check_rows(const checked_rows& rows, setting how) const;
  void add_product(const checked_rows& rows, std::vector<double>& sums,
                   std::vector<double>& sizes) const;
  void add_stand_in_product(const checked_rows& rows, std::vector<double>& sums,
                            std::vector<double>& sizes) const;
  [[nodiscard]] double entry(int matrix, std::int64_t row, std::int64_t column) const;
  void fill(int matrix, const dealt_matrix& dealt, std::vector<double>& part) const;

  std::vector<double> reference_;
};

/// Memory that a process needs at most, in bytes, with this many panels under way.
[[nodiscard]] double memory_bytes(const product& what, const arrangement& where, int buffers);

}  // namespace summa
