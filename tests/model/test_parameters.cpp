// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <plait/model/parameters.hpp>

#include "networks.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::parameters;

std::string refusal_of(const parameters& network) {
  return refusal([&] { model::validate(network); });
}

TEST(parameters, a_network_that_costs_nothing_is_one) {
  EXPECT_EQ(refusal_of({}), "accepted");
  EXPECT_EQ(refusal_of(example_network()), "accepted");
}

TEST(parameters, a_negative_one_is_refused_by_its_name) {
  EXPECT_EQ(refusal_of({.gap_per_byte_s = -1e-9}),
            "G (gap_per_byte_s) is -1e-09 s; it must be finite and at least 0");
  EXPECT_EQ(refusal_of({.send_overhead_s = -1}),
            "o_s (send_overhead_s) is -1 s; it must be finite and at least 0");
  EXPECT_EQ(refusal_of({.eager_limit_bytes = -1}),
            "S (eager_limit_bytes) is -1 bytes; it must be at least 0");
}

TEST(parameters, each_of_them_must_be_a_number) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double parameters::*const all[] = {&parameters::latency_s,
                                     &parameters::send_overhead_s,
                                     &parameters::receive_overhead_s,
                                     &parameters::gap_s,
                                     &parameters::gap_per_byte_s,
                                     &parameters::overhead_per_byte_s,
                                     &parameters::reduction_per_byte_s,
                                     &parameters::both_ways_per_byte_s,
                                     &parameters::copy_per_byte_s};
  for (const auto member : all)
    for (const double value : {nan, infinite, -infinite}) {
      parameters network;
      network.*member = value;
      EXPECT_NE(refusal_of(network), "accepted") << value;
    }
  EXPECT_NE(refusal_of({.eager_limit_bytes = nan}), "accepted");
  EXPECT_EQ(refusal_of({.eager_limit_bytes = infinite}), "accepted");
}

TEST(parameters, a_latency_may_be_negative_as_long_as_messages_take_time) {
  EXPECT_EQ(refusal_of({.latency_s = -3e-6, .send_overhead_s = 1e-6, .receive_overhead_s = 2e-6}),
            "accepted");
  EXPECT_EQ(refusal_of({.latency_s = -4e-6, .send_overhead_s = 1e-6, .receive_overhead_s = 2e-6}),
            "L (latency_s) is -4e-06 s; it must be finite and at least -(o_s + o_r) = -3e-06 s: no "
            "message arrives before it is sent");
}

}  // namespace
}  // namespace plait::test
