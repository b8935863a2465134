// SPDX-License-Identifier: BSD-3-Clause
// Floods between two ranks, the first and the last; others have nothing to do with them.
#include <gtest/gtest.h>
#include <plait/comm/flood.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class flood_pair_test : public ::testing::Test {
 protected:
  environment& env = test_environment();
  const int last = env.size() - 1;
  [[nodiscard]] bool takes_part() const { return env.rank() == 0 || env.rank() == last; }
};

TEST_F(flood_pair_test, both_ranks_learn_the_same_time) {
  if (!takes_part()) return;
  flood_pair pair(env, 0, last);
  for (const std::size_t size : {1UL, 1025UL, 300000UL}) {
    for (const bool both_ways : {true, false}) {
      const double s = pair.run({.messages = 5, .size_bytes = size, .both_ways = both_ways});
      EXPECT_GT(s, 0);
      if (env.size() != 2) continue;  // `gather` is of all ranks
      const auto all = env.gather(std::to_string(1e9 * s));
      if (env.rank() == 0) {
        EXPECT_EQ(all[0], all[1]);
      }
    }
  }
}

TEST_F(flood_pair_test, whoever_receives_has_checked_what_came) {
  if (!takes_part()) return;
  flood_pair pair(env, last, 0);
  (void)pair.run({.messages = 4, .size_bytes = 100, .both_ways = false});
  EXPECT_EQ(pair.messages_checked(), env.rank() == 0 ? 4U : 0U);
  for (int i = 0; i < 300; ++i) (void)pair.run({.messages = 2, .size_bytes = 70000});
  EXPECT_EQ(pair.messages_checked(), (env.rank() == 0 ? 4U : 0U) + 600U);
  EXPECT_EQ(pair.bytes_checked(), (env.rank() == 0 ? 400U : 0U) + 600U * 70000);
}

}  // namespace
}  // namespace plait::test
