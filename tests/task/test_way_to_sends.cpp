// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gtest/gtest.h>

#include "task/graphs/way_to_sends.hpp"

namespace plait::detail {
namespace {

using kind = rank_input::kind;

rank_input node(kind is, ticks took, std::vector<std::size_t> same,
                const std::vector<std::size_t>& next = {}) {
  rank_input one{is, took, std::move(same), 0};
  one.same = one.successors.size();
  one.successors.insert(one.successors.end(), next.begin(), next.end());
  return one;
}

std::vector<std::size_t> first_of(const std::vector<rank_input>& nodes) {
  const std::vector<bool> first = goes_first(nodes);
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i]) result.push_back(i);
  }
  return result;
}

using list = std::vector<std::size_t>;

TEST(way_to_sends, without_messages_nobody_goes_first) {
  EXPECT_EQ(first_of({node(kind::task, 5, {1}, {0}), node(kind::task, 5, {}, {0, 1})}), list{});
}

TEST(way_to_sends, tasks_that_receive_feed_nothing) {
  EXPECT_EQ(first_of({node(kind::task, 5, {1}), node(kind::receive, 5, {2}),
                      node(kind::task, 5, {}, {0})}),
            list{});
}

// Two steps: receive, interior, rim, send; each interior feeds the rim of the next step.
TEST(way_to_sends, a_rim_does_and_the_interior_that_feeds_the_next_rim_does_not) {
  EXPECT_EQ(first_of({node(kind::receive, 50, {2}), node(kind::task, 100, {5, 6}),
                      node(kind::task, 10, {3, 5, 6}), node(kind::send, 50, {}),
                      node(kind::receive, 50, {6}), node(kind::task, 100, {}, {1, 2}),
                      node(kind::task, 10, {7}, {1, 2}), node(kind::send, 50, {})}),
            (list{2, 6}));
}

// The same step, recorded from its send on.
TEST(way_to_sends, it_does_not_matter_where_an_iteration_begins) {
  EXPECT_EQ(first_of({node(kind::send, 50, {}), node(kind::receive, 50, {3}),
                      node(kind::task, 100, {}, {2, 3}), node(kind::task, 10, {}, {0, 2, 3})}),
            list{3});
}

TEST(way_to_sends, what_is_packed_and_what_packs_it_both_do) {
  EXPECT_EQ(first_of({node(kind::receive, 50, {2}), node(kind::task, 100, {}, {1, 2}),
                      node(kind::task, 10, {3}), node(kind::task, 1, {4}),
                      node(kind::send, 50, {}, {3})}),
            (list{2, 3}));
}

// Such as a collective that is one task: what feeds it goes first, what waits for it does not.
TEST(way_to_sends, an_exchange_is_a_send_for_what_feeds_it_and_a_receive_for_what_waits_for_it) {
  EXPECT_EQ(
      first_of({node(kind::task, 100, {}), node(kind::task, 10, {2}), node(kind::exchange, 50, {3}),
                node(kind::task, 10, {4}), node(kind::send, 50, {})}),
      (list{1, 3}));
}

// All of a chain leads to the send, and so does a short task beside it.
TEST(way_to_sends, of_too_many_those_with_the_longest_path_do) {
  EXPECT_EQ(
      first_of({node(kind::task, 1, {4}), node(kind::task, 40, {2}), node(kind::task, 40, {3}),
                node(kind::task, 40, {4}), node(kind::send, 50, {})}),
      list{1});
}

// The ends of a slab feed a send each, and all of it the sum: the ends go first, not the longest
// way.
TEST(way_to_sends, of_too_many_those_before_the_sends_with_the_least_work_do) {
  EXPECT_EQ(
      first_of({node(kind::task, 40, {5, 6}), node(kind::task, 40, {6}), node(kind::task, 40, {6}),
                node(kind::task, 40, {6}), node(kind::task, 30, {7, 6}), node(kind::send, 50, {}),
                node(kind::exchange, 5, {}), node(kind::send, 50, {})}),
      (list{0, 4}));
}

// A send that needs next to no work does not keep the others from going first.
TEST(way_to_sends, a_way_of_no_work_is_not_all_that_goes_first) {
  EXPECT_EQ(
      first_of({node(kind::task, 10, {}), node(kind::task, 10, {}), node(kind::task, 40, {4}),
                node(kind::task, 0, {5}), node(kind::exchange, 50, {}), node(kind::send, 5, {})}),
      (list{2, 3}));
}

}  // namespace
}  // namespace plait::detail
