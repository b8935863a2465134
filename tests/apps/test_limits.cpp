// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>

#include "support/limits.hpp"

namespace {

using plait::app::attainable_s;
using plait::app::bound_s;
using plait::app::breakdown;
using plait::app::hidden_fraction;
using plait::app::limiter;
using plait::app::measured_alone;

TEST(limits, the_bound_is_the_larger_of_computation_and_communication) {
  EXPECT_EQ(bound_s({.computation_s = 2, .communication_s = 1, .transport_cpu_s = 5}), 2);
  EXPECT_EQ(bound_s({.computation_s = 1, .communication_s = 3, .transport_cpu_s = 5}), 3);
}

TEST(limits, the_transport_adds_to_computation_but_not_to_communication) {
  EXPECT_EQ(attainable_s({.computation_s = 2, .communication_s = 1, .transport_cpu_s = 0.5}), 2.5);
  EXPECT_EQ(attainable_s({.computation_s = 2, .communication_s = 4, .transport_cpu_s = 0.5}), 4);
}

TEST(limits, hidden_is_the_fraction_of_the_way_from_base_to_bound) {
  EXPECT_DOUBLE_EQ(*hidden_fraction(2.0, 3.0, 2.0), 1);
  EXPECT_DOUBLE_EQ(*hidden_fraction(2.25, 3.0, 2.0), 0.75);
  EXPECT_DOUBLE_EQ(*hidden_fraction(3.5, 3.0, 2.0), -0.5);
}

TEST(limits, nothing_to_hide_has_no_hidden_fraction) {
  EXPECT_FALSE(hidden_fraction(1.0, 1.0, 1.0));
  EXPECT_FALSE(hidden_fraction(1.0, 1.005, 1.0));
  EXPECT_FALSE(hidden_fraction(1.0, 0.9, 1.0));
}

TEST(limits, the_sentence_names_what_limits) {
  const measured_alone by_network{.computation_s = 1, .communication_s = 2, .transport_cpu_s = 0.1};
  EXPECT_NE(limiter("plait", 2.02, {}, by_network).find("limited by the network"),
            std::string::npos);
  const measured_alone by_processor{
      .computation_s = 1, .communication_s = 0.9, .transport_cpu_s = 0.1};
  EXPECT_NE(limiter("plait", 1.1, {}, by_processor).find("limited by the processor"),
            std::string::npos);
  const measured_alone by_work{.computation_s = 1, .communication_s = 0.1};
  EXPECT_NE(limiter("plait", 1.0, {}, by_work).find("limited by computation"), std::string::npos);
}

TEST(limits, the_sentence_says_why_a_variant_is_faster_than_attainable) {
  const measured_alone alone{.computation_s = 1, .communication_s = 0.9, .transport_cpu_s = 0.1};
  const std::string text = limiter("plait", 0.88, {.compute_s = 0.75, .exposed_s = 0.01}, alone);
  EXPECT_NE(text.find("plait takes 20 % less than attainable"), std::string::npos) << text;
  EXPECT_NE(text.find("its own takes 750 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("waits 10 ms"), std::string::npos) << text;
}

TEST(limits, the_sentence_names_the_largest_loss_of_a_slow_variant) {
  const measured_alone alone{.computation_s = 1, .communication_s = 0.9, .transport_cpu_s = 0.1};
  const breakdown waiting{
      .compute_s = 1.05, .posting_s = 0.1, .exposed_s = 0.8, .overhead_s = 0, .idle_s = 0};
  const std::string text = limiter("base", 2.2, waiting, alone);
  EXPECT_NE(text.find("base takes 100 % more than attainable"), std::string::npos) << text;
  EXPECT_NE(text.find("waiting for messages (800 ms)"), std::string::npos) << text;
}

}  // namespace
