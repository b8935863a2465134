// SPDX-License-Identifier: BSD-3-Clause
/// Repeated products with one matrix, on one rank: data, initial values and the check of what came
/// out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "common/dealt_matrix.hpp"
#include "measure/compare/verdict.hpp"

namespace spmv {

using plait::measure::setting;
using plait::measure::verdict;
using plait::sparse::dealt_matrix;
using plait::sparse::piece;

/// Says what follows a product.
enum class method : std::uint8_t {
  power,     ///< x = y / |y|; where the matrix is not square x = -x
  residues,  ///< the same in whole numbers, exactly: x = (y + |y mod 17|^2) mod 17
  cg,        ///< an iteration of conjugate gradients for A x = A 1
};

inline constexpr std::array<std::string_view, 3> method_names{"power", "residues", "cg"};

/// Nonzeros of a piece, unless a user says others.
inline constexpr std::int64_t usual_piece = std::int64_t{1} << 17;

/// Numbers that follow from sums over all ranks.
struct scalars {
  double squares = 0;  ///< r·r
  double factor = 0;   ///< x = factor y, x += factor p
  double turn = 0;     ///< p = r + turn p
  bool indefinite = false;
};

/// Holds y as it must be, row by row, and by how much it may differ.
struct expected_product {
  std::vector<double> y;
  std::vector<double> bound;
};

/// The vectors of a rank, and what is done to a piece of them.  All variants call these members;
/// they differ in when, and in what happens between.
class problem {
 public:
  /// Collective.  Pieces have about `nonzeros_per_piece`.
  problem(plait::environment& env, dealt_matrix matrix, method how,
          std::int64_t nonzeros_per_piece);

  plait::block_array<double, 1> multiplied;  ///< x, of conjugate gradients p
  std::vector<double> ghosts;                ///< elements of it that others have
  std::vector<double> y;                     ///< the last product
  std::vector<double> x;                     ///< of conjugate gradients only, as r
  std::vector<double> r;
  scalars now;

  [[nodiscard]] const dealt_matrix& matrix() const noexcept { return a_; }
  [[nodiscard]] method how() const noexcept { return how_; }
  [[nodiscard]] const std::vector<piece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] const plait::index_lists& needed() const noexcept { return needed_; }
  /// This rank's part of `multiplied`.
  [[nodiscard]] std::span<double> own() noexcept;
  [[nodiscard]] std::span<const double> own() const noexcept;
  /// Returns whether elements of what is multiplied follow from the same rows of the product.
  [[nodiscard]] bool is_square() const noexcept { return a_.rows == a_.columns; }
  /// Sums over all ranks in a step: 1, of conjugate gradients 2.
  [[nodiscard]] int sums() const noexcept { return how_ == method::cg ? 2 : 1; }

  void reset(setting to);

  /// max |error| / bound of the last product, row by row, against a product that each rank computes
  /// with all of x, gathered.  The bound of a row is (n + 2) ε Σ |a x|, n its entries.
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t steps) const;
  [[nodiscard]] static double error_bound(setting how, std::int64_t steps) noexcept;

  /// Returns the product of the matrix and `multiplied` as it is now.  Collective.
  [[nodiscard]] expected_product expect(setting how) const;
  /// Keeps `multiplied` as that of one step less.  Collective.
  void expect_product(setting how);
  /// Compares y with a product, row by row.
  [[nodiscard]] verdict check_product(const expected_product& expected) const;
  /// Keeps `multiplied`, y, x and r as what other variants must give.
  void keep_as_reference();
  /// Compares vectors with the kept copies, bit for bit.
  [[nodiscard]] verdict check_against_reference() const;

  /// Σ (i + 1) x_i over all elements of x by their original numbers, of residues exact. Collective.
  [[nodiscard]] double checksum() const;
  /// |b - A x| / |b| of conjugate gradients, by the recurrence.  Collective.
  [[nodiscard]] double residual() const;

 private:
  [[nodiscard]] std::vector<double> gather_multiplied() const;
  [[nodiscard]] std::vector<double> right_hand_side(setting to) const;

  plait::environment& env_;
  dealt_matrix a_;
  method how_;
  std::vector<piece> pieces_;
  plait::index_lists needed_;
  std::array<expected_product, 2> expected_;      ///< by setting
  std::array<double, 2> squares_of_start_{};      ///< |b|^2 of all ranks, of this one alone
  std::array<std::vector<double>, 4> reference_;  ///< multiplied, y, x, r
};

// Work on a piece ---------------------------------------------------------------------------------
//
// Functions of the memory that they touch, as tasks want them.  All are const in the matrix.

/// The part of a sum over all ranks that a piece's rows have: |y|^2, p·w, or of residues theirs.
[[nodiscard]] double first_sum(method how, std::span<const double> own, std::span<const double> y);
/// Uses a step's first sum over all ranks.
void use_first_sum(method how, double sum, scalars& now);
/// Uses the second sum of a step of conjugate gradients.
void use_second_sum(double sum, scalars& now);
/// Makes what is multiplied next, of `power` and `residues`.
void next_multiplied(method how, const scalars& now, std::span<const double> y,
                     std::span<double> own);

/// Memory of a rank beyond the matrix, in bytes.
[[nodiscard]] double vector_bytes(const dealt_matrix& a) noexcept;

}  // namespace spmv
