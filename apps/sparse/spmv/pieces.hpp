// SPDX-License-Identifier: BSD-3-Clause
/// Parts of vectors that belong to a piece of the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/dealt_matrix.hpp"

namespace spmv {

template <class T>
[[nodiscard]] std::span<T> part_of(std::span<T> all, const plait::sparse::row_range& rows) {
  return all.subspan(static_cast<std::size_t>(rows.first), static_cast<std::size_t>(rows.size()));
}
template <class T>
[[nodiscard]] std::span<T> part_of(std::vector<T>& all, const plait::sparse::row_range& rows) {
  return part_of(std::span(all), rows);
}

}  // namespace spmv
