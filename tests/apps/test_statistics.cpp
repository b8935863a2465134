// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/statistics.hpp"

namespace {

using plait::app::quantile;

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

TEST(statistics, nothing_has_no_median) {
  EXPECT_TRUE(std::isnan(plait::app::median({})));
}

TEST(statistics, a_summary_keeps_the_order_of_its_samples) {
  const plait::app::summary five = plait::app::summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.q1, 2);
  EXPECT_EQ(five.q3, 4);
  EXPECT_EQ(five.samples, (std::vector<double>{5, 1, 4, 2, 3}));
}

TEST(statistics, an_outlier_is_a_quarter_above_the_mean_of_the_others) {
  using flags = std::vector<bool>;
  EXPECT_EQ(plait::app::outliers(std::vector<double>{4, 4, 5, 4}),
            (flags{false, false, true, false}));
  EXPECT_EQ(plait::app::outliers(std::vector<double>{4, 4, 4.99, 4}), flags(4));
  EXPECT_EQ(plait::app::outliers(std::vector<double>{1}), flags(1));
  EXPECT_EQ(plait::app::outliers({}), flags());
  EXPECT_DOUBLE_EQ(plait::app::mean(std::vector<double>{1, 2, 6}), 3);
}

}  // namespace
