// SPDX-License-Identifier: BSD-3-Clause
/// Reads matrices and arrays of numbers from files: Matrix Market (.mtx), plain text, NumPy (.npy).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::imaging {

/// An array of numbers, the last index fastest.
struct number_array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// A sparse matrix by rows.  Columns of a row ascend, none twice.
struct sparse_matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> begin;  ///< where each row begins, and the end: rows + 1
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

/// Reads an array.  `path` ends in .npy (little-endian integers or floats, in C's order), in .mtx
/// (array or coordinate, where what is not listed is 0), or is plain text: a row a line, numbers
/// with blanks or commas between, `#` before comments.
///
/// Errors: usage_error that names the file, and the line where there are lines.
[[nodiscard]] number_array read_array(const std::string& path);

/// Reads a matrix from the same kinds of file.  Duplicates of a coordinate file add up; symmetric,
/// skew-symmetric and pattern files are expanded.
///
/// Errors: as read_array; also where the file holds complex numbers, or more than 2^32 columns.
[[nodiscard]] sparse_matrix read_matrix(const std::string& path);

/// Writes an array of doubles as .npy.  Errors: plait::error.
void write_npy(const std::string& path, const number_array& array);

}  // namespace plait::imaging
