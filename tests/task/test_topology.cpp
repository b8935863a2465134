// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>
#include <plait/task/topology.hpp>
#include <sched.h>

namespace {

TEST(topology, it_lists_the_units_of_the_affinity_mask) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  const auto t = plait::discover_topology();
  EXPECT_EQ(t.usable.size(), static_cast<std::size_t>(CPU_COUNT(&mask)));
  EXPECT_TRUE(std::is_sorted(t.usable.begin(), t.usable.end()));
  for (const int unit : t.usable) EXPECT_TRUE(CPU_ISSET(unit, &mask)) << "unit " << unit;
  EXPECT_GE(t.usable_cores, 1);
  EXPECT_LE(t.usable_cores, static_cast<int>(t.usable.size()));
}

TEST(topology, a_thread_bound_to_one_unit_has_one_core_and_one_worker) {
  const auto all = plait::discover_topology();
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(all.usable.back(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const auto t = plait::discover_topology();
    EXPECT_EQ(t.usable, std::vector<int>{all.usable.back()});
    EXPECT_EQ(t.usable_cores, 1);
    plait::scheduler s{{.workers = 0}};
    EXPECT_EQ(s.workers(), 1);
  }).join();
}

TEST(topology, every_usable_core_is_in_one_memory_domain) {
  const auto all = plait::discover_topology();
  const auto domains = plait::memory_domains();
  ASSERT_FALSE(domains.empty());
  std::vector<int> units;
  for (const auto& one : domains) {
    EXPECT_FALSE(one.units.empty());
    EXPECT_TRUE(std::is_sorted(one.units.begin(), one.units.end()));
    units.insert(units.end(), one.units.begin(), one.units.end());
  }
  std::sort(units.begin(), units.end());
  EXPECT_EQ(std::adjacent_find(units.begin(), units.end()), units.end());
  EXPECT_EQ(units.size(), static_cast<std::size_t>(all.usable_cores));
  EXPECT_TRUE(std::ranges::includes(all.usable, units));
}

/// hwloc takes a made-up machine from the environment.
TEST(topology, domains_of_a_machine_with_two_are_told_apart) {
  setenv("HWLOC_SYNTHETIC", "node:2 core:3 pu:2", 1);
  const auto domains = plait::memory_domains();
  unsetenv("HWLOC_SYNTHETIC");
  ASSERT_EQ(domains.size(), 2U);
  EXPECT_EQ(domains[0].units, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(domains[1].units, (std::vector<int>{6, 8, 10}));
  EXPECT_EQ(domains[1].number, 1);
}

TEST(topology, a_bound_thread_has_its_mask_back_afterwards) {
  const auto all = plait::discover_topology();
  {
    const plait::bound_thread bound(all.usable.back());
    ASSERT_TRUE(bound.is_bound());
    EXPECT_EQ(plait::discover_topology().usable, std::vector<int>{all.usable.back()});
  }
  EXPECT_EQ(plait::discover_topology().usable, all.usable);
}

TEST(topology, memory_kept_in_a_domain_keeps_its_content) {
  std::vector<std::byte> memory(100'000, std::byte{7});
  (void)plait::keep_in_domain(plait::memory_domains().front().number, memory);
  EXPECT_EQ(std::ranges::count(memory, std::byte{7}), 100'000);
}

}  // namespace
