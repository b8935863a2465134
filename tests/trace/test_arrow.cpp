// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <plait/trace/arrow.hpp>

#include "events.hpp"

namespace plait::test {
namespace {

bool contains(const std::vector<trace_arrow>& arrows, std::size_t from, std::size_t to,
              arrow_kind kind) {
  return std::ranges::any_of(
      arrows, [&](const trace_arrow& a) { return a.from == from && a.to == to && a.kind == kind; });
}

TEST(arrows, point_from_what_finished_last_to_what_it_released) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 1, 1), task(0, 1, "b", 1, 2, 2, 1),
                                        message(0, "send", true, 1, 2, 3, 3, 2),
                                        task(0, 0, "c", 3, 4, 4, 3)};
  const auto arrows = find_arrows(events);
  ASSERT_EQ(arrows.size(), 3U);
  EXPECT_TRUE(contains(arrows, 0, 1, arrow_kind::dependence));
  EXPECT_TRUE(contains(arrows, 1, 2, arrow_kind::dependence));
  EXPECT_TRUE(contains(arrows, 2, 3, arrow_kind::dependence));
}

TEST(arrows, stay_on_their_rank) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 1, 1), task(1, 0, "b", 0, 1, 1),
                                        task(1, 0, "c", 1, 2, 2, 1)};
  const auto arrows = find_arrows(events);
  ASSERT_EQ(arrows.size(), 1U);
  EXPECT_TRUE(contains(arrows, 1, 2, arrow_kind::dependence));
}

TEST(arrows, join_the_sends_and_receives_of_one_place_in_the_order_of_matching) {
  std::vector<trace_event> events;
  for (std::uint64_t place : {0, 1, 2}) {
    events.push_back(message(0, "send", true, 1, 0, 1, 0, 0, place));
  }
  for (std::uint64_t place : {2, 0, 1}) {
    events.push_back(message(1, "receive", false, 0, 0, 1, 0, 0, place));
  }
  const auto arrows = find_arrows(events);
  ASSERT_EQ(arrows.size(), 3U);
  EXPECT_TRUE(contains(arrows, 2, 3, arrow_kind::message));
  EXPECT_TRUE(contains(arrows, 0, 4, arrow_kind::message));
  EXPECT_TRUE(contains(arrows, 1, 5, arrow_kind::message));
}

TEST(arrows, keep_tags_peers_and_directions_apart) {
  const std::vector<trace_event> events{message(0, "send", true, 1, 0, 1, 0, 0, 0, 7),
                                        message(1, "send", true, 0, 0, 1, 0, 0, 0, 7),
                                        message(0, "receive", false, 1, 0, 1, 0, 0, 0, 7),
                                        message(1, "receive", false, 0, 0, 1, 0, 0, 0, 8),
                                        message(2, "receive", false, 0, 0, 1, 0, 0, 0, 7)};
  const auto arrows = find_arrows(events);
  ASSERT_EQ(arrows.size(), 1U);
  EXPECT_TRUE(contains(arrows, 1, 2, arrow_kind::message));
}

TEST(arrows, join_a_rank_with_itself) {
  const std::vector<trace_event> events{message(0, "send", true, 0, 0, 1),
                                        message(0, "receive", false, 0, 0, 1)};
  ASSERT_EQ(find_arrows(events).size(), 1U);
}

TEST(arrows, whose_other_end_was_not_traced_are_left_out) {
  const std::vector<trace_event> events{task(0, 0, "b", 1, 2, 5, 4),
                                        message(1, "receive", false, 0, 0, 1)};
  EXPECT_TRUE(find_arrows(events).empty());
}

}  // namespace
}  // namespace plait::test
