// SPDX-License-Identifier: BSD-3-Clause
#include "npb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <fftw3.h>
#include <fmt/format.h>
#include <plait/plait.hpp>

#include "common/plans.hpp"

namespace ft {
namespace {

const std::array<problem_class, 6> classes{{{"S", {64, 64, 64}, 6},
                                            {"W", {128, 128, 32}, 6},
                                            {"A", {256, 256, 128}, 6},
                                            {"B", {512, 256, 256}, 20},
                                            {"C", {512, 512, 512}, 20},
                                            {"D", {2048, 1024, 1024}, 25}}};

constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t seed = 314159265;

// Products mod 2^46 need no more than the low 64 bits.
std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result * base & mask;
    base = base * base & mask;
  }
  return result;
}

std::vector<double> decay_along(index n) {
  std::vector<double> result;
  for (index i = 0; i < n; ++i) {
    const auto k = static_cast<double>((i + n / 2) % n - n / 2);
    result.push_back(std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * k * k));
  }
  return result;
}

}  // namespace

problem_class parse_class(const std::string& option, const std::string& text) {
  for (const problem_class& one : classes)
    if (one.name == text) return one;
  problem_class result{"U", {}, 6};
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t end = axis < 2 ? text.find('x', at) : text.size();
    const std::string number = end == std::string::npos ? "" : text.substr(at, end - at);
    const bool digits = !number.empty() && number.size() < 10 &&
                        std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    result.cells[axis] = digits ? std::stoll(number) : 0;
    if (result.cells[axis] < 1 || result.cells[axis] > (1 << 24))
      throw plait::usage_error(fmt::format(
          "{} is '{}'; it must be S, W, A, B, C, D or a grid such as 60x45x35", option, text));
    at = end + 1;
  }
  for (const problem_class& one : classes)
    if (one.cells == result.cells) return one;
  return result;
}

void fill_rows(const std::array<index, 3>& cells, const range& y, index z, index pitch,
               complex* first) {
  const auto values_before = static_cast<std::uint64_t>(2 * cells[0] * (cells[1] * z + y.low));
  std::uint64_t x = power(multiplier, values_before) * seed & mask;
  const auto next = [&x] {
    x = x * multiplier & mask;
    return static_cast<double>(x) * 0x1p-46;
  };
  for (index row = 0; row < y.size(); ++row)
    for (index i = 0; i < cells[0]; ++i) {
      const double real = next();
      first[row * pitch + i] = {real, next()};
    }
}

spectral::separable_factors evolution(const std::array<index, 3>& cells) {
  return {decay_along(cells[0]), decay_along(cells[1]), decay_along(cells[2])};
}

double operations(const std::array<index, 3>& cells, int iterations) {
  const auto n = static_cast<double>(cells[0] * cells[1] * cells[2]);
  return n * (14.8157 + 7.19641 * std::log(n) +
              (5.23518 + 7.21113 * std::log(n)) * static_cast<double>(iterations));
}

std::vector<complex> serial_checksums(const std::array<index, 3>& cells, int iterations) {
  const index plane = cells[0] * cells[1];
  const index size = plane * cells[2];
  const spectral::field u(size);
  const spectral::field v(size);
  const auto planned = [&](complex* from, complex* to, int sign) {
    return fftw_plan_dft_3d(static_cast<int>(cells[2]), static_cast<int>(cells[1]),
                            static_cast<int>(cells[0]), reinterpret_cast<fftw_complex*>(from),
                            reinterpret_cast<fftw_complex*>(to), sign, FFTW_ESTIMATE);
  };
  fftw_plan forward = planned(v.data(), u.data(), FFTW_FORWARD);
  fftw_plan backward = planned(v.data(), v.data(), FFTW_BACKWARD);
  for (index z = 0; z < cells[2]; ++z)
    fill_rows(cells, {0, cells[1]}, z, cells[0], v.data() + z * plane);
  fftw_execute(forward);
  const spectral::separable_factors factors = evolution(cells);
  std::vector<complex> sums;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (index i = 0; i < size; ++i)
      u.data()[i] *= factors.x[static_cast<std::size_t>(i % cells[0])] *
                     factors.y[static_cast<std::size_t>(i / cells[0] % cells[1])] *
                     factors.z[static_cast<std::size_t>(i / plane)];
    std::copy_n(u.data(), size, v.data());
    fftw_execute(backward);
    complex sum = 0;
    for (index j = 1; j <= checksum_terms; ++j) {
      const std::array<index, 3> at = checksum_cell(cells, j);
      sum += v.data()[at[2] * plane + at[1] * cells[0] + at[0]];
    }
    sums.push_back(sum / static_cast<double>(size));
  }
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  return sums;
}

}  // namespace ft
