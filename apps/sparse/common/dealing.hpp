// SPDX-License-Identifier: BSD-3-Clause
/// Says which rank has which rows, and what each way of dealing them sends.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sparse_matrix.hpp"

namespace plait::sparse {

enum class dealing : std::uint8_t {
  even,      ///< as many rows for each, in their order
  nonzeros,  ///< about as many nonzeros for each, in their order
  metis,     ///< a partition of the graph with few edges between its parts
};

inline constexpr std::array<std::string_view, 3> dealing_names{"even", "nonzeros", "metis"};
/// Precondition: one of `dealing_names`.
[[nodiscard]] dealing dealing_of(std::string_view name);

/// Returns the rank of each row.  Of a matrix that is not square `metis` is a usage_error.
/// [METIS: Karypis, Kumar 1998; multilevel k-way, rows weighted by their nonzeros]
[[nodiscard]] std::vector<std::int32_t> deal_rows(const sparse_matrix& a, dealing how, int ranks);

/// Returns the rank of each element of x: that of its row where the matrix is square, else as many
/// for each rank.
[[nodiscard]] std::vector<std::int32_t> deal_columns(const sparse_matrix& a,
                                                     const std::vector<std::int32_t>& row_ranks,
                                                     int ranks);

/// Holds what a product makes ranks do.
struct burden {
  /// Elements that rank `from` sends to `to`, at from * ranks + to.
  std::vector<std::int64_t> sent;
  std::vector<std::int64_t> rows;      ///< by rank
  std::vector<std::int64_t> nonzeros;  ///< by rank
};

[[nodiscard]] burden burden_of(const sparse_matrix& a, const std::vector<std::int32_t>& row_ranks,
                               const std::vector<std::int32_t>& column_ranks, int ranks);

}  // namespace plait::sparse
