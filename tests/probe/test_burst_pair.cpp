// SPDX-License-Identifier: BSD-3-Clause
// Bursts between two ranks, the first and the last; others have nothing to do with them.
#include <cmath>

#include <gtest/gtest.h>
#include <plait/probe/loggp.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class burst_pair_test : public ::testing::Test {
 protected:
  environment& env = test_environment();
  const int server = env.size() - 1;
  [[nodiscard]] bool takes_part() const { return env.rank() == 0 || env.rank() == server; }
};

TEST_F(burst_pair_test, both_sides_learn_the_same_times) {
  if (!takes_part()) return;
  burst_pair pair(env, 0, server);
  for (const std::size_t size : {1UL, 1025UL, 300000UL}) {
    for (const int messages : {1, 10}) {
      const burst_times times = pair.run({.messages = messages, .size_bytes = size});
      EXPECT_GT(times.round_trip_s, 0);
      EXPECT_GE(times.receiving_s, 0);
      if (env.size() != 2) continue;  // `gather` is of all ranks
      const auto all = env.gather(std::to_string(times.round_trip_s));
      if (env.rank() == 0) {
        EXPECT_EQ(all[0], all[1]);
      }
    }
  }
}

TEST_F(burst_pair_test, pauses_are_kept) {
  if (!takes_part()) return;
  burst_pair pair(env, 0, server);
  EXPECT_GE(pair.run({.messages = 4, .size_bytes = 8, .send_pause_s = 2e-3}).round_trip_s, 6e-3);
  EXPECT_GE(pair.run({.messages = 4, .size_bytes = 8, .receive_pause_s = 2e-3}).receiving_s, 6e-3);
}

TEST_F(burst_pair_test, either_rank_may_be_the_client) {
  if (!takes_part()) return;
  burst_pair pair(env, server, 0);
  EXPECT_GT(pair.run({.messages = 3, .size_bytes = 5000}).round_trip_s, 0);
  EXPECT_EQ(pair.messages_checked(), env.rank() == server ? 4U : 0U);
}

TEST_F(burst_pair_test, what_arrived_is_compared_with_what_was_sent) {
  if (!takes_part()) return;
  burst_pair pair(env, 0, server);
  for (int i = 0; i < 300; ++i) (void)pair.run({.messages = 2, .size_bytes = 100});
  EXPECT_EQ(pair.messages_checked(), env.rank() == 0 ? 900U : 0U);
  EXPECT_EQ(pair.bytes_checked(), env.rank() == 0 ? 300U * 201 : 0U);
}

TEST_F(burst_pair_test, a_burst_of_more_messages_than_a_byte_counts_is_in_order) {
  if (!takes_part()) return;
  burst_pair pair(env, 0, server);
  EXPECT_GT(pair.run({.messages = 600, .size_bytes = 1}).round_trip_s, 0);
}

TEST_F(burst_pair_test, a_network_is_measured_and_both_sides_find_the_same) {
  if (!takes_part()) return;
  burst_pair pair(env, 0, server);
  const probe::loggp_plan plan{.sizes_bytes = probe::netgauge_sizes(16 * 1024), .repeat = 3};
  const probe::loggp_measurement found =
      probe::measure_loggp([&](const burst& what) { return pair.run(what); }, plan);
  ASSERT_EQ(found.sizes.size(), 16U);
  ASSERT_FALSE(found.fit.segments.empty());
  for (const model::segment& segment : found.fit.segments) {
    EXPECT_TRUE(std::isfinite(segment.network.latency_s));
    EXPECT_TRUE(std::isfinite(segment.gaps.residual_s));
    EXPECT_GE(segment.network.gap_s, 0);
    EXPECT_GE(segment.network.gap_per_byte_s, 0);
  }
  if (env.size() != 2) return;
  const auto all = env.gather(std::to_string(1e9 * found.fit.segments[0].network.latency_s));
  if (env.rank() == 0) {
    EXPECT_EQ(all[0], all[1]);
  }
}

}  // namespace
}  // namespace plait::test
