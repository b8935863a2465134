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
            "noticed within 2 ms or 1/128 of the wait, or within 12 ms while workers poll between "
            "short tasks");
}

TEST(policy_choice, ranks_that_share_a_core_look_as_many_times_as_rarely) {
  const auto chosen = choose_policy({.policy = progress::automatic, .workers = 1}, 1, 64);
  EXPECT_EQ(chosen.name, "sleeping+workers");
  EXPECT_EQ(chosen.reason,
            "1 worker on 1 core of this rank's share, which 64 ranks share: none is free for a "
            "proxy; a completion is noticed within 192 ms or 1/128 of the wait, or within 1.15 s "
            "while workers poll between short tasks");
  EXPECT_DOUBLE_EQ(plait::longest_delay_s({.poll_every_s = 4e-3}, 64), 4e-3) << "as asked for";
}

TEST(policy_choice, the_proxy_beside_workers_looks_at_a_fixed_interval_where_that_is_asked_for) {
  const auto chosen =
      choose_policy({.policy = progress::automatic, .workers = 2, .poll_every_s = 4e-3}, 2);
  EXPECT_EQ(chosen.reason,
            "2 workers on 2 cores of this rank's share: none is free for a proxy; a completion is "
            "noticed within 4 ms");
}

TEST(policy_choice, beside_workers_a_message_is_late_by_six_worst_delays) {
  EXPECT_DOUBLE_EQ(plait::longest_delay_beside_workers_s({.worst_delay_s = 3e-3}), 18e-3);
  EXPECT_DOUBLE_EQ(plait::longest_delay_beside_workers_s({.worst_delay_s = 1e-4}), 6e-4);
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
