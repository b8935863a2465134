// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "comm/core_watch.hpp"

namespace {

using plait::core_watch;
using plait::now_ticks;
using plait::seconds_to_ticks;

TEST(core_watch, a_thread_without_its_core_is_told) {
  core_watch core(1e-3);
  core.begin(now_ticks());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // somebody else might have run
  EXPECT_TRUE(core.is_wanted(now_ticks()));
  EXPECT_FALSE(core.is_wanted(now_ticks())) << "a new period has begun";
}

TEST(core_watch, it_says_nothing_before_the_period_is_over) {
  core_watch core(3600);
  core.begin(now_ticks());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(core.is_wanted(now_ticks()));
}

// On a busy machine some periods are disturbed; not all of them are.
TEST(core_watch, a_thread_that_keeps_its_core_is_not_told) {
  core_watch core(1e-3);
  bool kept = false;
  while (!kept) {
    const auto begin = now_ticks();
    core.begin(begin);
    while (now_ticks() - begin < seconds_to_ticks(2e-3)) continue;
    kept = !core.is_wanted(now_ticks());
  }
}

}  // namespace
