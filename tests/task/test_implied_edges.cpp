// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "task/graphs/implied_edges.hpp"

namespace plait::detail {
namespace {

successor_lists reduced(successor_lists edges, std::vector<bool> stays = {}) {
  stays.resize(edges.size(), false);
  drop_implied_edges(edges, stays);
  return edges;
}

TEST(implied_edges, the_long_side_of_a_triangle_is_dropped) {
  EXPECT_EQ(reduced({{1, 2}, {2}, {}}), (successor_lists{{1}, {2}, {}}));
}

TEST(implied_edges, an_edge_into_the_next_iteration_follows_from_one_that_wraps_on_the_way) {
  // 0 -> 1, 1 -> 0', and so 0 -> 0' (which is 2); 1 -> 1' would follow by 0'.
  EXPECT_EQ(reduced({{1, 2}, {2, 3}}), (successor_lists{{1}, {2}}));
}

TEST(implied_edges, two_ways_of_equal_length_stay) {
  const successor_lists diamond{{1, 2}, {3}, {3}, {}};
  EXPECT_EQ(reduced(diamond), diamond);
}

TEST(implied_edges, those_from_nodes_that_stay_are_not_dropped_but_imply_others) {
  EXPECT_EQ(reduced({{1, 2, 3}, {2, 3}, {3}, {}}, {false, true, false, false}),
            (successor_lists{{1}, {2, 3}, {3}, {}}));
}

/// All pairs (i, s) with a way from i of the first iteration to s of the first or the second.
std::set<std::pair<std::size_t, std::size_t>> ways(const successor_lists& edges) {
  const std::size_t count = edges.size();
  std::set<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t s : edges[at % count]) {
        const std::size_t to = s + (at >= count ? count : 0);
        if (to < 2 * count && found.emplace(from, to).second) open.push_back(to);
      }
    }
  }
  return found;
}

TEST(implied_edges, of_random_graphs_the_same_precedes_the_same_and_no_edge_is_too_many) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 1 + random() % 24;
    const std::size_t sparse = 1 + random() % 12;
    successor_lists edges(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t s = i + 1; s < count + i; ++s)
        if (random() % sparse == 0) edges[i].push_back(s);
    }
    const auto wanted = ways(edges);
    successor_lists kept = reduced(edges);
    ASSERT_EQ(ways(kept), wanted) << "round " << round;
    for (auto& list : kept) {
      for (std::size_t e = 0; e < list.size(); ++e) {
        const std::size_t s = list[e];
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(e));
        ASSERT_NE(ways(kept), wanted) << "round " << round << ": an edge to " << s;
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(e), s);
      }
    }
  }
}

}  // namespace
}  // namespace plait::detail
