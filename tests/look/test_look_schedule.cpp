// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "look/look_schedule.hpp"

namespace {

using plait::look_schedule;
using plait::seconds_to_ticks;
using plait::ticks;

constexpr double first_s = 20e-6;
constexpr double worst_s = 1.5e-3;

TEST(look_schedule, nothing_in_flight_needs_no_look) {
  look_schedule looks(first_s, worst_s);
  EXPECT_EQ(looks.next(), plait::look_schedule::never);
  looks.posted(1000);
  EXPECT_NE(looks.next(), plait::look_schedule::never);
  looks.looked(2000, true, false);
  EXPECT_EQ(looks.next(), plait::look_schedule::never);
}

TEST(look_schedule, the_first_look_comes_soon_after_a_post) {
  look_schedule looks(first_s, worst_s);
  looks.posted(5000);
  EXPECT_EQ(looks.next(), 5000 + seconds_to_ticks(first_s));
}

TEST(look_schedule, the_distance_is_a_part_of_the_time_waited_up_to_the_worst_delay) {
  look_schedule looks(first_s, worst_s);
  const ticks begin = 700;
  looks.posted(begin);
  int count = 0;
  for (ticks now = looks.next(); now < begin + seconds_to_ticks(0.1); now = looks.next()) {
    looks.looked(now, false, true);
    EXPECT_EQ(looks.last(), now);
    EXPECT_EQ(looks.next() - now, std::clamp((now - begin) / 16, looks.first(), looks.worst()));
    ++count;
  }
  EXPECT_EQ(looks.next() - looks.last(), looks.worst());
  EXPECT_LT(count, 16 * 5 + 75) << "at the end one in 1.5 ms";
}

TEST(look_schedule, a_completion_brings_the_looks_closer_again) {
  look_schedule looks(first_s, worst_s);
  looks.posted(0);
  while (looks.next() < seconds_to_ticks(0.1)) looks.looked(looks.next(), false, true);
  const ticks now = looks.next();
  looks.looked(now, true, true);
  EXPECT_EQ(looks.next() - now, looks.first());
}

TEST(look_schedule, a_post_that_changes_nothing_need_not_be_told) {
  look_schedule looks(first_s, worst_s);
  EXPECT_TRUE(looks.wants_to_know_of_posts()) << "nothing is in flight";
  looks.posted(1000);
  const ticks next = looks.next();
  EXPECT_FALSE(looks.wants_to_know_of_posts());
  looks.posted(1000 + looks.first() / 2);
  EXPECT_EQ(looks.next(), next) << "as it says";
  while (looks.next() < seconds_to_ticks(0.1)) looks.looked(looks.next(), false, true);
  EXPECT_TRUE(looks.wants_to_know_of_posts()) << "the next look is far away";
}

TEST(look_schedule, a_post_that_is_not_told_in_full_brings_the_looks_closer_all_the_same) {
  look_schedule looks(first_s, worst_s);
  looks.posted(1000);
  looks.looked(looks.next(), false, true);
  const ticks late = looks.next() + seconds_to_ticks(0.01);  // a long task, then a post and a look
  ASSERT_FALSE(looks.wants_to_know_of_posts());
  looks.posted_since_last();
  looks.looked(late, false, true);
  EXPECT_EQ(looks.next() - late, looks.first());
}

TEST(look_schedule, a_look_is_overdue_when_nobody_has_looked_for_the_worst_delay) {
  look_schedule looks(first_s, worst_s);
  EXPECT_EQ(looks.overdue(), plait::look_schedule::never);
  const ticks begin = seconds_to_ticks(1);
  looks.posted(begin);
  EXPECT_EQ(looks.overdue(), begin + looks.worst()) << "from the first post, not an earlier look";
  looks.posted(begin + looks.first());
  EXPECT_EQ(looks.overdue(), begin + looks.worst()) << "another post changes nothing";
  while (looks.next() < begin + seconds_to_ticks(0.1)) {
    looks.looked(looks.next(), false, true);
    EXPECT_GE(looks.overdue(), looks.next());
    EXPECT_EQ(looks.overdue(), looks.last() + looks.worst());
  }
  looks.rest();
  EXPECT_EQ(looks.overdue(), plait::look_schedule::never);
}

TEST(look_schedule, a_post_never_puts_a_look_off) {
  look_schedule looks(first_s, worst_s);
  looks.posted(0);
  const ticks next = looks.next();
  looks.posted(next - 1);
  EXPECT_EQ(looks.next(), next);
  // After long waiting a new message gets its early look.
  while (looks.next() < seconds_to_ticks(0.1)) looks.looked(looks.next(), false, true);
  const ticks now = looks.last();
  looks.posted(now);
  EXPECT_LE(looks.next() - now, seconds_to_ticks(first_s));
}

TEST(look_schedule, the_worst_delay_bounds_the_first_look_too) {
  look_schedule looks(first_s, 1e-6);
  looks.posted(0);
  EXPECT_LE(looks.next(), seconds_to_ticks(1e-6));
}

TEST(look_schedule, at_a_fixed_interval_every_distance_is_the_same_and_no_wait_is_early) {
  constexpr double interval_s = 200e-6;
  look_schedule looks(interval_s, interval_s);
  looks.posted(1000);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(looks.next() - looks.last(), seconds_to_ticks(interval_s)) << "look " << i;
    EXPECT_FALSE(looks.is_early());
    looks.looked(looks.next(), i % 7 == 0, true);
  }
}

TEST(look_schedule, it_knows_the_longest_time_without_a_look) {
  look_schedule looks(first_s, worst_s);
  looks.posted(1000);
  looks.looked(1300, false, true);
  EXPECT_EQ(looks.longest_unwatched(), 300);
  looks.looked(1500, true, false);
  EXPECT_EQ(looks.longest_unwatched(), 300);
  looks.posted(9000);  // nothing was in flight meanwhile
  looks.posted(9200);
  looks.looked(9400, true, false);
  EXPECT_EQ(looks.longest_unwatched(), 400);
}

}  // namespace
