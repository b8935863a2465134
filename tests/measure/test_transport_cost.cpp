// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "measure/load/transport_cost.hpp"
#include "support/mpi_test.hpp"

namespace {

using plait::test::test_environment;
using std::chrono::microseconds;

TEST(transport_cpu, is_measured_with_each_interval_between_looks) {
  auto& env = test_environment();
  std::map<microseconds, int> exchanges;
  double counted = 0;
  const std::vector<microseconds> intervals{microseconds{100}, microseconds{300}};
  const std::vector<double> cost =
      plait::measure::transport_cpu_s(env, {.work = [&] { counted = std::sqrt(counted + 1); },
                                            .exchange =
                                                [&](microseconds interval) {
                                                  ++exchanges[interval];
                                                  env.barrier();
                                                },
                                            .exchange_s = 1e-3,
                                            .sample_s = 2e-3,
                                            .rounds = 2,
                                            .intervals = intervals});
  EXPECT_EQ(cost.size(), intervals.size());
  EXPECT_EQ(exchanges.size(), intervals.size());
  for (const microseconds interval : intervals) EXPECT_GE(exchanges[interval], 4);
  for (const double one : cost) EXPECT_FALSE(one < 0);
}

TEST(transport_cpu, is_unknown_on_a_rank_that_takes_no_part_and_sleeps) {
  auto& env = test_environment();
  const bool takes_part = env.rank() == 0;
  int exchanges = 0;
  double counted = 0;
  const std::vector<double> cost =
      plait::measure::transport_cpu_s(env, {.work = [&] { counted = std::sqrt(counted + 1); },
                                            .exchange = [&](microseconds) { ++exchanges; },
                                            .exchange_s = 1e-3,
                                            .sample_s = 2e-3,
                                            .rounds = 2,
                                            .takes_part = takes_part,
                                            .some_sleep = true});
  EXPECT_EQ(cost.size(), 1U);
  EXPECT_EQ(exchanges > 0, takes_part);
  EXPECT_TRUE(takes_part || std::isnan(cost[0]));
}

TEST(cheapest, is_the_way_with_the_least_median_of_what_was_measured) {
  const double nothing = std::nan("");
  using ways = std::vector<std::vector<double>>;
  EXPECT_EQ(plait::measure::cheapest(ways{{3, 1, 9}, {2, 2, 2}, {2.5, 2.5, 0}}), 1U);
  EXPECT_EQ(plait::measure::cheapest(ways{{nothing, nothing}, {nothing, 7}, {8, 8}}), 1U);
  EXPECT_EQ(plait::measure::cheapest(ways{{nothing}, {nothing}}), 0U);
}

}  // namespace
