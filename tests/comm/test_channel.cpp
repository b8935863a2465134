// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "comm/matching/channel.hpp"

namespace plait {
namespace {

operation at_place(std::uint64_t place) {
  operation op;
  op.sequence = place;
  return op;
}

/// Starts messages in any order that may be; each residue is counted by itself beside.
void expect_as_each_residue_counts(std::uint64_t residues, std::uint64_t messages,
                                   std::uint64_t open_at_most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  channel via(residues);
  std::vector<std::uint64_t> laps(residues, 0);
  std::vector<std::uint64_t> open;
  std::uint64_t started = 0;
  while (started < messages) {
    while (open.size() < open_at_most && via.places() < messages) {
      open.push_back(via.take_sequences(1));
    }
    const std::size_t one = random() % open.size();
    const operation op = at_place(open[one]);
    const bool may = laps[op.sequence % residues] == op.sequence / residues;
    ASSERT_EQ(via.may_start(op), may)
        << "place " << op.sequence << " of " << residues << " residues, seed " << seed;
    ASSERT_EQ(via.starts(op), may) << "place " << op.sequence << ", seed " << seed;
    if (!may) continue;
    ++laps[op.sequence % residues];
    ++started;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(one));
    for (std::uint64_t r = 0; r < residues; ++r) {
      ASSERT_EQ(via.next_place(r), laps[r] * residues + r)
          << "after place " << op.sequence << ", residue " << r << " of " << residues << ", seed "
          << seed;
    }
  }
}

TEST(channel, starts_messages_as_a_count_of_each_residue_would) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const std::uint64_t residues : {1, 2, 8, 64}) {
      for (const std::uint64_t open : {1, 2, 5, 200}) {
        expect_as_each_residue_counts(residues, 300, open, seed);
      }
    }
  }
}

/// Both ends count alike, so the rule must not depend on who asks for which place first.
TEST(channel, keeps_one_sparse_message_in_sixteen_places) {
  for (std::uint64_t place = 0; place < 16; ++place) EXPECT_EQ(kept_place(place), place);
  std::vector<int> kept_at(16, 0);
  for (std::uint64_t first = 16; first < 16 * 4000; first += 16) {
    const std::uint64_t kept = kept_place(first);
    ASSERT_LT(kept, first + 16);
    ++kept_at[kept - first];
    for (std::uint64_t place = first; place < first + 16; ++place) {
      operation op = at_place(place);
      op.sparse = true;
      ASSERT_EQ(is_left_out(op), place != kept) << "place " << place;
      ASSERT_TRUE(place > kept || kept_place(place) == kept) << "place " << place;
    }
  }
  for (const int times : kept_at) {  // 250 each, of a binomial distribution: 8 deviations
    EXPECT_GT(times, 125);
    EXPECT_LT(times, 375);
  }
}

TEST(channel, leaves_out_what_is_not_kept_once_all_before_has_started) {
  channel via(8);
  operation op;
  op.sparse = true;
  for (std::uint64_t place = 0; place < 500; ++place) {
    op.sequence = place;
    ASSERT_EQ(via.may_leave_out(), is_left_out(op)) << "place " << place;
    if (is_left_out(op) && place % 3 != 0) {
      via.leave_out();
    } else {
      ASSERT_EQ(via.take_sequences(1), place);
      ASSERT_FALSE(via.may_leave_out()) << "place " << place << " has not started";
      ASSERT_TRUE(via.starts(op)) << "place " << place;
    }
  }
  EXPECT_EQ(via.places(), 500U);
}

TEST(channel, asks_for_a_message_at_the_start_of_its_receive_after_one_that_was_there) {
  channel via(64);
  EXPECT_TRUE(via.tests_at_start());
  via.tested_at_start(true);
  EXPECT_TRUE(via.tests_at_start());
  via.tested_at_start(false);
  for (int i = 0; i < 15; ++i) EXPECT_FALSE(via.tests_at_start()) << "receive " << i;
  EXPECT_TRUE(via.tests_at_start());
}

TEST(channel, takes_a_fifth_of_what_a_count_of_each_residue_would) {
  const std::size_t before = mallinfo2().uordblks;
  std::vector<std::unique_ptr<channel>> of_tags;
  for (int tag = 0; tag < 10'000; ++tag) {
    of_tags.push_back(std::make_unique<channel>(64));
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(of_tags.back()->starts(at_place(of_tags.back()->take_sequences(1))));
    }
  }
  EXPECT_LE((mallinfo2().uordblks - before) / of_tags.size(), 64 * sizeof(std::uint64_t) / 4);
}

}  // namespace
}  // namespace plait
