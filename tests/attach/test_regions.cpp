// SPDX-License-Identifier: BSD-3-Clause
// Regions of ranks become one tree, whatever numbers they have on each rank.
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "made_run.hpp"

namespace plait::attach {
namespace {

constexpr double ms = 1e-3;

/// Adds a region to a rank, all of whose calls are in the last one that was added.
void add_region(rank_profile& to, const char* name, int around, double time_ms) {
  if (to.regions.empty()) to.regions.emplace_back();
  region_data& one = to.regions.emplace_back();
  std::strcpy(one.name, name);
  one.around = around;
  one.count = 1;
  one.time = static_cast<ticks>(1000 * time_ms);
  for (auto& [number, site] : to.sites) {
    site.region = static_cast<std::int32_t>(to.regions.size()) - 1;
    site.time = site.waited;
  }
}

/// Two ranks that compute for 30 and 10 ms in "work", and reduce there; only one has "other".
[[nodiscard]] analysis run_with_regions() {
  std::vector<rank_profile> ranks;
  for (const int rank : {0, 1}) {
    made_rank on(rank, 2);
    on.compute(rank == 0 ? 30 : 10);
    on.reduce(rank == 0 ? 1 : 21, 64);
    ranks.push_back(on.profile());
  }
  add_region(ranks[0], "other", no_region, 5);
  add_region(ranks[0], "step", no_region, 40);
  add_region(ranks[0], "work", 2, 31);
  add_region(ranks[1], "step", no_region, 36);
  add_region(ranks[1], "work", 1, 31);
  return analyse(ranks);
}

TEST(regions, of_the_same_names_are_one_the_longest_first) {
  const analysis run = run_with_regions();
  const auto& found = run.regions;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "step");
  EXPECT_EQ(found[1].path, "step/work");
  EXPECT_EQ(found[1].around, 0);
  EXPECT_EQ(found[2].path, "other");
  EXPECT_EQ(found[2].ranks, 1);
  EXPECT_NEAR(found[0].time_s, 76 * ms, 1e-9);
  EXPECT_NEAR(found[0].own_s, 14 * ms, 1e-9);
}

TEST(regions, have_the_calls_of_those_inside) {
  const analysis run = run_with_regions();
  for (const int place : {0, 1}) {
    const region_result& one = run.regions[static_cast<std::size_t>(place)];
    EXPECT_EQ(one.calls, 2U);
    EXPECT_EQ(one.bytes, 128U);
    EXPECT_NEAR(one.mpi_s, 22 * ms, 1e-9);
    EXPECT_NEAR(one.own_mpi_s, place == 0 ? 0 : 22 * ms, 1e-9);
    EXPECT_NEAR(one.waits.waiting_s, 22 * ms, 1e-9);
    EXPECT_NEAR(one.waits.collective_wait_s, 20 * ms, 1e-9);
  }
}

TEST(regions, have_an_efficiency_of_their_own) {
  const pop_metrics pop = run_with_regions().regions[1].pop;
  EXPECT_NEAR(pop.load_balance, 20.0 / 30, 1e-9);
  EXPECT_NEAR(pop.communication_efficiency, 30.0 / 31, 1e-9);
  EXPECT_NEAR(pop.parallel_efficiency, 20.0 / 31, 1e-9);
  EXPECT_FALSE(pop.has_ideal);
}

}  // namespace
}  // namespace plait::attach
