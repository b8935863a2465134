// SPDX-License-Identifier: BSD-3-Clause
// Which long receives are kept, until when, and what is learnt of a rank's messages.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "comm/engine/held/held_queue.hpp"
#include "look/paired_receives.hpp"

namespace {

using plait::held_queue;
using plait::operation;
using plait::seconds_to_ticks;
using plait::ticks;
using paired_receives = plait::basic_paired_receives<operation>;

constexpr int peer = 3;

class paired : public ::testing::Test {
 protected:
  // A receive that is not kept, and its send after `gap_s`.
  void learn(int pairs, double gap_s) {
    for (int i = 0; i < pairs; ++i) {
      ASSERT_FALSE(keeps(op)) << i;
      pass(gap_s);
      ASSERT_EQ(send(), nullptr) << i;
    }
  }
  // While the last receive is under way.
  [[nodiscard]] operation* send(int to = peer) {
    operation* const starts = receives.sent(to, now, under_way);
    if (starts != nullptr) held.release(*starts);
    return starts;
  }
  [[nodiscard]] bool keeps(operation& receive, int from = peer) {
    const auto waits = receives.keeps(receive, from, now);
    if (!waits) return false;
    until = waits->until;
    held.hold({&receive, held_queue::why::for_its_send, waits->until, waits->rest});
    return true;
  }
  [[nodiscard]] std::vector<operation*> take_due(ticks at) {
    std::vector<operation*> taken;
    for (const auto& one : held.take_due(at)) {
      receives.starts_alone(*one.op, peer, true);
      taken.push_back(one.op);
    }
    return taken;
  }
  void pass(double seconds) { now += seconds_to_ticks(seconds); }

  paired_receives receives{true};
  held_queue held;
  ticks until = 0;  ///< of the last that was kept
  operation op;
  std::array<operation*, 1> under_way{&op};
  ticks now = seconds_to_ticks(1000);
  static constexpr int needed = paired_receives::first_pairs_needed;
};

TEST_F(paired, a_receive_is_kept_until_its_send_starts_once_pairs_have_come) {
  learn(needed, 1e-3);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(keeps(op));
    ASSERT_FALSE(held.empty());
    EXPECT_EQ(held.list().size(), 1U);
    pass(1e-3);
    ASSERT_EQ(send(), &op);
    ASSERT_TRUE(held.empty());
  }
}

TEST_F(paired, the_nth_receive_waits_for_the_nth_send) {
  learn(needed, 1e-3);
  std::array<operation, 3> ops;
  for (operation& one : ops) ASSERT_TRUE(keeps(one));
  for (operation& one : ops) EXPECT_EQ(send(), &one);
  EXPECT_EQ(send(), nullptr);
  EXPECT_FALSE(keeps(op)) << "its send has started already";
  EXPECT_TRUE(keeps(op)) << "and this one's has not";
}

TEST_F(paired, sends_that_come_after_their_receives_have_completed_are_no_pairs) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(keeps(op));
    ASSERT_EQ(receives.sent(peer, now, {}), nullptr);
  }
  learn(needed, 1e-3);
  EXPECT_TRUE(keeps(op));
}

// A replayed receive is the same operation again, at its next place.
TEST_F(paired, a_receive_that_was_posted_again_is_not_the_one_before) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(keeps(op));
    op.sequence += 1;
    ASSERT_EQ(send(), nullptr);
  }
}

TEST_F(paired, sends_that_come_before_their_receives_are_no_pairs) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(send(), nullptr);
    ASSERT_FALSE(keeps(op));
  }
  ASSERT_FALSE(keeps(op));
}

TEST_F(paired, nothing_is_kept_for_another_rank) {
  learn(needed, 1e-3);
  EXPECT_FALSE(keeps(op, peer + 1));
  ASSERT_TRUE(keeps(op));
  EXPECT_EQ(send(peer + 1), nullptr);
}

TEST_F(paired, a_rank_that_only_receives_keeps_nothing) {
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(keeps(op));
  EXPECT_TRUE(held.empty());
}

