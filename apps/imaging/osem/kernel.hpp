// SPDX-License-Identifier: BSD-3-Clause
/// The computation every variant shares.  x ← x / (Aₖᵀ 1) · Aₖᵀ (yₖ / (Aₖ x + sₖ)), element by
/// element.  [Hudson and Larkin 1994]
///
/// What is summed over rays is zⱼ = Σᵢ yᵢ aᵢⱼ xⱼ / (A x + s)ᵢ: the counts that pixel j is credited
/// with (the expectation of [Shepp and Vardi 1982]); x becomes zⱼ / (Aₖᵀ 1)ⱼ.  Every addend is
/// rounded to a whole multiple of one quantum and added as an integer.  Integers add up to the same
/// bits in any order, so an image does not depend on who adds: on ranks, workers, slabs, or the
/// algorithm of an allreduce.  No sum exceeds the counts of a subset, so 62 bits are chosen to hold
/// these.  The sums along a ray, A x, are those of floating-point numbers in the order of pixels,
/// slab after slab.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace osem {

/// The elements of some rays in the pixels of one slab, by ray.
struct slab_elements {
  std::vector<std::uint32_t> begin{0};  ///< where each ray begins, and the end
  std::vector<std::uint32_t> pixel;     ///< counted from the slab's first
  std::vector<double> length;
};

/// Quanta that make a count: a power of two.
struct count_scale {
  double quanta = 1;
  double quantum = 1;  ///< 1 / quanta
};
/// The finest scale on which sums up to `largest` need at most 62 bits.
[[nodiscard]] count_scale scale_for(double largest);

/// The quanta in an addend, to the nearest.  Precondition: 0 <= value < 2^62.
[[nodiscard]] inline std::int64_t whole_quanta(double value) noexcept {
  return static_cast<std::int64_t>(value + 0.5);
}

/// Returns what a pixel is credited with.  `ratio` is in quanta.
[[nodiscard]] inline std::int64_t credited(double length, double ratio, double x) noexcept {
  return whole_quanta(length * x * ratio);
}

/// yᵢ / (A x + s)ᵢ in quanta.  0 without counts, and where a ray that has counts sees nothing that
/// could have sent them: no pixel can be credited.
[[nodiscard]] inline double ratio_of(double y, double expected, double quanta) noexcept {
  return y > 0 && expected > 0 ? y / expected * quanta : 0;
}

/// projection += A x, the part of one slab.
void forward(const slab_elements& a, std::span<const double> x, std::span<double> projection);
/// ratio = y / (projection + s), in quanta; projection = 0, for the next subset.
void compare(std::span<const double> y, std::span<const double> s, std::span<double> projection,
             std::span<double> ratio, double quanta);
/// z += what the rays credit the pixels of one slab with.
void credit(const slab_elements& a, std::span<const double> x, std::span<const double> ratio,
            std::span<std::int64_t> z);
/// x = z / sensitivity; a pixel that no ray of the subset sees stays as it is.
void update(std::span<const std::int64_t> z, std::span<const double> sensitivity, double quantum,
            std::span<double> x);

}  // namespace osem
