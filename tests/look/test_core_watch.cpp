// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "look/core_watch.hpp"

namespace {

using plait::core_watch;
using plait::now_ticks;
using plait::seconds_to_ticks;
using plait::spin_licence;
using plait::ticks;

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

TEST(core_watch, short_stretches_add_up) {
  core_watch core(8e-3);
  bool wanted = false;
  for (int stretches = 0; !wanted && stretches < 100; ++stretches) {
    core.begin(now_ticks());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // somebody else might have run
    wanted = core.is_wanted(now_ticks());
  }
  EXPECT_TRUE(wanted);
}

TEST(core_watch, what_lies_between_stretches_does_not_count) {
  core_watch core(0.1);
  for (int stretches = 0; stretches < 3; ++stretches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    core.begin(now_ticks());
    EXPECT_FALSE(core.is_wanted(now_ticks()));
  }
}

TEST(spin_licence, is_withdrawn_once_for_all_who_find_it_out) {
  spin_licence licence(3600, 3600);
  EXPECT_TRUE(licence.is_valid());
  EXPECT_TRUE(licence.withdraw(now_ticks()));
  EXPECT_FALSE(licence.withdraw(now_ticks()));
  EXPECT_FALSE(licence.is_valid());
}

// When it becomes valid again after having been withdrawn at that time.
ticks valid_again(spin_licence& licence, ticks withdrawn) {
  EXPECT_TRUE(licence.withdraw(withdrawn));
  while (!licence.is_valid()) continue;
  return now_ticks();
}

TEST(spin_licence, comes_back_later_each_time_it_is_withdrawn_again_at_once) {
  const ticks shortest = seconds_to_ticks(2e-3);
  spin_licence licence(2e-3, 5e-3);
  ticks at = now_ticks();
  for (const ticks length : {shortest, 2 * shortest, seconds_to_ticks(5e-3)}) {
    EXPECT_GE(valid_again(licence, at), at + length);
    at += length;
  }
}

}  // namespace
