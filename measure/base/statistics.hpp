// SPDX-License-Identifier: BSD-3-Clause
/// Medians and quartiles of repeated measurements.
#pragma once

#include <span>
#include <vector>

namespace plait::measure {

/// Quantile `fraction` of the values: linear interpolation between the two nearest order statistics
/// at (n - 1) * fraction (Hyndman and Fan's type 7, the default of R and NumPy).  Leaves out values
/// that are not finite: what could not be measured counts neither as small nor as large.  NaN
/// where none is left.
[[nodiscard]] double quantile(std::span<const double> values, double fraction);
[[nodiscard]] double median(std::span<const double> values);

/// A quantity measured once per repetition.
struct summary {
  double median = 0;
  double q1 = 0;
  double q3 = 0;
  std::vector<double> samples;  ///< in the order they were measured, those that are not finite too
};

[[nodiscard]] summary summarize(std::vector<double> samples);

/// NaN without values.
[[nodiscard]] double mean(std::span<const double> values);

/// A mean, and what it lies between with a probability of 95 %.
struct mean_interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};
/// Returns the geometric mean of positive values, with its interval by Student's t of their
/// logarithms, as if those were normal.  Of one value the interval is everything, and of none the
/// mean is NaN.
[[nodiscard]] mean_interval geometric_mean(std::span<const double> values);

/// Returns, for each value, whether it is at least a quarter larger than the mean of the others;
/// false if there is one value.  [Baden and Shalit 2001, section 3.2]
[[nodiscard]] std::vector<bool> outliers(std::span<const double> values);

}  // namespace plait::measure
