// SPDX-License-Identifier: BSD-3-Clause
/// The entries of the system that netlib's HPL solves.
#pragma once

#include <cstdint>

namespace hpl {

/// X <- 6364136223846793005 X + 1 mod 2^64, from X0 = 100; entry i is 0.5 - X(i + 1) / 2^64.
/// [HPL 2.x, HPL_rand]
class generator {
 public:
  /// Stands at an entry.  Cost: one multiplication for each bit of `entry`.
  explicit generator(std::uint64_t entry) noexcept;
  /// Returns the entry and goes on to the next.
  [[nodiscard]] double next() noexcept {
    const double value = 0.5 - static_cast<double>(x_) * 0x1p-64;
    x_ = factor * x_ + 1;
    return value;
  }

 private:
  static constexpr std::uint64_t factor = 6364136223846793005U;
  std::uint64_t x_;
};

}  // namespace hpl
