// SPDX-License-Identifier: BSD-3-Clause
/// The axes of an index space and the two sides along each.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>

namespace plait {

/// The axes in the order of memory: x is the fastest.
enum class axis : int { x = 0, y = 1, z = 2, w = 3 };

/// Lists the axes of a D-dimensional space, the fastest first.
template <int D>
inline constexpr std::array<axis, D> axes = [] {
  static_assert(1 <= D && D <= 4, "plait's boxes have 1 to 4 dimensions");
  std::array<axis, D> all{};
  for (int a = 0; a < D; ++a) all[static_cast<std::size_t>(a)] = static_cast<axis>(a);
  return all;
}();

/// The two directions along an axis: towards smaller and towards larger indices.
enum class side : int { low = 0, high = 1 };
inline constexpr std::array<side, 2> both_sides{side::low, side::high};

[[nodiscard]] constexpr int index_of(axis a) noexcept {
  return static_cast<int>(a);
}
[[nodiscard]] constexpr char name_of(axis a) noexcept {
  return "xyzw"[static_cast<int>(a)];
}
[[nodiscard]] constexpr side opposite(side s) noexcept {
  return s == side::low ? side::high : side::low;
}

}  // namespace plait
