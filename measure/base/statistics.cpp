// SPDX-License-Identifier: BSD-3-Clause
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace plait::measure {

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

std::vector<bool> outliers(std::span<const double> values) {
  std::vector<bool> result(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (std::size_t i = 0; values.size() > 1 && i < values.size(); ++i)
    result[i] = values[i] >= 1.25 * (sum - values[i]) / static_cast<double>(values.size() - 1);
  return result;
}

}  // namespace plait::measure
