// SPDX-License-Identifier: BSD-3-Clause
/// NAS FT on one rank: its memory, its input, and the check of what came out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/passes.hpp"
#include "measure/compare/verdict.hpp"
#include "npb.hpp"

namespace ft {

using plait::measure::setting;
using plait::measure::verdict;

/// Sources of checksums: NPB published them, or a serial run on rank 0 gave them.  None is known of
/// a large grid that is no class, where variants must only give the bits of base.
enum class reference : std::uint8_t { published, serial, none };

/// The memory of one iteration in flight.
struct iteration_memory {
  explicit iteration_memory(const spectral::pencils& grid);
  spectral::field line_side, plane_side, x_side, y_side, cells;
};

/// One forward transform, then `steps` times: evolve, inverse transform, checksum.
///
/// In the isolated setting ranks exchange nothing, and what others would send is 0.  The input is
/// then a plane wave on this rank's cells, and 0 elsewhere.  Its wavenumber along x is one of this
/// rank's.  What comes out is the same wave along x; along y, one-dimensional transforms of which
/// this rank's wavenumbers are kept; along z, one-dimensional transforms.  These can be summed
/// directly.
class problem {
 public:
  /// Allocates memory for `in_flight` iterations.  `kernel` outlives it.
  problem(const spectral::passes& kernel, int in_flight, int steps);

  std::vector<iteration_memory> in_flight;
  /// The transformed field, which evolves.  Large enough for what leaves the planes, too: `ideal`
  /// puts there what is not sent.
  spectral::field lines;
  /// Rank 0: the checksum of each iteration.
  std::vector<complex> sums;
  /// Field of the last iteration.
  const complex* result = nullptr;
  /// False: the run transformed along the axes in another order than base, and rounds otherwise.
  bool order_of_base = true;

  [[nodiscard]] const spectral::passes& kernel() const noexcept { return kernel_; }
  [[nodiscard]] const spectral::pencils& grid() const noexcept { return kernel_.grid(); }
  /// Returns the memory of an iteration in flight.
  [[nodiscard]] spectral::transform_memory memory(std::size_t i) const;
  /// The factors, as passes::spread_z takes them.
  [[nodiscard]] const spectral::separable_factors& factors() const noexcept { return own_factors_; }
  [[nodiscard]] reference known_by() const noexcept { return known_by_; }

  /// This rank's terms of the checksum from these planes of a field, not yet divided by the grid's
  /// size.
  [[nodiscard]] complex sum_of(const complex* field, const range& z) const;
  /// A checksum from the sum over ranks.
  [[nodiscard]] complex checksum(const complex& sum) const;

  void reset(setting how);

  [[nodiscard]] double error_bound(setting how, std::int64_t steps) const noexcept;
  /// Rank 0's checksums against what is known; isolated: every cell against the closed form.
  [[nodiscard]] verdict check_closed_form(setting how, std::int64_t steps) const;
  void keep_as_reference();
  /// Every plane against the kept one: bit for bit, or, in another order of the axes, its weighted
  /// sum to rounding.
  [[nodiscard]] verdict check_against_reference() const;

 private:
  struct wave {
    index x, y;
    std::vector<complex> along_x, along_y, along_z;  ///< of the axis's cells
  };
  [[nodiscard]] wave wave_of_rank() const;
  [[nodiscard]] std::vector<complex> evolved_along_y(const wave& input, double steps) const;
  [[nodiscard]] std::vector<complex> evolved_along_z(const wave& input, double steps) const;
  [[nodiscard]] verdict check_checksums() const;
  [[nodiscard]] verdict check_wave(std::int64_t steps) const;
  /// Holds what is kept of a plane.
  struct mark {
    std::uint64_t digest;
    complex sum;   ///< of its cells, each with a weight of its own place
    double scale;  ///< of their absolute values
  };
  [[nodiscard]] mark mark_of(index z) const;

  const spectral::passes& kernel_;
  spectral::separable_factors factors_;      ///< of all wavenumbers
  spectral::separable_factors own_factors_;  ///< of this rank's x's, and all y and z
  std::vector<std::vector<index>> terms_;    ///< of each own plane: places in it
  reference known_by_ = reference::none;
  std::vector<complex> known_;
  std::vector<mark> marks_;  ///< of base's planes
};

/// Returns the elements of each side of a transpose, as much as the larger one needs: `whole_rows`
/// sends from one of them and receives in the other both ways.
[[nodiscard]] index side_size(const spectral::pencils& grid);

/// Memory a rank needs, in bytes.
[[nodiscard]] double memory_bytes(const spectral::pencils& grid, int in_flight);

}  // namespace ft
