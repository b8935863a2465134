// SPDX-License-Identifier: BSD-3-Clause
// Who may look again at once on a core that others want.
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "look/numbers.hpp"
#include "look/spinning.hpp"

namespace {

using plait::spinning;

/// Returns how many looks a thread has in turn while nothing moves; at most one more than allowed.
int looks_while_nothing_moves(spinning& spins, std::uint64_t moving) {
  int looks = 0;
  while (looks <= plait::look_numbers::looks_in_turn && spins.may_look_in_turn(moving)) ++looks;
  return looks;
}

TEST(looks_in_turn, end_where_nothing_moves) {
  spinning spins;
  EXPECT_EQ(looks_while_nothing_moves(spins, 1), plait::look_numbers::looks_in_turn);
  EXPECT_FALSE(spins.may_look_in_turn(1)) << "nor after a sleep";
}

TEST(looks_in_turn, begin_again_when_something_has_moved) {
  spinning spins;
  EXPECT_EQ(looks_while_nothing_moves(spins, 2), plait::look_numbers::looks_in_turn);
  EXPECT_EQ(looks_while_nothing_moves(spins, 3), plait::look_numbers::looks_in_turn);
}

TEST(looks_in_turn, are_each_threads_own) {
  spinning spins;
  EXPECT_EQ(looks_while_nothing_moves(spins, 4), plait::look_numbers::looks_in_turn);
  int of_another = 0;
  std::thread([&] { of_another = looks_while_nothing_moves(spins, 4); }).join();
  EXPECT_EQ(of_another, plait::look_numbers::looks_in_turn);
}

TEST(looks_in_turn, are_each_engines_own) {
  for (int engine = 0; engine < 2; ++engine) {
    spinning spins;  // where the one before was
    EXPECT_EQ(looks_while_nothing_moves(spins, 5), plait::look_numbers::looks_in_turn);
  }
}

}  // namespace
