// SPDX-License-Identifier: BSD-3-Clause
/// Dependence patterns of Task Bench: which task needs which [Slaughter et al. 2020].  Arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plait::bench::metg {

/// Tasks lie on a grid of steps and points; one needs some points of the step before.  With w the
/// width, k the dependence set of the step and r = 5 the radix:
///
///     trivial      none
///     stencil_1d   i - 1, i, i + 1
///     fft          i - 2^k, i, i + 2^k           k runs through 0 … log2(w) - 1
///     tree         i / 2                         the width doubles from 1 up to w
///     nearest      i - r/2 … i + (r - 1)/2
///     spread       i + j·w/r + (k if j > 0), modulo w, for j < r     k runs through 0, 1, 2
///     random       of `nearest`, i and each other one with probability 1/4, drawn for each k
///
/// What lies outside of the step before is left out, step 0 needs nothing.
class pattern {
 public:
  static constexpr std::array<std::string_view, 7> names{"trivial", "stencil_1d", "fft",   "tree",
                                                         "nearest", "spread",     "random"};

  /// Precondition: `name` is one of `names`, width >= 1.
  pattern(const std::string& name, long width);

  [[nodiscard]] long width() const noexcept { return width_; }
  [[nodiscard]] long width_at(long step) const noexcept;
  /// Steps so far apart need the same points, from step `ramp` on.
  [[nodiscard]] long period() const noexcept;
  [[nodiscard]] long ramp() const noexcept;
  /// The points of step - 1 that `point` of `step` needs, none twice.
  [[nodiscard]] std::vector<long> inputs(long step, long point) const;

 private:
  enum class kind : std::uint8_t { trivial, stencil_1d, fft, tree, nearest, spread, random };
  [[nodiscard]] std::vector<long> candidates(long set, long point) const;

  kind kind_;
  long width_;
};

}  // namespace plait::bench::metg
