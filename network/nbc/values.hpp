// SPDX-License-Identifier: BSD-3-Clause
/// Values that ranks send and must receive: whole numbers and 128ths of them, so that sums are
/// exact and no order of combination changes them.
#pragma once

#include <cstddef>
#include <optional>

#include "operation.hpp"

namespace plait::network::nbc {

inline constexpr int root = 0;
inline constexpr double untouched = -1;

inline double as_double(std::size_t value) {
  return static_cast<double>(value);
}

inline std::size_t rank_of(const place& at) {
  return static_cast<std::size_t>(at.rank);
}

/// Differs for each pair of ranks, and along the message.
inline double message_value(std::size_t from, std::size_t to, std::size_t index) {
  return 4096 * as_double(from) + as_double(to) + as_double(index % 97) / 128;
}

inline double summand(const place& at) {
  return (at.rank + 1) * (1 + as_double(at.index % 97));
}

/// The sum of what the first `ranks` ranks have at an index.
inline double sum_of(int ranks, std::size_t index) {
  return 0.5 * ranks * (ranks + 1) * (1 + as_double(index % 97));
}

inline std::optional<double> on_root(const place& at, double value) {
  return at.rank == root ? std::optional(value) : std::nullopt;
}

}  // namespace plait::network::nbc
