// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "measure/base/result.hpp"
#include "measure/base/statistics.hpp"

namespace {

using plait::measure::quantile;

TEST(statistics, quartiles_are_interpolated_linearly) {
  // numpy.percentile([1, 2, 3, 4], [25, 50, 75]) = [1.75, 2.5, 3.25]
  const std::vector<double> four{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(four, 0.75), 3.25);
  EXPECT_DOUBLE_EQ(quantile(four, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(four, 1), 4);
}

TEST(statistics, one_value_is_all_its_quantiles) {
  const std::vector<double> one{7};
  for (const double fraction : {0.0, 0.25, 0.5, 1.0}) EXPECT_EQ(quantile(one, fraction), 7);
}

TEST(statistics, a_geometric_mean_has_the_interval_of_its_logarithms) {
  // scipy.stats.t.interval(0.95, 3, mean(log x), sem(log x)) of 1, 2, 4, 8
  const auto [mean, low, high] = plait::measure::geometric_mean(std::vector<double>{4, 1, 8, 2});
  EXPECT_NEAR(mean, std::sqrt(8.0), 1e-12);
  EXPECT_NEAR(low, 0.6811, 2e-4);
  EXPECT_NEAR(high, 11.745, 3e-3);
}

TEST(statistics, many_equal_values_are_their_own_mean) {
  const auto [mean, low, high] = plait::measure::geometric_mean(std::vector<double>(50, 3.0));
  EXPECT_NEAR(mean, 3, 1e-12);
  EXPECT_NEAR(low, 3, 1e-12);
  EXPECT_NEAR(high, 3, 1e-12);
  const auto one = plait::measure::geometric_mean(std::vector<double>{3});
  EXPECT_EQ(one.low, 0);
  EXPECT_TRUE(std::isinf(one.high));
}

TEST(statistics, nothing_has_no_median) {
  EXPECT_TRUE(std::isnan(plait::measure::median({})));
}

TEST(statistics, what_could_not_be_measured_is_left_out) {
  const double nothing = std::nan("");
  const double all = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& some : {std::vector<double>{nothing, 1, 2, 3},
                                          {1, 2, 3, nothing},
                                          {3, nothing, 1, nothing, 2},
                                          {1, all, 2, -all, 3}}) {
    const plait::measure::summary of_three = plait::measure::summarize(some);
    EXPECT_EQ(of_three.median, 2);
    EXPECT_EQ(of_three.q1, 1.5);
    EXPECT_EQ(of_three.q3, 2.5);
    EXPECT_EQ(of_three.samples.size(), some.size());
  }
  EXPECT_TRUE(std::isnan(plait::measure::median(std::vector<double>{nothing, nothing})));
}

TEST(statistics, a_summary_of_nothing_is_null_in_a_result) {
  const auto shown =
      plait::measure::to_json(plait::measure::summarize({std::nan(""), std::nan("")}));
  for (const char* figure : {"median", "q1", "q3"}) EXPECT_TRUE(shown.at(figure).is_null());
  EXPECT_EQ(shown.at("samples").dump(), "[null,null]");
  EXPECT_EQ(plait::measure::to_json(plait::measure::summarize({std::nan(""), 4})).at("median"), 4);
}

TEST(statistics, a_summary_keeps_the_order_of_its_samples) {
  const plait::measure::summary five = plait::measure::summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.q1, 2);
  EXPECT_EQ(five.q3, 4);
  EXPECT_EQ(five.samples, (std::vector<double>{5, 1, 4, 2, 3}));
}

TEST(statistics, an_outlier_is_a_quarter_above_the_mean_of_the_others) {
  using flags = std::vector<bool>;
  EXPECT_EQ(plait::measure::outliers(std::vector<double>{4, 4, 5, 4}),
            (flags{false, false, true, false}));
  EXPECT_EQ(plait::measure::outliers(std::vector<double>{4, 4, 4.99, 4}), flags(4));
  EXPECT_EQ(plait::measure::outliers(std::vector<double>{1}), flags(1));
  EXPECT_EQ(plait::measure::outliers({}), flags());
  EXPECT_DOUBLE_EQ(plait::measure::mean(std::vector<double>{1, 2, 6}), 3);
}

}  // namespace
