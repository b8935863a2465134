// SPDX-License-Identifier: BSD-3-Clause
// What is known of a step on a node, from runs that were recorded by hand.
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "measure/load/service_core.hpp"
#include "support/mpi_test.hpp"

namespace plait::measure {
namespace {

constexpr int steps = 10;

measured_variant runs_of(const std::string& name, int workers, double total_s, double compute_s,
                         double overhead_s) {
  measured_variant one;
  one.name = name;
  one.leads = true;
  one.workers = workers;
  kept_run& run = one.runs.emplace_back();
  run.total_s = total_s;
  run.mean.compute_s = compute_s;
  run.mean.overhead_s = overhead_s;
  return one;
}

measurements measured() {
  measurements found;
  found.variants = {runs_of("plait", 2, 14, 12, 0.5)};
  found.ideals = {runs_of("plait_ideal", 2, 10, 9.5, 0.5),
                  runs_of("service_ideal", 1, 18, 17.5, 0.5)};
  found.messages.communication_s = {6};
  found.leaders.communication_s = {5};
  found.leaders.transport_cpu_s = {2};
  return found;
}

TEST(step_of, takes_each_part_from_the_row_that_has_it) {
  const auto step = step_of(measured(), 2, steps);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->cores, 2);
  EXPECT_DOUBLE_EQ(step->computation_s, 1);
  EXPECT_DOUBLE_EQ(step->one_less_s, 1.8);
  EXPECT_DOUBLE_EQ(step->exchange_s, 0.6);
  EXPECT_DOUBLE_EQ(step->network_s, 0.5);
  EXPECT_DOUBLE_EQ(step->transport_s, 0.2);
  EXPECT_DOUBLE_EQ(step->taken_s, 0.5);  // 2 workers, 2.5 s longer in 10 steps
}

TEST(step_of, knows_the_wire_and_no_transport_that_was_not_measured) {
  measurements found = measured();
  found.leaders.wire_bound_s = 3;
  found.leaders.transport_cpu_s = {std::nan("")};
  const auto step = step_of(found, 2, steps);
  EXPECT_DOUBLE_EQ(step->network_s, 0.3);
  EXPECT_DOUBLE_EQ(step->transport_s, 0);
}

TEST(step_of, knows_nothing_where_a_worker_was_given_up_or_nobody_ran) {
  measurements found = measured();
  found.variants[0].workers = 1;
  EXPECT_FALSE(step_of(found, 2, steps).has_value());
  found.variants.clear();
  EXPECT_FALSE(step_of(found, 2, steps).has_value());
}

TEST(share, brings_rank_0_s_step_to_all) {
  environment& env = test::test_environment();
  const known_step known = std::make_shared<std::optional<model::node_step>>();
  share(env, env.rank() == 0 ? step_of(measured(), 2, steps) : std::nullopt, known);
  ASSERT_TRUE(known->has_value());
  EXPECT_DOUBLE_EQ((*known)->one_less_s, 1.8);
  EXPECT_EQ((*known)->cores, 2);
  share(env, std::nullopt, known);
  EXPECT_FALSE(known->has_value());
}

TEST(service_core_of, has_this_node_and_the_usual_sizes) {
  const json said = service_core_of(*step_of(measured(), 2, steps));
  ASSERT_EQ(said["nodes"].size(), 3U);
  EXPECT_EQ(said["nodes"][0]["cores"], 2);
  EXPECT_DOUBLE_EQ(said["nodes"][0]["blocking_s"].get<double>(), 1.6);
  EXPECT_DOUBLE_EQ(said["nodes"][0]["workers_s"].get<double>(), 1.25);
  EXPECT_DOUBLE_EQ(said["nodes"][0]["service_s"].get<double>(), 1.8);
  EXPECT_EQ(said["nodes"][0]["pays"], false);
  EXPECT_EQ(said["nodes"][1]["cores"], 8);
  EXPECT_EQ(said["nodes"][2]["cores"], 64);
  // A thread that has more to do than a step takes: 0.2 s here, and 32 times the cores.
  EXPECT_DOUBLE_EQ(said["nodes"][2]["service_s"].get<double>(), 0.2 * std::pow(32, 2.0 / 3));
  EXPECT_EQ(said["nodes"][2]["pays"], false);
}

}  // namespace
}  // namespace plait::measure
