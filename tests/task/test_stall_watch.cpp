// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "task/scheduler/stall_watch.hpp"

namespace {

using plait::now_ticks;
using plait::progress_source;
using plait::ticks;
using plait::detail::stall_watch;

constexpr ticks period = 400;

TEST(stall_watch, what_does_not_change_for_a_period_is_a_stall_once) {
  stall_watch w(period, 0);
  EXPECT_FALSE(w.look(7, 100)) << "the first look knows nothing";
  for (const ticks now : {200, 300, 400, 499}) EXPECT_FALSE(w.look(7, now)) << now;
  EXPECT_TRUE(w.look(7, 500));
  EXPECT_EQ(w.since(), 100);
  for (ticks now = 600; now < 5000; now += 100) EXPECT_FALSE(w.look(7, now)) << now;
}

TEST(stall_watch, what_changes_now_and_then_is_none) {
  stall_watch w(period, 0);
  for (ticks now = 100; now < 10'000; now += 100) {
    EXPECT_FALSE(w.look(static_cast<std::uint64_t>(now / 300), now)) << now;
  }
}

TEST(stall_watch, each_standstill_is_reported) {
  stall_watch w(period, 0);
  for (const std::uint64_t mark : {1U, 2U, 3U}) {
    const auto begin = static_cast<ticks>(1000 * mark);
    EXPECT_FALSE(w.look(mark, begin));
    EXPECT_TRUE(w.look(mark, begin + period));
    EXPECT_EQ(w.since(), begin);
    EXPECT_FALSE(w.look(mark, begin + 2 * period));
  }
}

TEST(stall_watch, it_wants_its_first_look_within_the_period) {
  const ticks now = now_ticks();
  EXPECT_TRUE(stall_watch(period, now - period).due());
  const stall_watch later(ticks{1} << 50, now);
  EXPECT_FALSE(later.due());
  EXPECT_LE(later.until_due(), ticks{1} << 48);
  EXPECT_GT(later.until_due(), 0);
}

TEST(stall_watch, without_a_period_it_never_looks) {
  const stall_watch w(progress_source::never, 0);
  EXPECT_FALSE(w.due());
  EXPECT_EQ(w.until_due(), progress_source::never);
}

}  // namespace
