// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gtest/gtest.h>
#include <plait/model/staged.hpp>

namespace plait::test {
namespace {

using model::cheapest_parts;
using model::parameters;
using model::staged_s;
using model::staged_way;

/// A link of so many seconds a byte, whose parts cost `part_s`.
[[nodiscard]] staged_way way_of(double copy_per_byte_s, double link_per_byte_s, double part_s) {
  parameters network;
  network.gap_per_byte_s = link_per_byte_s;
  return {.copy_per_byte_s = copy_per_byte_s, .part_s = part_s, .network = network};
}

TEST(staged, whole_is_copied_sent_and_copied) {
  const staged_way way = way_of(2e-9, 8e-9, 0);
  EXPECT_NEAR(staged_s(way, 1e6, 1), 2e-3 + 8e-3 + 2e-3, 1e-7);
}

/// n parts: the slowest stage without a pause, and the others once, of one part.
TEST(staged, the_slowest_of_device_bus_and_link_decides) {
  EXPECT_NEAR(staged_s(way_of(2e-9, 8e-9, 0), 1e6, 8), 8e-3 + 2 * 2e-3 / 8, 1e-7);
  EXPECT_NEAR(staged_s(way_of(8e-9, 2e-9, 0), 1e6, 8), 8e-3 + (8e-3 + 2e-3) / 8, 1e-7);
}

/// The least of a/n + b n is at sqrt(a / b): a = the two copies, b = what a part costs the link.
TEST(staged, costs_of_parts_and_of_copies_are_balanced) {
  const double part_s = 4e-5;
  const double copies_s = 2 * 2e-9 * 1e6;
  const int best = cheapest_parts(way_of(2e-9, 8e-9, part_s), 1e6);
  EXPECT_NEAR(best * best, copies_s / part_s, 10);
  EXPECT_EQ(cheapest_parts(way_of(2e-9, 8e-9, 1), 1e6), 1);
}

TEST(staged, parts_stay_below_the_limit_of_rendezvous_where_a_handshake_costs) {
  staged_way way = way_of(2e-9, 8e-9, 0);
  way.network.latency_s = 1e-3;
  way.network.eager_limit_bytes = 65536;
  const int best = cheapest_parts(way, 1 << 20);
  EXPECT_GE(best, 16);
}

TEST(staged, small_messages_and_empty_ones_travel_whole) {
  const staged_way way{
      .copy_latency_s = 1e-5, .copy_per_byte_s = 1e-10, .network = model::usual_network()};
  EXPECT_EQ(cheapest_parts(way, 0), 1);
  EXPECT_EQ(cheapest_parts(way, 4096), 1);
  EXPECT_EQ(cheapest_parts(way, 8191), 1);
  EXPECT_LE(cheapest_parts(way_of(1e-6, 1e-6, 0), 1e9), model::most_parts);
}

}  // namespace
}  // namespace plait::test
