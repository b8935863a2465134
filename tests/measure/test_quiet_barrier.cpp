// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <ctime>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <plait/core/clock.hpp>

#include "measure/base/quiet_barrier.hpp"
#include "support/mpi_test.hpp"

namespace {

using plait::test::test_environment;

double processor_s() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(quiet_barrier, waits_for_the_last_rank_and_leaves_it_the_cores) {
  auto& env = test_environment();
  env.barrier();
  const plait::ticks start = plait::now_ticks();
  const double before_s = processor_s();
  if (env.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const plait::ticks here = plait::now_ticks();
  plait::measure::quiet_barrier(env);
  const plait::ticks left = plait::now_ticks();
  const double used_s = processor_s() - before_s;
  EXPECT_LT(used_s, 0.5 * plait::ticks_to_seconds(left - start)) << "of a core";
  // On one machine, whose processors' clocks agree.
  EXPECT_GE(left, std::stoll(env.broadcast(std::to_string(here))));
}

}  // namespace
