// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "comm/engine/policy_choice.hpp"

namespace {

using plait::choose_policy;
using plait::progress;

TEST(policy_choice, a_core_that_is_free_is_the_proxys_which_gives_way) {
  const auto chosen = choose_policy({.policy = progress::automatic, .workers = 2}, 3);
  EXPECT_EQ(chosen.name, "dedicated");
  EXPECT_TRUE(chosen.proxy && chosen.proxy_spins && chosen.gives_way && chosen.idle_workers);
  EXPECT_FALSE(chosen.busy_workers);
  EXPECT_EQ(chosen.reason,
            "2 workers on 3 cores of this rank's share: one is free for the proxy, which sleeps "
            "while others want it");
}

TEST(policy_choice, without_a_free_core_the_proxy_sleeps_and_workers_look_too) {
  const auto chosen =
      choose_policy({.policy = progress::automatic, .workers = 1, .worst_delay_s = 2e-3}, 1);
  EXPECT_EQ(chosen.name, "sleeping+workers");
  EXPECT_TRUE(chosen.proxy && chosen.idle_workers && chosen.busy_workers);
  EXPECT_FALSE(chosen.proxy_spins || chosen.gives_way);
  EXPECT_EQ(chosen.reason,
            "1 worker on 1 core of this rank's share: none is free for a proxy; a completion is "
            "noticed within 2 ms, by the next task where they are short");
}

TEST(policy_choice, what_is_asked_for_is_what_is_chosen) {
  for (const progress policy :
       {progress::dedicated, progress::sleeping, progress::workers, progress::none}) {
    const auto chosen = choose_policy({.policy = policy, .workers = 4}, 1);
    EXPECT_EQ(chosen.name, to_string(policy));
    EXPECT_EQ(chosen.proxy, policy == progress::dedicated || policy == progress::sleeping);
    EXPECT_EQ(chosen.proxy_spins, policy == progress::dedicated);
    EXPECT_EQ(chosen.busy_workers, policy == progress::workers);
    EXPECT_FALSE(chosen.gives_way);
    EXPECT_EQ(chosen.reason.find("asked for"), 0U);
  }
}

}  // namespace
