// SPDX-License-Identifier: BSD-3-Clause
// What a result says of runs that were recorded by hand: one process, nothing is measured.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "measure/compare/comparison.hpp"
#include "measure/compare/comparison_result.hpp"
#include "support/mpi_test.hpp"

namespace {

using plait::measure::compared_variant;
using plait::measure::comparison;
using plait::measure::json;
using plait::measure::kept_run;
using plait::measure::measured_variant;
using plait::measure::measurements;

compared_variant named(const std::string& name, const std::string& own_ideal = {}) {
  compared_variant one;
  one.name = name;
  one.computes_as_base = own_ideal.empty();
  one.own_ideal = own_ideal;
  return one;
}

/// Runs of about `total_s`, one percent apart.
measured_variant runs_of(const compared_variant& one, double total_s, double compute_s) {
  measured_variant result;
  result.name = one.name;
  result.computes_as_base = one.computes_as_base;
  result.own_ideal = one.own_ideal;
  result.communicates = one.communicates;
  for (const double factor : {0.99, 1.0, 1.01}) {
    kept_run& run = result.runs.emplace_back();
    run.total_s = factor * total_s;
    run.mean.compute_s = compute_s;
  }
  return result;
}

class recorded : public testing::Test {
 protected:
  recorded() {
    what.application = "recorded";
    what.base = "base";
    what.ideal = named("ideal");
    what.own_ideals = {named("tiles_ideal", "tiles_ideal")};
    what.variants = {named("base"), named("plait"), named("tiles", "tiles_ideal"), named("ideal")};
    what.variants[3].communicates = false;
    found.ideal = "ideal";
    found.messages.communication_s = {6, 6, 6};
    found.messages.transport_cpu_s = {1, std::nan(""), 1};
    for (const auto& one : what.variants) found.variants.push_back(runs_of(one, 12, 8));
    found.variants[0] = runs_of(what.variants[0], 16, 9);
    found.variants[3] = runs_of(what.variants[3], 8, 8);
    found.ideals.push_back(runs_of(what.own_ideals[0], 5, 4));
  }

  measured_variant& plait() { return found.variants[1]; }
  measured_variant& tiles() { return found.variants[2]; }
  [[nodiscard]] json result() {
    return plait::measure::result_of(plait::test::test_environment(), what, {}, found);
  }

