// SPDX-License-Identifier: BSD-3-Clause
/// The arithmetic that all variants share.
#pragma once

#include <cstdint>
#include <span>

#include "dealt_matrix.hpp"

namespace plait::sparse {

/// Products of a row are added in the order of its columns, own elements and ghosts each by
/// themselves, then both sums.  So a row has the same bits whether both are computed together or
/// one after the other.  Sums begin with 0, so that none is -0.

/// y = A x + A' ghosts, for some rows: one pass.
void multiply(const dealt_matrix& a, row_range rows, const double* x, const double* ghosts,
              double* y) noexcept;
/// y = A x.
void multiply_own(const dealt_matrix& a, row_range rows, const double* x, double* y) noexcept;
/// y += A' ghosts.
void add_far(const dealt_matrix& a, row_range rows, const double* ghosts, double* y) noexcept;

/// y += A x, of a matrix that is not split: columns are elements of x.
void add_product(const sparse_matrix& a, row_range rows, const double* x, double* y) noexcept;

/// In four lanes, then these.
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y) noexcept;
/// y = s x.
void scale(double s, std::span<const double> x, std::span<double> y) noexcept;
/// y = x + s y.
void add_to_scaled(std::span<const double> x, double s, std::span<double> y) noexcept;
/// x += s p, r -= s w; returns r·r.
[[nodiscard]] double step(double s, std::span<const double> p, std::span<const double> w,
                          std::span<double> x, std::span<double> r) noexcept;

/// Returns the whole number in -8 … 8 that differs from `y` by a multiple of 17.  Precondition: `y`
/// is a whole number; the result is exact.
[[nodiscard]] double residue(double y) noexcept;
/// The sum of the squares of residues.
[[nodiscard]] double residue_squares(std::span<const double> y) noexcept;
/// x = residue(y + s).
void next_residues(double s, std::span<const double> y, std::span<double> x) noexcept;

/// Memory traffic of a product in bytes, each number moved once: values, columns, beginnings of
/// rows, x, ghosts and y.
[[nodiscard]] double traffic_bytes(const sparse_matrix& a) noexcept;
[[nodiscard]] double traffic_bytes(const dealt_matrix& a) noexcept;

/// Bytes a second of a triad that moves about so many bytes: those of a product, so that either
/// fits the cache or neither does.  The best of some.  [McCalpin's STREAM]
[[nodiscard]] double triad_bytes_per_s(double bytes);

}  // namespace plait::sparse
