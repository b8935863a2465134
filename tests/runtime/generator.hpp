// SPDX-License-Identifier: BSD-3-Clause
/// Random numbers that are the same on every machine: the standard library's distributions differ
/// between implementations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plait::test {

/// SplitMix64.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// 0 to n - 1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return static_cast<double>(bits() >> 11) * 0x1p-53 < p; }
  template <class T, std::size_t N>
  T one_of(const T (&choices)[N]) {
    return choices[below(N)];
  }

 private:
  std::uint64_t state_;
};

/// Number `i` of those that follow from `salt`.
[[nodiscard]] inline std::uint32_t scrambled(std::uint64_t salt, std::uint64_t i) {
  return static_cast<std::uint32_t>(generator(salt + i * 0x9E3779B97F4A7C15U).bits() >> 20U);
}

}  // namespace plait::test
