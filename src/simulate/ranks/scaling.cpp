// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace plait::simulate {
namespace {

constexpr double nothing = 1e-9;

/// Means of a family.
struct centre {
  std::vector<double> at;
  double value = 0;
  double count = 0;
};

[[nodiscard]] std::map<std::size_t, centre> centres_of(std::span<const scaling_sample> samples) {
  std::map<std::size_t, centre> all;
  for (const scaling_sample& one : samples) {
    centre& of = all[one.family];
    of.at.resize(one.at.size());
    for (std::size_t i = 0; i < one.at.size(); ++i) of.at[i] += one.at[i];
    of.value += one.log2_value;
    of.count += 1;
  }
  for (auto& [_, of] : all) {
    for (double& along : of.at) along /= of.count;
    of.value /= of.count;
  }
  return all;
}

/// Solves by elimination with the largest pivot; none: singular.
[[nodiscard]] std::optional<std::vector<double>> solved(std::vector<std::vector<double>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < n; ++row)
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    if (std::abs(rows[pivot][column]) < nothing) return std::nullopt;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t i = column; i <= n; ++i) rows[row][i] -= factor * rows[column][i];
    }
  }
  std::vector<double> solution(n);
  for (std::size_t i = 0; i < n; ++i) solution[i] = rows[i][n] / rows[i][i];
  return solution;
}

}  // namespace

grid_space::grid_space(std::span<const grid_extents> recorded)
    : origin_(logarithms_of(recorded.front())) {
  for (const grid_extents& grid : recorded) {
    logarithms rest = logarithms_of(grid);
    for (std::size_t axis = 0; axis < rest.size(); ++axis) rest[axis] -= origin_[axis];
    for (const logarithms& one : directions_) {
      const double along = std::inner_product(rest.begin(), rest.end(), one.begin(), 0.0);
      for (std::size_t axis = 0; axis < rest.size(); ++axis) rest[axis] -= along * one[axis];
    }
    const double length =
        std::sqrt(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0));
    if (length < nothing) continue;
    for (double& along : rest) along /= length;
    directions_.push_back(rest);
  }
}

grid_space::logarithms grid_space::logarithms_of(const grid_extents& grid) {
  logarithms all{};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) all[axis] = std::log2(grid[axis]);
  return all;
}

std::optional<grid_space::point> grid_space::at(const grid_extents& grid) const {
  logarithms rest = logarithms_of(grid);
  for (std::size_t axis = 0; axis < rest.size(); ++axis) rest[axis] -= origin_[axis];
  point found;
  for (const logarithms& one : directions_) {
    const double along = std::inner_product(rest.begin(), rest.end(), one.begin(), 0.0);
    for (std::size_t axis = 0; axis < rest.size(); ++axis) rest[axis] -= along * one[axis];
    found.push_back(along);
  }
  const bool is_far =
      std::ranges::any_of(rest, [](double along) { return std::abs(along) > 1e-6; });
  return is_far ? std::nullopt : std::optional(found);
}

double grid_space::ranks_along_first() const {
  return std::accumulate(directions_.front().begin(), directions_.front().end(), 0.0);
}

std::optional<std::vector<double>> fitted_exponents(std::span<const scaling_sample> samples,
                                                    std::size_t directions) {
  std::vector<std::vector<double>> rows(directions, std::vector<double>(directions + 1, 0.0));
  const auto centres = centres_of(samples);
  for (const scaling_sample& one : samples) {
    const centre& of = centres.at(one.family);
    for (std::size_t i = 0; i < directions; ++i) {
      for (std::size_t j = 0; j < directions; ++j)
        rows[i][j] += (one.at[i] - of.at[i]) * (one.at[j] - of.at[j]);
      rows[i][directions] += (one.at[i] - of.at[i]) * (one.log2_value - of.value);
    }
  }
  return solved(std::move(rows));
}

double largest_deviation(std::span<const scaling_sample> samples,
                         const std::vector<double>& exponents) {
  const auto centres = centres_of(samples);
  double largest = 0;
  for (const scaling_sample& one : samples) {
    const centre& of = centres.at(one.family);
    double fitted = of.value;
    for (std::size_t i = 0; i < exponents.size(); ++i)
      fitted += exponents[i] * (one.at[i] - of.at[i]);
    largest = std::max(largest, std::abs(std::exp2(one.log2_value - fitted) - 1));
  }
  return largest;
}

std::optional<double> simple_exponent(double exponent, double tolerance) {
  const double whole = std::round(exponent);
  if (std::abs(whole) <= 1 && std::abs(exponent - whole) <= tolerance) return whole + 0.0;
  for (const double fraction : {1.0 / 3, 0.5, 2.0 / 3})
    for (const double signed_one : {fraction, -fraction})
      if (std::abs(exponent - signed_one) <= tolerance / 4) return signed_one;
  return std::nullopt;
}

}  // namespace plait::simulate