TEST_F(paired, a_rank_that_sends_more_than_it_receives_keeps_nothing) {
  learn(needed, 1e-3);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(send(), nullptr);
  int started_at_once = 0;
  while (!keeps(op) && started_at_once < 1000) {
    ++started_at_once;
    ASSERT_EQ(send(), nullptr);
  }
  EXPECT_EQ(started_at_once, 1000) << "more sends than receives: each receive's has started before";
}

TEST_F(paired, a_receive_that_is_kept_for_too_long_is_due_and_twice_as_many_pairs_are_needed) {
  learn(needed, 10e-3);
  ASSERT_TRUE(keeps(op));
  EXPECT_EQ(held.next_due(), until);
  EXPECT_GT(until, now + seconds_to_ticks(19e-3));
  EXPECT_LT(until, now + seconds_to_ticks(30e-3));
  EXPECT_TRUE(take_due(until - 1).empty());
  EXPECT_EQ(take_due(until), std::vector<operation*>{&op});
  EXPECT_TRUE(held.empty());
  EXPECT_EQ(send(), nullptr) << "it has started";
  learn(2 * needed - 1, 10e-3);
  EXPECT_TRUE(keeps(op));
}

// Two steps of eight messages each that are submitted together: the sends of the first follow their
// receives at once, those of the second after a step.
TEST_F(paired, a_step_without_gaps_does_not_shorten_the_wait_of_the_next) {
  constexpr double step_s = 0.14;
  learn(needed, step_s);
  std::array<operation, 8> ops;
  for (int both = 0; both < 10; ++both) {
    for (const double gap_s : {0.0, step_s}) {
      for (operation& one : ops) ASSERT_TRUE(keeps(one)) << both;
      pass(gap_s);
      ASSERT_TRUE(take_due(now).empty()) << both;
      for (operation& one : ops) ASSERT_EQ(send(), &one);
    }
  }
}

// What a program loses whose sends mostly do not come.
TEST_F(paired, failures_become_rare) {
  int kept = 0;
  constexpr int times = 10'000;
  for (int i = 0; i < times; ++i) {
    if (keeps(op)) {
      ++kept;
      ASSERT_EQ(take_due(until).size(), 1U);
      now = until;
    }
    pass(1e-3);
    ASSERT_EQ(send(), nullptr);
  }
  EXPECT_GT(kept, 5);
  EXPECT_LT(kept, 20);
}

TEST_F(paired, a_rank_that_rests_waits_for_half_a_gap) {
  learn(needed, 40e-3);
  ASSERT_TRUE(keeps(op));
  held.note_rest(now);
  pass(15e-3);
  held.note_rest(now);
  EXPECT_FALSE(held.is_due(now));
  EXPECT_TRUE(take_due(now).empty());
  pass(8e-3);
  EXPECT_TRUE(held.is_due(now));
  EXPECT_EQ(take_due(now), std::vector<operation*>{&op});
}

TEST_F(paired, a_rest_that_ends_says_nothing) {
  learn(needed, 40e-3);
  ASSERT_TRUE(keeps(op));
  held.note_rest(now);
  pass(15e-3);
  held.note_activity();
  for (int i = 0; i < 15; ++i) {
    held.note_rest(now);
    pass(1e-3);
  }
  EXPECT_FALSE(held.is_due(now));
  held.note_activity();
  pass(30e-3);
  EXPECT_TRUE(take_due(now).empty()) << "60 ms of 81";
  EXPECT_EQ(send(), &op);
}

TEST_F(paired, a_rest_of_before_says_nothing_of_a_receive_that_is_kept_later) {
  learn(needed, 40e-3);
  ASSERT_TRUE(keeps(op));
  held.note_rest(now);
  ASSERT_EQ(send(), &op);
  pass(1);
  ASSERT_TRUE(keeps(op));
  held.note_rest(now);
  EXPECT_TRUE(take_due(now).empty());
}

TEST_F(paired, a_receive_that_starts_alone_without_a_failure_costs_no_more_pairs) {
  learn(needed, 1e-3);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(keeps(op)) << i;
    ASSERT_EQ(held.take_all(held_queue::why::for_its_send).size(), 1U);
    receives.starts_alone(op, peer, false);
    ASSERT_EQ(send(), nullptr) << "it has started";
  }
}

}  // namespace
