// SPDX-License-Identifier: BSD-3-Clause
/// Reads matrices in the Matrix Market format, gzip-compressed or not.
#pragma once

#include <cstdint>
#include <string>

#include "sparse_matrix.hpp"

namespace plait::sparse {

enum class field : std::uint8_t { real, integer, complex, pattern };
enum class symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

struct matrix_file {
  /// All entries, those that the file leaves to symmetry too.  Complex ones are real pairs, below.
  sparse_matrix matrix;
  field values = field::real;
  symmetry kind = symmetry::general;
  std::int64_t listed = 0;  ///< entries in the file
};

/// Reads `%%MatrixMarket matrix coordinate {real|integer|complex|pattern}
/// {general|symmetric|skew-symmetric|hermitian}`.  [Boisvert, Pozo, Remington 1996]
///
/// Words of the first line count in either case.  Comments and blank lines may be anywhere.
/// Duplicates add, in the order of the file.  An entry of a pattern is 1.  A complex matrix becomes
/// the real one of twice the size that does the same to pairs (real part, imaginary part): an entry
/// a + ib at (r, c) becomes a at (2r, 2c) and (2r+1, 2c+1), -b at (2r, 2c+1), b at (2r+1, 2c).
/// Hermitian becomes symmetric.
///
/// Memory grows with the entries that are read, never with what the file says of itself, and then
/// with rows and columns.  Errors: usage_error, one line that names file and line, for anything
/// that is not of the format, and where the matrix would take more than `most_bytes`.
[[nodiscard]] matrix_file read_matrix_market(const std::string& path, double most_bytes);

}  // namespace plait::sparse
