// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <plait/model/line.hpp>

#include "networks.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::fit_line;
using model::line;
using model::line_method;
using model::point;

constexpr line_method methods[] = {line_method::least_squares, line_method::theil_sen};

std::vector<point> points_on(double at_zero_s, double per_byte_s, int count) {
  std::vector<point> points;
  for (int i = 0; i < count; ++i) {
    const double size_bytes = 1 + 1024.0 * i;
    points.push_back({size_bytes, at_zero_s + per_byte_s * size_bytes});
  }
  return points;
}

TEST(line, goes_through_points_that_lie_on_one) {
  for (const line_method method : methods) {
    const line fit = fit_line(points_on(3e-6, 2e-9, 40), method);
    EXPECT_NEAR(fit.at_zero_s, 3e-6, 1e-17) << to_string(method);
    EXPECT_NEAR(fit.per_byte_s, 2e-9, 1e-21) << to_string(method);
    EXPECT_LT(fit.residual_s, 1e-17) << to_string(method);
    EXPECT_NEAR(fit.at(1000), 5e-6, 1e-17) << to_string(method);
  }
}

TEST(line, of_two_points_leaves_no_residual) {
  for (const line_method method : methods) {
    const line fit = fit_line(std::vector<point>{{4, 1}, {2, 5}}, method);
    EXPECT_EQ(fit.per_byte_s, -2);
    EXPECT_EQ(fit.at_zero_s, 9);
    EXPECT_EQ(fit.residual_s, 0);
  }
}

TEST(line, least_squares_by_hand) {
  // numpy.polyfit([0, 1, 2, 3], [1, 3, 2, 6], 1) = [1.4, 0.9]; the deviations' squares are below
  const line fit = fit_line(std::vector<point>{{0, 1}, {1, 3}, {2, 2}, {3, 6}});
  EXPECT_NEAR(fit.per_byte_s, 1.4, 1e-14);
  EXPECT_NEAR(fit.at_zero_s, 0.9, 1e-14);
  EXPECT_NEAR(fit.residual_s, std::sqrt((0.01 + 0.49 + 2.89 + 0.81) / 2), 1e-14);
}

TEST(line, a_median_is_the_middle_one_or_between_two) {
  EXPECT_EQ(model::median({3}), 3);
  EXPECT_EQ(model::median({5, 1, 3}), 3);
  EXPECT_EQ(model::median({5, 1, 4, 3}), 3.5);
}

TEST(line, theil_sen_by_hand) {
  // Slopes -1, 0.5, 1.5, 5/3, 2, 4: between the middle two; what remains: -7/6, 1, 5/4, 17/12.
  const line fit =
      fit_line(std::vector<point>{{0, 1}, {1, 3}, {2, 2}, {3, 6}}, line_method::theil_sen);
  EXPECT_NEAR(fit.per_byte_s, (1.5 + 5.0 / 3) / 2, 1e-14);
  EXPECT_NEAR(fit.at_zero_s, (1 + 1.25) / 2, 1e-14);
}

TEST(line, wild_points_move_least_squares_and_not_theil_sen) {
  std::vector<point> points = points_on(3e-6, 2e-9, 40);
  for (std::size_t i = 3; i < points.size(); i += 4) points[i].time_s *= 10;
  EXPECT_GT(fit_line(points).per_byte_s, 4e-9);
  const line fit = fit_line(points, line_method::theil_sen);
  EXPECT_NEAR(fit.per_byte_s, 2e-9, 2e-11);
  EXPECT_NEAR(fit.at_zero_s, 3e-6, 3e-7);
}

TEST(line, bounded_noise_moves_it_no_further_than_it_can) {
  // The slope is Σ w_i t_i with w_i = (s_i - mean) / Σ (s_j - mean)², so noise of at most e moves
  // it by at most e Σ |w_i|.
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<point> points = points_on(3e-6, 2e-9, 64);
    const double noise_s = 1e-6;
    for (point& p : points)
      p.time_s += std::uniform_real_distribution<double>(-noise_s, noise_s)(random);
    const double mean = 1 + 1024 * 31.5;
    double weights = 0, squares = 0;
    for (const point& p : points) {
      weights += std::abs(p.size_bytes - mean);
      squares += (p.size_bytes - mean) * (p.size_bytes - mean);
    }
    const line fit = fit_line(points);
    EXPECT_NEAR(fit.per_byte_s, 2e-9, noise_s * weights / squares) << "seed " << seed;
    EXPECT_LE(fit.residual_s, noise_s * std::sqrt(64.0 / 62)) << "seed " << seed;
    EXPECT_GT(fit.residual_s, noise_s / 3) << "seed " << seed;  // e/√3 for uniform noise
  }
}

TEST(line, points_of_one_size_make_none) {
  const auto refusal_of = [](const std::vector<point>& points) {
    return refusal([&] { (void)fit_line(points); });
  };
  EXPECT_EQ(refusal_of({}), "a line needs points of two different sizes; there are 0 of one size");
  EXPECT_EQ(refusal_of({{8, 1}}),
            "a line needs points of two different sizes; there is 1 of one size");
  EXPECT_EQ(refusal_of({{8, 1}, {8, 2}}),
            "a line needs points of two different sizes; there are 2 of one size");
  EXPECT_EQ(refusal_of({{8, 1}, {9, std::numeric_limits<double>::infinity()}}),
            "inf s at 9 bytes: a line needs finite points");
}

}  // namespace
}  // namespace plait::test
