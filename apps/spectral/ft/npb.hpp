// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the NAS parallel benchmark FT prescribes: input, evolution, checksum, classes and
/// rate. [Bailey et al. 1991; NPB 3.4, FT]
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/passes.hpp"
#include "common/slabs.hpp"

namespace ft {

using spectral::complex;
using spectral::index;
using spectral::range;

/// A problem by its name.
struct problem_class {
  std::string name;  ///< S, W, A, B, C, D; U is any other grid
  std::array<index, 3> cells{};
  int iterations = 6;
};

/// The class of a letter, or class U for "NXxNYxNZ", with 6 iterations.  Errors: usage_error naming
/// `option`.
[[nodiscard]] problem_class parse_class(const std::string& option, const std::string& text);

/// NPB's checksums of a grid, one an iteration; none unless it is a class.
[[nodiscard]] std::vector<complex> published_checksums(const std::array<index, 3>& cells);

/// The checksums of a serial run that knows nothing of slabs, tiles and this program's kernels: one
/// FFTW plan over the whole grid.
[[nodiscard]] std::vector<complex> serial_checksums(const std::array<index, 3>& cells,
                                                    int iterations);

/// Fills these rows along x of a z plane of the grid, `pitch` apart, with the input: pairs of x <-
/// 5^13 x mod 2^46 from 314159265 on, times 2^-46, x fastest.
void fill_rows(const std::array<index, 3>& cells, const range& y, index z, index pitch,
               complex* first);

/// exp(-4e-6 pi^2 k^2) of each wavenumber k, along each axis.
[[nodiscard]] spectral::separable_factors evolution(const std::array<index, 3>& cells);

/// The cell of the j-th of 1024 terms of the checksum, j = 1 ...
[[nodiscard]] constexpr std::array<index, 3> checksum_cell(const std::array<index, 3>& cells,
                                                           index j) noexcept {
  return {j % cells[0], 3 * j % cells[1], 5 * j % cells[2]};
}
inline constexpr index checksum_terms = 1024;

/// Floating-point operations of a run, by NPB's formula.
[[nodiscard]] double operations(const std::array<index, 3>& cells, int iterations);

}  // namespace ft
