// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/line.hpp>

namespace plait::model {
namespace {

void check(std::span<const point> points) {
  for (const point& p : points) {
    if (!std::isfinite(p.size_bytes) || !std::isfinite(p.time_s))
      throw usage_error(
          fmt::format("{:g} s at {:g} bytes: a line needs finite points", p.time_s, p.size_bytes));
  }
  const auto other = [&](const point& p) { return p.size_bytes != points.front().size_bytes; };
  if (!std::ranges::any_of(points, other))
    throw usage_error(
        fmt::format("a line needs points of two different sizes; there {} {} of one size",
                    points.size() == 1 ? "is" : "are", points.size()));
}

double residual_of(std::span<const point> points, const line& fit) {
  if (points.size() <= 2) return 0;
  double squares = 0;
  for (const point& p : points) {
    const double off_s = p.time_s - fit.at(p.size_bytes);
    squares += off_s * off_s;
  }
  return std::sqrt(squares / static_cast<double>(points.size() - 2));
}

// Around the centre of the points, where nothing cancels.
line least_squares(std::span<const point> points) {
  const auto count = static_cast<double>(points.size());
  point centre;
  for (const point& p : points) {
    centre.size_bytes += p.size_bytes / count;
    centre.time_s += p.time_s / count;
  }
  double products = 0;
  double squares = 0;
  for (const point& p : points) {
    const double from_centre = p.size_bytes - centre.size_bytes;
    products += from_centre * (p.time_s - centre.time_s);
    squares += from_centre * from_centre;
  }
  const double per_byte_s = products / squares;
  return {centre.time_s - per_byte_s * centre.size_bytes, per_byte_s};
}

// The median of the slopes of all pairs, then of what remains  [Theil 1950, Sen 1968].
line theil_sen(std::span<const point> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double distance = points[j].size_bytes - points[i].size_bytes;
      if (distance != 0) slopes.push_back((points[j].time_s - points[i].time_s) / distance);
    }
  const double per_byte_s = median(std::move(slopes));
  std::vector<double> rest;
  for (const point& p : points) rest.push_back(p.time_s - per_byte_s * p.size_bytes);
  return {median(std::move(rest)), per_byte_s};
}

}  // namespace

double median(std::vector<double> values) {
  PLAIT_EXPECTS(!values.empty(), "no values");
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string_view to_string(line_method method) noexcept {
  switch (method) {
    case line_method::least_squares:
      return "least_squares";
    case line_method::theil_sen:
      return "theil_sen";
  }
  return "unknown";
}

line fit_line(std::span<const point> points, line_method method) {
  check(points);
  line fit = method == line_method::theil_sen ? theil_sen(points) : least_squares(points);
  fit.residual_s = residual_of(points, fit);
  return fit;
}

}  // namespace plait::model
