// SPDX-License-Identifier: BSD-3-Clause
/// Straight lines through measured times over sizes: least squares, and one that a few wild points
/// do not move.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plait::model {

/// One measured time.
struct point {
  double size_bytes = 0;
  double time_s = 0;
};

/// Seconds as a linear function of bytes.
struct line {
  double at_zero_s = 0;
  double per_byte_s = 0;
  /// Root of the squared deviations' sum over n - 2; 0 for two points.
  double residual_s = 0;

  [[nodiscard]] double at(double size_bytes) const noexcept {
    return at_zero_s + per_byte_s * size_bytes;
  }
};

/// Returns the middle value, or the mean of the two middle ones.  Precondition: there is one.
[[nodiscard]] double median(std::vector<double> values);

/// Says how a line is laid through points.
enum class line_method : std::uint8_t {
  least_squares,
  theil_sen,  ///< the median slope of all pairs; up to 29 % of the points may be wild
};
[[nodiscard]] std::string_view to_string(line_method method) noexcept;

/// Returns the line through the points, in any order.  Throws usage_error, one line, without two
/// points of different sizes, and where one is not finite.  Cost: n for least squares, n² log n for
/// Theil-Sen.
[[nodiscard]] line fit_line(std::span<const point> points,
                            line_method method = line_method::least_squares);

}  // namespace plait::model
