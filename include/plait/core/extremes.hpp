// SPDX-License-Identifier: BSD-3-Clause
/// The smaller and the larger of two, without the standard's algorithms, which take 0.3 s to
/// compile.
#pragma once

#include <plait/core/cxx20.hpp>

namespace plait::detail {

template <class T>
[[nodiscard]] constexpr const T& smaller(const T& a, const T& b) noexcept {
  return b < a ? b : a;
}
template <class T>
[[nodiscard]] constexpr const T& larger(const T& a, const T& b) noexcept {
  return a < b ? b : a;
}
/// Returns what lies nearest to `x` from `low` to `high`.  Precondition: low <= high.
template <class T>
[[nodiscard]] constexpr const T& clamped(const T& x, const T& low, const T& high) noexcept {
  return smaller(larger(x, low), high);
}

}  // namespace plait::detail
