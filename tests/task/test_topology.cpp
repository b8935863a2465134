// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
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

}  // namespace