  comparison what;
  measurements found;
};

TEST_F(recorded, hidden_is_said_of_variants_that_compute_as_base_only) {
  const json hidden = result()["hidden_fraction"];
  EXPECT_EQ(hidden.size(), 3U);
  EXPECT_DOUBLE_EQ(hidden["plait"].get<double>(), 0.5);
  EXPECT_TRUE(hidden["tiles"].is_null());
  EXPECT_TRUE(hidden["ideal"].is_null());
  plait().workers = 2;
  EXPECT_TRUE(result()["hidden_fraction"]["plait"].is_null());
  EXPECT_EQ(result()["variants"]["plait"]["computes_as_base"], false);
  EXPECT_NE(limiter_of(plait(), found).find("its limit is not known"), std::string::npos);
}

TEST_F(recorded, a_variant_that_reuses_the_cache_has_limits_from_its_own_ideal) {
  tiles() = runs_of(what.variants[2], 6.5, 4.5);
  const json one = result()["variants"]["tiles"];
  EXPECT_EQ(one["computes_as_base"], false);
  EXPECT_EQ(one["own_limits"]["ideal"], "tiles_ideal");
  EXPECT_DOUBLE_EQ(one["own_limits"]["ratio_to_ideal"].get<double>(), 1.3);
  EXPECT_DOUBLE_EQ(one["own_limits"]["bound_s"].get<double>(), 6);
  EXPECT_DOUBLE_EQ(one["own_limits"]["attainable_s"].get<double>(), 6);
  EXPECT_DOUBLE_EQ(one["slower_computation"]["total_s"].get<double>(), 0.5);
  EXPECT_FALSE(result()["variants"]["plait"].contains("own_limits"));
  EXPECT_TRUE(result()["variants"]["ideal"]["slower_computation"].is_null());
}

TEST_F(recorded, a_variant_of_another_algorithm_has_no_limits) {
  tiles().own_ideal.clear();
  const json one = result()["variants"]["tiles"];
  EXPECT_FALSE(one.contains("own_limits"));
  EXPECT_TRUE(one["slower_computation"].is_null());
  EXPECT_NE(limiter_of(tiles(), found).find("does not compute as base does"), std::string::npos);
}

TEST_F(recorded, a_variant_with_one_process_a_node_has_limits_from_its_own_messages) {
  what.variants[2].leads = true;
  tiles() = runs_of(what.variants[2], 6.5, 4.5);
  tiles().leads = true;
  tiles().workers = 2;
  found.ideals[0].leads = true;
  found.ideals[0].workers = 2;
  found.leaders.communication_s = {5.5, 5.5, 5.5};
  found.leaders.transport_cpu_s = {0.25, 0.25, 0.25};
  const json own = result()["variants"]["tiles"]["own_limits"];
  EXPECT_DOUBLE_EQ(own["bound_s"].get<double>(), 5.5);
  EXPECT_DOUBLE_EQ(own["attainable_s"].get<double>(), 5.5);
  found.ideals[0].workers = 1;  // none of two workers was measured
  EXPECT_FALSE(result()["variants"]["tiles"].contains("own_limits"));
}

TEST_F(recorded, variants_with_a_known_number_of_operations_have_a_rate) {
  EXPECT_FALSE(result()["variants"]["base"].contains("gflops"));
  set_operations(what, 8e9);
  EXPECT_DOUBLE_EQ(result()["variants"]["base"]["gflops"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(result()["variants"]["ideal"]["gflops"].get<double>(), 1);
}

TEST_F(recorded, who_beats_attainable_by_more_than_its_spread_is_named) {
  EXPECT_EQ(result()["beats_attainable"], json::array());
  plait() = runs_of(what.variants[1], 8.5, 8);  // attainable is 9, quartiles are 0.5 % from 8.5
  EXPECT_EQ(result()["beats_attainable"], json({"plait"}));
  EXPECT_GT(result()["attainable_s"], 8.5);
  tiles() = runs_of(what.variants[2], 5.5, 4.5);  // of its own, 6
  EXPECT_EQ(result()["beats_attainable"], json({"plait", "tiles"}));
}

TEST_F(recorded, computation_alone_is_no_slower_than_any_run_that_computes_as_base) {
  // In two of three rounds other programs disturbed the ideal, and the run of plait beside it less.
  const std::vector<double> disturbed{8, 16, 14}, computing{8.5, 9, 9.5}, totals{10, 10, 10.5};
  for (std::size_t round = 0; round < 3; ++round) {
    found.variants[3].runs[round].total_s = disturbed[round];
    plait().runs[round].total_s = totals[round];
    plait().runs[round].computing_s = computing[round];
    tiles().runs[round].computing_s = 1;  // computes otherwise
  }
  const json one = result();
  EXPECT_EQ(one["computation_s"]["samples"], json({8.0, 9.0, 9.5}));
  EXPECT_EQ(one["computation_from"], json({{"plait", 2}}));
  EXPECT_EQ(one["bound_s"], 9);
  EXPECT_EQ(one["attainable_s"], 10);
  EXPECT_EQ(one["attainable_by_round_s"]["samples"], json({9.0, 10.0, 10.5}));
  EXPECT_EQ(one["beats_attainable"], json::array());
  EXPECT_EQ(one["variants"]["tiles"]["own_limits"]["computation_s"]["samples"],
            json({1.0, 1.0, 1.0}));
}

TEST_F(recorded, no_run_is_below_its_bound) {
  // Whatever was measured alone: a run contains its computation and its messages.
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937 chance(static_cast<unsigned>(seed));
    const auto some = [&] { return std::uniform_real_distribution(0.1, 10.0)(chance); };
    const auto at_random = [&](measured_variant& one) {
      for (kept_run& run : one.runs) {
        run.computing_s = some();
        run.total_s = run.computing_s + some();
      }
    };
    for (measured_variant& one : found.variants) at_random(one);
    for (measured_variant& one : found.ideals) at_random(one);
    for (double& alone : found.messages.communication_s) alone = 3 * some();
    const json one = result();
    for (const char* name : {"base", "plait"})
      for (std::size_t round = 0; round < 3; ++round)
        EXPECT_GE(one["variants"][name]["total_s"]["samples"][round],
                  one["bound_by_round_s"]["samples"][round])
            << name << ", seed " << seed;
    EXPECT_GE(one["variants"]["base"]["total_s"]["median"], one["bound_s"]) << "seed " << seed;
    EXPECT_GE(one["variants"]["plait"]["total_s"]["median"], one["bound_s"]) << "seed " << seed;
    const json& tiled = one["variants"]["tiles"];
    EXPECT_GE(tiled["total_s"]["median"], tiled["own_limits"]["bound_s"]) << "seed " << seed;
  }
}

TEST_F(recorded, messages_alone_stay_as_measured_where_the_wires_time_stands_for_them) {
  plait() = runs_of(what.variants[1], 5, 4);
  found.variants[3] = runs_of(what.variants[3], 4, 4);
  EXPECT_DOUBLE_EQ(result()["communication_s"]["median"].get<double>(), 5) << "that of plait's run";
  found.messages.wire_bound_s = 3;
  EXPECT_EQ(result()["communication_s"]["median"], 6);
  EXPECT_EQ(result()["bound_s"], 4);
}

TEST_F(recorded, rounds_in_which_the_transport_could_not_be_measured_are_left_out) {
  EXPECT_EQ(result()["transport_cpu_s"]["median"], 1);
  EXPECT_EQ(result()["attainable_s"], 9);
  found.messages.transport_cpu_s.assign(3, std::nan(""));
  EXPECT_TRUE(result()["transport_cpu_s"]["median"].is_null());
  EXPECT_TRUE(result()["transport_look_s"].is_null());
  EXPECT_EQ(result()["attainable_s"], 8);
  EXPECT_TRUE(result()["variants"]["base"]["slower_computation"]["transport_s"].is_null());
}

TEST_F(recorded, the_fastest_as_base_computes_as_it_and_communicates) {
  tiles() = runs_of(what.variants[2], 6.5, 4.5);
  EXPECT_EQ(found.fastest_as_base()->name, "plait");
  plait().workers = 2;
  EXPECT_EQ(found.fastest_as_base()->name, "base");
  EXPECT_EQ(found.fastest()->name, "tiles");
  found.variants[3] = runs_of(what.variants[3], 1, 1);  // computation alone does not count
  EXPECT_EQ(found.fastest()->name, "tiles");
  EXPECT_EQ(found.fastest([](const auto&) { return false; }), nullptr);
}

TEST_F(recorded, slower_computation_says_what_explains_it) {
  plait() = runs_of(what.variants[1], 12, 9.5);
  for (kept_run& run : plait().runs) run.proxy_cpu_s = 0.25;
  const json slower = result()["variants"]["plait"]["slower_computation"];
  EXPECT_DOUBLE_EQ(slower["total_s"].get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(slower["transport_s"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(slower["proxy_s"].get<double>(), 0.25);
  EXPECT_TRUE(result()["variants"]["base"]["slower_computation"]["proxy_s"].is_null());
}

}  // namespace
