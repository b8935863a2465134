// SPDX-License-Identifier: BSD-3-Clause
/// Words and size of what two ranks tell each other for an operation on a window by messages:
/// the windows send it (comm/one_sided), and simulations have it take its time.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>

namespace plait {

/// The words of a letter.  The data of a small put lies behind them.
struct window_letter {
  enum class word : std::uint32_t { put, large_put, get, done };
  static constexpr std::int32_t no_flag = -1;
  /// A put of no more bytes is one message.
  static constexpr std::size_t largest_in_letter = std::size_t{16} << 10;

  word what = word::put;
  std::int32_t flag = no_flag;
  std::uint64_t number = 0;  ///< of the put that it is, or answers, on the rank that puts
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t place = 0;  ///< of the signal
};

}  // namespace plait
