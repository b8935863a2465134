// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace plait::measure {
namespace {

/// Returns Student's t of two-sided 95 %.  From 31 degrees of freedom on by Cornish and Fisher's
/// expansion, which is right to 0.001 there.  [Abramowitz and Stegun 1964, table 26.10, 26.7.5]
double student_t_95(std::size_t freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= std::size(table)) return table[freedom - 1];
  constexpr double z = 1.959964;
  return z + (z * z * z + z) / (4 * static_cast<double>(freedom));
}

}  // namespace

double quantile(std::span<const double> values, double fraction) {
  std::vector<double> sorted;
  std::ranges::copy_if(values, std::back_inserter(sorted),
                       [](double v) { return std::isfinite(v); });
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(sorted);
  const double position = static_cast<double>(sorted.size() - 1) * std::clamp(fraction, 0.0, 1.0);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

summary summarize(std::vector<double> samples) {
  summary result;
  result.median = median(samples);
  result.q1 = quantile(samples, 0.25);
  result.q3 = quantile(samples, 0.75);
  result.samples = std::move(samples);
  return result;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

mean_interval geometric_mean(std::span<const double> values) {
  std::vector<double> logs;
  std::ranges::transform(values, std::back_inserter(logs), [](double v) { return std::log(v); });
  const double centre = mean(logs);
  constexpr double everything = std::numeric_limits<double>::infinity();
  if (logs.size() < 2) return {std::exp(centre), 0, everything};
  double squares = 0;
  for (const double one : logs) squares += (one - centre) * (one - centre);
  const auto n = static_cast<double>(logs.size());
  const double half = student_t_95(logs.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {std::exp(centre), std::exp(centre - half), std::exp(centre + half)};
}

std::vector<bool> outliers(std::span<const double> values) {
  std::vector<bool> result(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (std::size_t i = 0; values.size() > 1 && i < values.size(); ++i)
    result[i] = values[i] >= 1.25 * (sum - values[i]) / static_cast<double>(values.size() - 1);
  return result;
}

}  // namespace plait::measure
