// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <algorithm>
#include <bit>

#include <plait/plait.hpp>

namespace plait::bench::metg {
namespace {

// Task Bench's defaults, but for the radix, which it lets the user choose.
constexpr long radix = 5;
constexpr long drawn_sets = 3;
constexpr double connected = 0.25;

// ⌈log2 n⌉
long doublings(long n) {
  return static_cast<long>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

bool drawn(long set, long from, long to) {
  const std::uint64_t hash =
      mixed(mixed(mixed(static_cast<std::uint64_t>(set)) + static_cast<std::uint64_t>(from)) +
            static_cast<std::uint64_t>(to));
  return static_cast<double>(hash) < connected * 0x1p64;
}

void add_range(std::vector<long>& points, long first, long last) {
  for (long i = first; i <= last; ++i) points.push_back(i);
}

}  // namespace

pattern::pattern(const std::string& name, long width)
    : kind_(static_cast<kind>(std::ranges::find(names, name) - names.begin())), width_(width) {
  PLAIT_EXPECTS(std::ranges::find(names, name) != names.end(), "an unknown pattern");
  PLAIT_EXPECTS(width >= 1, "a pattern has at least one point");
}

long pattern::width_at(long step) const noexcept {
  if (kind_ != kind::tree) return width_;
  return step >= doublings(width_) ? width_ : std::min(width_, 1L << step);
}

long pattern::period() const noexcept {
  switch (kind_) {
    case kind::fft:
      return std::max(1L, doublings(width_));
    case kind::spread:
    case kind::random:
      return drawn_sets;
    default:
      return 1;
  }
}

long pattern::ramp() const noexcept {
  return kind_ == kind::tree ? doublings(width_) + 1 : 1;
}

std::vector<long> pattern::candidates(long set, long point) const {
  std::vector<long> points;
  switch (kind_) {
    case kind::trivial:
      break;
    case kind::stencil_1d:
      add_range(points, point - 1, point + 1);
      break;
    case kind::fft:
      points = {point - (1L << set), point, point + (1L << set)};
      break;
    case kind::tree:
      points = {point / 2};
      break;
    case kind::nearest:
      add_range(points, point - radix / 2, point + (radix - 1) / 2);
      break;
    case kind::spread:
      for (long j = 0; j < radix; ++j)
        points.push_back((point + j * width_ / radix + (j > 0 ? set : 0)) % width_);
      break;
    case kind::random:
      for (long i = point - radix / 2; i <= point + (radix - 1) / 2; ++i)
        if (i == point || drawn(set, i, point)) points.push_back(i);
      break;
  }
  return points;
}

std::vector<long> pattern::inputs(long step, long point) const {
  if (step == 0) return {};
  const long set = kind_ == kind::fft ? (step + period() - 1) % period() : step % period();
  std::vector<long> points = candidates(set, point);
  const long width_before = width_at(step - 1);
  std::erase_if(points, [&](long i) { return i < 0 || i >= width_before; });
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace plait::bench::metg
