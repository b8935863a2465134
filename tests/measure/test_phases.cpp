// SPDX-License-Identifier: BSD-3-Clause
// What the rest of a policy's time is: shares that are known, of runs that are made up.
#include <vector>

#include <gtest/gtest.h>

#include "measure/compare/phases.hpp"

namespace {

using plait::measure::node_phases;
using plait::measure::phase_record;
using plait::measure::rest_of;
using plait::measure::rest_of_time;

/// A node whose every phase is alike: it begins at `first + i * each`.
[[nodiscard]] node_phases node_of(int rank, int neighbour, double first, double each, int phases,
                                  const std::vector<double>& parts, double inner_computed,
                                  double after_computed) {
  node_phases node{.rank = rank, .clock_offset_s = 0, .proxy_cpu_s = {}, .record = {}};
  phase_record& r = node.record;
  for (int i = 0; i < phases; ++i) {
    r.begun_s.push_back(first + i * each);
    r.posted_s.push_back(parts[0]);
    r.inner_s.push_back(parts[1]);
    r.waited_s.push_back(parts[2]);
    r.after_s.push_back(parts[3]);
  }
  r.inner_computed_s = phases * inner_computed;
  r.after_computed_s = phases * after_computed;
  r.neighbours = {neighbour};
  return node;
}

TEST(phases, parts_add_up_to_the_time_of_the_mean_node) {
  const auto a = node_of(0, 1, 0, 12, 4, {1, 6, 2, 3}, 5.5, 2);
  const auto b = node_of(1, 0, 0.5, 12, 4, {1, 5, 4, 2}, 5, 2);
  const rest_of_time rest = rest_of({a, b}, 3, 2);
  EXPECT_NEAR(rest.sum_s(), 4 * 12, 1e-12);
  EXPECT_NEAR(rest.computation_s, 4 * 0.5 * (7.5 + 7), 1e-12);
  EXPECT_NEAR(rest.threads_s, 4 * 0.5 * 0.5, 1e-12);
  EXPECT_NEAR(rest.annulus_s, 4 * 0.5 * 1, 1e-12);
  EXPECT_NEAR(rest.posting_s, 4 * 1, 1e-12);
  EXPECT_FALSE(rest.proxy_utilisation.has_value());
}

TEST(phases, a_wait_on_a_punctual_neighbour_is_for_the_wire_until_the_message_can_be_there) {
  // The wait begins 2 after the exchange, which takes 5; it lasts 4.
  const auto a = node_of(0, 1, 0, 10, 2, {0, 2, 4, 4}, 2, 4);
  const auto b = node_of(1, 0, 0, 10, 2, {0, 2, 4, 4}, 2, 4);
  const rest_of_time rest = rest_of({a, b}, 5, 1);
  EXPECT_NEAR(rest.transfer_s, 2 * 3, 1e-12);
  EXPECT_NEAR(rest.polling_s, 2 * 1, 1e-12);
  EXPECT_NEAR(rest.lag_s + rest.nodes_s + rest.drift_s, 0, 1e-12);
}

TEST(phases, a_wait_on_a_late_neighbour_is_imbalance_between_nodes_as_far_as_sweeps_differ) {
  // b begins 3 later each time; its sweeps take 2 more in a phase.
  const auto a = node_of(0, 1, 0, 10, 3, {0, 0, 5, 5}, 0, 5);
  const auto b = node_of(1, 0, 3, 10, 3, {0, 0, 3, 7}, 0, 7);
  const rest_of_time rest = rest_of({a, b}, 0.5, 1);
  // Of a's wait 3 are for b; the mean over both nodes is half of that, and so is the imbalance.
  EXPECT_NEAR(rest.nodes_s, 3 * 1.0, 1e-12);
  EXPECT_NEAR(rest.lag_s, 3 * 0.5, 1e-12);
  EXPECT_NEAR(rest.largest_lag_s, 3, 1e-12);
  EXPECT_NEAR(rest.drift_s, 0, 1e-12);
}

TEST(phases, clocks_are_set_right_before_lags_are_told) {
  auto a = node_of(0, 1, 0, 10, 2, {0, 0, 1, 9}, 0, 9);
  auto b = node_of(1, 0, 107, 10, 2, {0, 0, 1, 9}, 0, 9);
  b.clock_offset_s = -107;
  EXPECT_NEAR(rest_of({a, b}, 1, 1).largest_lag_s, 0, 1e-12);
  b.clock_offset_s = -106;
  EXPECT_NEAR(rest_of({a, b}, 1, 1).largest_lag_s, 1, 1e-12);
}

TEST(phases, a_neighbour_that_falls_behind_drifts) {
  // b loses 0.3 in each phase, 0.6 in an iteration of two.
  const auto a = node_of(0, 1, 0, 10, 6, {0, 8, 1, 1}, 8, 1);
  const auto b = node_of(1, 0, 0, 10.3, 6, {0, 8.3, 1, 1}, 8.3, 1);
  EXPECT_NEAR(rest_of({a, b}, 1, 2).drift_s, 0.6, 1e-12);
}

TEST(phases, the_proxy_s_processor_time_is_a_share_of_the_run) {
  auto a = node_of(0, 0, 0, 10, 4, {0, 5, 0, 5}, 5, 5);
  a.proxy_cpu_s = 10;
  EXPECT_NEAR(rest_of({a}, 1, 2).proxy_utilisation.value_or(0), 0.25, 1e-12);
}

TEST(phases, records_come_back_as_they_were_sent) {
  const phase_record one = node_of(0, 3, 1, 2, 3, {1, 2, 3, 4}, 2, 4).record;
  const phase_record back = plait::measure::phase_record_from(to_json(one));
  EXPECT_EQ(back.begun_s, one.begun_s);
  EXPECT_EQ(back.waited_s, one.waited_s);
  EXPECT_EQ(back.after_computed_s, one.after_computed_s);
  EXPECT_EQ(back.neighbours, one.neighbours);
}

TEST(phases, medians_are_told_for_an_iteration) {
  rest_of_time one;
  one.computation_s = 8;
  one.threads_s = 2;
  one.drift_s = 0.1;
  const auto said = plait::measure::to_json(std::vector{one, one, one}, {10.0, 10.0, 20.0}, 2);
  EXPECT_EQ(said["computation_s"], 4);
  EXPECT_EQ(said["sum_share"], 1);
  EXPECT_NEAR(said["drift_share"].get<double>(), 0.02, 1e-12);
  EXPECT_TRUE(said["proxy_utilisation"].is_null());
  EXPECT_TRUE(plait::measure::to_json({}, {}, 2).is_null());
}

TEST(phases, the_limiter_names_the_largest_part) {
  rest_of_time one;
  one.computation_s = 6;
  one.annulus_s = 1;
  one.lag_s = 3;
  plait::measure::json result{{"limiter", "x is near"}};
  result["variants"]["x"]["rest"] = plait::measure::to_json(std::vector{one}, {10.0}, 1);
  result["variants"]["y"]["rest"] = nullptr;
  plait::measure::add_largest_part(result, "y");
  EXPECT_EQ(result["limiter"], "x is near");
  plait::measure::add_largest_part(result, "x");
  EXPECT_EQ(result["limiter"],
            "x is near; beside computation most is the phase lag between neighbours, 30.0 % of an "
            "iteration");
}

}  // namespace
