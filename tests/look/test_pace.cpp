// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "look/pace.hpp"

namespace plait {
namespace {

using enum pace_verdict::kind;

constexpr ticks us = 1000;  // the unit does not matter to what is tested here
constexpr pace_limits limits{.shortest = 100 * us,
                             .worst = 3000 * us,
                             .longest_wait = 12'000 * us,
                             .shortest_leave = 500 * us,
                             .longest_leave = 12'000 * us};
constexpr ticks start = 1'000'000 * us;

/// Something moved `waited` ago, and a look found no more `since_look` ago.
pace_facts after(ticks waited, ticks since_look) {
  return {.now = start, .last_look = start - since_look, .moved = start - waited};
}

TEST(pace, a_look_follows_what_has_moved_by_the_shortest_distance) {
  EXPECT_EQ(decide(after(0, 0), limits), (pace_verdict{listen, start + 100 * us}));
  EXPECT_EQ(decide(after(40 * us, 40 * us), limits), (pace_verdict{listen, start + 60 * us}));
  EXPECT_EQ(decide(after(100 * us, 100 * us), limits), (pace_verdict{look}));
}

TEST(pace, looks_come_ever_more_rarely_up_to_the_worst_delay) {
  ticks before = 0;
  for (const ticks waited : {0, 1000, 10'000, 40'000, 100'000}) {
    const ticks distance = pace_distance(after(waited * us, 0), limits);
    EXPECT_GE(distance, before);
    EXPECT_GE(distance, limits.shortest);
    EXPECT_LE(distance, limits.worst);
    before = distance;
  }
  EXPECT_EQ(before, limits.worst);
}

/// The promise of `engine_options::worst_delay_s`: late by a part of the wait, whatever it is.
TEST(pace, what_took_long_is_noticed_within_a_part_of_it) {
  for (double waited = 1e2; waited < 1e9; waited *= 1.7) {
    const auto wait = static_cast<ticks>(waited) * us;
    const ticks distance = pace_distance(after(wait, 0), limits);
    EXPECT_LE(distance, std::max(limits.shortest, wait));
    EXPECT_LE(distance, std::max(limits.worst, wait / look_numbers::patience));
    EXPECT_LE(distance, limits.longest_wait);
  }
}

/// A thread asks again after each sleep, while nothing moves.
TEST(pace, each_look_comes_after_as_long_again_as_the_one_before) {
  const ticks moved = start;
  pace_facts f{.now = moved, .last_look = moved, .moved = moved};
  std::vector<ticks> looks;
  int wakes = 0;
  while (f.now < moved + 20'000 * us) {
    const pace_verdict verdict = decide(f, limits);
    ++wakes;
    if (verdict.what == look) {
      looks.push_back((f.now - moved) / us);
      f.last_look = f.now;
    } else {
      ASSERT_GT(verdict.until, f.now);
      f.now = verdict.until;
    }
  }
  EXPECT_EQ(looks,
            (std::vector<ticks>{100, 200, 400, 800, 1600, 3200, 6200, 9200, 12200, 15200, 18200}));
  EXPECT_LE(wakes, 2 * std::ssize(looks) + 1) << "a look a wake";
}

TEST(pace, sockets_that_tell_of_all_spare_the_early_looks) {
  pace_facts f = after(0, 0);
  f.is_told = true;
  EXPECT_EQ(decide(f, limits), (pace_verdict{listen, start + limits.worst}));
}

TEST(pace, news_counts_before_all_else) {
  pace_facts f = after(0, 0);
  f.has_news = true;
  f.others_for = 1;
  EXPECT_EQ(decide(f, limits).what, look);
}

TEST(pace, bytes_wait_for_a_look_until_none_have_followed_for_a_while) {
  pace_facts f = after(0, 0);
  f.is_told = true;
  f.silent_since = start - 30 * us;
  EXPECT_EQ(decide(f, limits), (pace_verdict{listen, start + 70 * us}));
  f.silent_since = start - 100 * us;
  EXPECT_EQ(decide(f, limits).what, look);
}

TEST(pace, what_others_look_after_is_left_to_them_for_as_long_again) {
  const auto left = [](ticks others_for) {
    pace_facts f = after(50'000 * us, 50'000 * us);
    f.others_for = others_for;
    const pace_verdict verdict = decide(f, limits);
    EXPECT_EQ(verdict.what, leave);
    return verdict.until - start;
  };
  EXPECT_EQ(left(0), limits.shortest_leave);
  EXPECT_EQ(left(2'000 * us), 2'000 * us);
  EXPECT_EQ(left(1'000'000 * us), limits.longest_leave);
}

TEST(pace, at_fixed_intervals_nothing_but_time_counts) {
  const pace_limits fixed = pace_limits::fixed(1e-3);
  const ticks interval = seconds_to_ticks(1e-3);
  pace_facts f{.now = start, .last_look = start - interval / 2, .moved = start - 1};
  EXPECT_EQ(decide(f, fixed).what, leave);
  EXPECT_EQ(decide(f, fixed).until, f.last_look + interval);
  f.moved = 0;
  EXPECT_EQ(decide(f, fixed).until, f.last_look + interval);
  f.now = f.last_look + interval;
  EXPECT_EQ(decide(f, fixed).what, look);
}

TEST(pace, ranks_that_share_a_core_look_as_many_times_less_often) {
  const pace_limits one = pace_limits::up_to(3e-3);
  const pace_limits four = pace_limits::up_to(12e-3, 4);
  EXPECT_NEAR(static_cast<double>(four.shortest), 4. * static_cast<double>(one.shortest), 4);
  EXPECT_NEAR(static_cast<double>(four.worst), 4. * static_cast<double>(one.worst), 4);
  EXPECT_EQ(four.longest_leave, look_numbers::longest_leave * four.worst);
}

TEST(pace, after_a_long_wait_a_proxy_looks_every_four_worst_delays) {
  const pace_limits by = pace_limits::up_to(3e-3);
  EXPECT_EQ(pace_distance(after(128 * by.worst, 0), by), by.worst);
  EXPECT_EQ(pace_distance(after(1000 * by.worst, 0), by), 4 * by.worst);
}

/// Facts that proxies met in runs of `bench progress` on two nodes at 1 Gbit/s and on one node
/// (Open MPI), and what is decided of them.  Times in microseconds; `until` from now on.
struct recorded {
  double since_look, waited, others_for;
  bool is_told, has_news;
  pace_verdict::kind what;
  double until;
};
constexpr recorded in_runs[] = {
    {0, 165, -1, false, false, listen, 165},
    {0, 169, -1, true, false, listen, 3000},
    {0, 513, 343, false, false, leave, 500},
    {0, 645, 246, false, false, leave, 500},
    {1, 0, -1, true, false, listen, 2999},
    {1, 5495, 1960, true, false, leave, 1960},
    {1, 8100, 7592, false, false, leave, 7592},
    {1, 8754, -1, true, false, listen, 2999},
    {1, 88, -1, true, false, listen, 2999},
    {1, 932, -1, false, false, listen, 930},
    {10, 10252, 0, false, false, leave, 500},
    {10, 11283, 0, false, false, leave, 500},
    {10, 21389, 0, false, false, leave, 500},
    {107, 834, 100423, true, false, leave, 12000},
    {109, 730, 81872, true, false, leave, 12000},
    {11115, 177, -1, false, true, look, 0},
    {1189, 5644, -1, true, false, listen, 1811},
    {11988, 11982, -1, true, true, look, 0},
    {12, 13246, 0, true, false, leave, 500},
    {12, 15842, 0, false, false, leave, 500},
    {12, 57187, 0, true, false, leave, 500},
    {12181, 241, -1, true, false, look, 0},
    {12309, 234, -1, false, true, look, 0},
    {12610, 214, -1, false, true, look, 0},
    {12899, 78725, -1, true, true, look, 0},
    {13, 19157, 0, false, false, leave, 500},
    {131, 11009, 56125, true, false, leave, 12000},
    {144, 3438, -1, false, false, listen, 2856},
    {1482, 33489, 1449, true, false, leave, 1449},
    {15, 82669, 0, true, false, leave, 500},
    {16, 3062, 0, false, false, leave, 500},
    {161, 161, -1, false, false, look, 0},
    {16105, 24, -1, false, false, look, 0},
    {16112, 24, -1, false, false, look, 0},
    {16634, 124, -1, false, true, look, 0},
    {17185, 19974, -1, true, true, look, 0},
    {194, 766, 263651, false, false, leave, 12000},
    {19432, 252, -1, true, false, look, 0},
    {2, 0, -1, false, false, listen, 98},
    {20939, 24412, -1, true, true, look, 0},
    {21063, 233, -1, true, false, look, 0},
    {21187, 203, -1, false, true, look, 0},
    {21313, 43972, -1, true, true, look, 0},
    {22, 24627, 24209, true, false, leave, 12000},
    {23, 761, 87050, false, false, leave, 12000},
    {24, 439, -1, false, false, listen, 391},
    {24, 817, 28341, false, false, leave, 12000},
    {24343, 30423, -1, true, false, look, 0},
    {24393, 206, -1, false, false, look, 0},
    {25, 1366, 0, false, false, leave, 500},
    {26, 772, 167664, false, false, leave, 12000},
    {26281, 130, -1, false, true, look, 0},
    {269, 669, -1, false, false, listen, 131},
    {27549, 191, -1, false, true, look, 0},
    {3, 13619, -1, false, false, listen, 2997},
    {31, 810, -1, true, true, look, 0},
    {314, 308, -1, true, false, listen, 2686},
    {3240, 3187, -1, true, false, look, 0},
    {33, 4342, 0, false, false, leave, 500},
    {35, 3251, 4666, true, false, leave, 4666},
    {382, 745, -1, true, true, look, 0},
    {3954, 3950, -1, true, false, look, 0},
    {44, 22845, 0, true, false, leave, 500},
    {45, 495, 0, true, false, leave, 500},
    {464, 892, -1, false, false, look, 0},
    {5, 0, -1, true, false, listen, 2995},
    {516, 12793, -1, true, true, look, 0},
    {52, 754, 116576, false, false, leave, 12000},
    {5833, 114, -1, false, true, look, 0},
    {624, 20829, 580, true, false, leave, 580},
    {6245, 59949, 7829, true, false, leave, 7829},
    {76, 27824, 0, true, false, leave, 500},
    {7676, 28247, -1, false, true, look, 0},
    {82, 616, 344208, false, false, leave, 12000},
    {84, 842, 0, false, false, leave, 500},
    {85, 5900, 0, true, false, leave, 500},
    {8774, 8770, -1, true, true, look, 0},
    {93, 552, 0, true, false, leave, 500},
    {96, 29318, 0, true, false, leave, 500},
};

TEST(pace, what_was_decided_in_runs_is_decided_again) {
  const auto of_us = [](double time_us) { return seconds_to_ticks(1e-6 * time_us); };
  const pace_limits by = pace_limits::up_to(3e-3);
  for (const recorded& r : in_runs) {
    const pace_facts f{.now = of_us(1e9),
                       .last_look = of_us(1e9 - r.since_look),
                       .moved = of_us(1e9 - r.waited),
                       .others_for = r.others_for < 0 ? -1 : of_us(r.others_for),
                       .is_told = r.is_told,
                       .has_news = r.has_news};
    const pace_verdict verdict = decide(f, by);
    EXPECT_EQ(verdict.what, r.what) << r.since_look << ' ' << r.waited;
    if (r.what == look) continue;
    EXPECT_NEAR(1e6 * ticks_to_seconds(verdict.until - f.now), r.until, 2)
        << r.since_look << ' ' << r.waited;
  }
}

}  // namespace
}  // namespace plait
