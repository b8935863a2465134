// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>
#include <plait/core/clock.hpp>

#include "support/gather.hpp"
#include "support/mpi_test.hpp"
#include "support/turns.hpp"

namespace {

using plait::test::test_environment;

double processor_s() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

TEST(await_all_asleep, waits_for_the_last_rank_and_leaves_it_the_cores) {
  auto& env = test_environment();
  env.barrier();
  const plait::ticks start = plait::now_ticks();
  const double before_s = processor_s();
  if (env.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  plait::app::await_all_asleep(env);
  EXPECT_LT(processor_s() - before_s, 0.1) << "of 0.3 s";
  EXPECT_GE(plait::ticks_to_seconds(plait::now_ticks() - start), env.rank() == 0 ? 0.3 : 0.2);
}

}  // namespace
