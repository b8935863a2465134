// SPDX-License-Identifier: BSD-3-Clause
/// Powers of a grid's extents, fitted by least squares where recordings say something of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <plait/simulate/program.hpp>

namespace plait::simulate {

/// Grids as points: the logarithms of their extents, in the directions in which recorded grids
/// differ.  Along one line that is the number of ranks alone.
class grid_space {
 public:
  using point = std::vector<double>;

  explicit grid_space(std::span<const grid_extents> recorded);
  [[nodiscard]] std::size_t directions() const { return directions_.size(); }
  /// Returns the point of a grid; none: it differs in a direction in which no recording does.
  [[nodiscard]] std::optional<point> at(const grid_extents& grid) const;
  /// Returns the change of log2(ranks) along the first direction.
  [[nodiscard]] double ranks_along_first() const;

 private:
  using logarithms = std::array<double, 4>;
  [[nodiscard]] static logarithms logarithms_of(const grid_extents& grid);

  logarithms origin_;
  std::vector<logarithms> directions_;  ///< of length 1, at right angles
};

/// A quantity of the ranks of one class in one recording.
struct scaling_sample {
  std::size_t family = 0;  ///< the class: each has a constant of its own
  grid_space::point at;
  double log2_value = 0;
};

/// Returns the exponents along each direction, or none where samples do not say them.
[[nodiscard]] std::optional<std::vector<double>> fitted_exponents(
    std::span<const scaling_sample> samples, std::size_t directions);

/// Returns the largest deviation of a sample, as a part of its value.
[[nodiscard]] double largest_deviation(std::span<const scaling_sample> samples,
                                       const std::vector<double>& exponents);

/// Returns -1, 0 or 1 within `tolerance`; else a third, a half or two thirds within a quarter of
/// that; none: there is none.
[[nodiscard]] std::optional<double> simple_exponent(double exponent, double tolerance);

}  // namespace plait::simulate
