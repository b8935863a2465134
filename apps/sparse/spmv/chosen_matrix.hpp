// SPDX-License-Identifier: BSD-3-Clause
/// The matrix that a command line names: read or made on rank 0, then dealt to the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "common/dealing.hpp"
#include "measure/base/command_line.hpp"
#include "problem.hpp"

namespace spmv {

/// Holds what the command line says of a matrix, and what is done with its products.
struct matrix_options {
  std::string mtx;
  std::string matrix = "27-point";
  std::string points = "64x64x64";
  std::int64_t rows = 100000;
  std::int64_t per_row = 16;
  std::string deal = "even";
  std::string method = "power";

  /// The option to name where the matrix is too large.
  [[nodiscard]] const char* size_option() const noexcept {
    return mtx.empty() ? "--rows" : "--mtx";
  }
  /// Errors: usage_error naming --method.
  [[nodiscard]] spmv::method how() const;
};

/// Adds --mtx, --matrix, --points, --rows, --nnz-per-row, --deal and --method.
void add_matrix_options(plait::measure::command_line& to, matrix_options& options);
/// Checks names, and the size of a matrix that would be made.  Errors: usage_error.
void check(const matrix_options& options);

/// Ways of dealing rows of which it is said what they would send.
enum class dealings : std::uint8_t { used, all };

/// Holds what is known of the matrix before it is dealt; on rank 0.
struct description {
  std::string name;
  bool symmetric = false;
  std::string dealing;
  /// By way of dealing, the one that is used among them.
  std::vector<std::pair<std::string, plait::sparse::burden>> burdens;
};

/// Reads or makes the matrix on rank 0 and deals its rows.  Precondition: the options were checked.
/// Collective.  Errors: usage_error, on all ranks.
[[nodiscard]] dealt_matrix deal(plait::environment& env, const matrix_options& options,
                                dealings compared, description& about);

}  // namespace spmv
