// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <cmath>

namespace osem {

count_scale scale_for(double largest) {
  if (!(largest > 0)) return {};
  // largest < 2^(exponent + 1), and rounding adds less than as much again.
  const double quanta = std::ldexp(1.0, 60 - std::ilogb(largest));
  return {quanta, 1 / quanta};
}

void forward(const slab_elements& a, std::span<const double> x, std::span<double> projection) {
  const std::uint32_t* const pixel = a.pixel.data();
  const double* const length = a.length.data();
  for (std::size_t ray = 0; ray < projection.size(); ++ray) {
    double sum = projection[ray];
    for (std::uint32_t i = a.begin[ray]; i < a.begin[ray + 1]; ++i) sum += length[i] * x[pixel[i]];
    projection[ray] = sum;
  }
}

void compare(std::span<const double> y, std::span<const double> s, std::span<double> projection,
             std::span<double> ratio, double quanta) {
  for (std::size_t ray = 0; ray < projection.size(); ++ray) {
    ratio[ray] = ratio_of(y[ray], projection[ray] + s[ray], quanta);
    projection[ray] = 0;
  }
}

void credit(const slab_elements& a, std::span<const double> x, std::span<const double> ratio,
            std::span<std::int64_t> z) {
  const std::uint32_t* const pixel = a.pixel.data();
  const double* const length = a.length.data();
  for (std::size_t ray = 0; ray < ratio.size(); ++ray) {
    const double r = ratio[ray];
    if (r == 0) continue;
    for (std::uint32_t i = a.begin[ray]; i < a.begin[ray + 1]; ++i)
      z[pixel[i]] += credited(length[i], r, x[pixel[i]]);
  }
}

void update(std::span<const std::int64_t> z, std::span<const double> sensitivity, double quantum,
            std::span<double> x) {
  for (std::size_t j = 0; j < x.size(); ++j)
    if (sensitivity[j] > 0) x[j] = static_cast<double>(z[j]) * quantum / sensitivity[j];
}

}  // namespace osem
