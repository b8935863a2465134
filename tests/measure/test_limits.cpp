// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "measure/base/limits.hpp"

namespace {

using plait::measure::attainable_s;
using plait::measure::beats;
using plait::measure::bound_s;
using plait::measure::breakdown;
using plait::measure::cheapest_of_rounds;
using plait::measure::hidden_fraction;
using plait::measure::limiter;
using plait::measure::measured_alone;
using plait::measure::slower;

TEST(limits, the_bound_is_the_larger_of_computation_and_communication) {
  EXPECT_EQ(bound_s({.computation_s = 2, .communication_s = 1, .transport_cpu_s = 5}), 2);
  EXPECT_EQ(bound_s({.computation_s = 1, .communication_s = 3, .transport_cpu_s = 5}), 3);
}

TEST(limits, the_transport_adds_to_computation_but_not_to_communication) {
  EXPECT_EQ(attainable_s({.computation_s = 2, .communication_s = 1, .transport_cpu_s = 0.5}), 2.5);
  EXPECT_EQ(attainable_s({.computation_s = 2, .communication_s = 4, .transport_cpu_s = 0.5}), 4);
}

TEST(limits, the_wire_stands_for_communication_where_the_rate_of_the_link_is_known) {
  const measured_alone alone{
      .computation_s = 1, .communication_s = 5, .transport_cpu_s = 0.5, .wire_s = 2};
  EXPECT_EQ(bound_s(alone), 2);
  EXPECT_EQ(attainable_s(alone), 2);
  EXPECT_EQ(bound_s({.computation_s = 1, .communication_s = 5, .wire_s = 0}), 1);
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

TEST(limits, a_variant_faster_than_attainable_shows_that_the_bound_is_too_high) {
  const measured_alone alone{.computation_s = 1, .communication_s = 0.9, .transport_cpu_s = 0.1};
  const std::string text = limiter("plait", 0.88, {.compute_s = 0.75, .exposed_s = 0.01}, alone);
  EXPECT_NE(text.find("plait takes 20 % less than attainable, which was measured too high here"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("slower beside messages"), std::string::npos) << text;
}

TEST(limits, a_bound_is_beaten_by_more_than_the_spread_of_both) {
  const auto exactly = [](double bound_s) { return plait::measure::summarize({bound_s}); };
  const plait::measure::summary quiet{.median = 0.95, .q1 = 0.94, .q3 = 0.96, .samples = {}};
  EXPECT_TRUE(beats(quiet, exactly(1.0)));
  EXPECT_FALSE(beats(quiet, exactly(0.98)));
  EXPECT_FALSE(beats(quiet, exactly(0.97)));
  const plait::measure::summary noisy{.median = 0.95, .q1 = 0.93, .q3 = 0.97, .samples = {}};
  EXPECT_FALSE(beats(noisy, exactly(1.0)));
  EXPECT_FALSE(beats(quiet, {.median = 1.0, .q1 = 0.98, .q3 = 1.02, .samples = {}}));
  EXPECT_TRUE(beats(quiet, {.median = 1.0, .q1 = 0.99, .q3 = 1.01, .samples = {}}));
}

TEST(limits, what_runs_show_to_be_cheaper_than_alone_takes_its_place_round_by_round) {
  const auto found = cheapest_of_rounds({5, 2, 4, 3}, {{6, 1, 4, 9}, {4, 1.5, 7, 2}});
  EXPECT_EQ(found.samples, (std::vector<double>{4, 1, 4, 2}));
  EXPECT_EQ(found.from, (std::vector<std::size_t>{2, 1, 0, 2}));
  EXPECT_EQ(cheapest_of_rounds({5, 2}, {}).samples, (std::vector<double>{5, 2}));
}

TEST(limits, slower_computation_is_split_into_what_explains_it) {
  const measured_alone alone{
      .computation_s = 1.1, .communication_s = 0.5, .transport_cpu_s = 0.2, .compute_s = 1};
  const auto of = [&](double compute_s, std::optional<double> proxy_s) {
    return slower({.compute_s = compute_s}, alone, proxy_s);
  };
  EXPECT_DOUBLE_EQ(of(1.5, 0.25).total_s, 0.5);
  EXPECT_DOUBLE_EQ(of(1.5, 0.25).transport_s, 0.2);
  EXPECT_DOUBLE_EQ(*of(1.5, 0.25).proxy_s, 0.25);
  EXPECT_DOUBLE_EQ(of(1.5, 0.25).rest_s(), 0.25);
  EXPECT_FALSE(of(1.5, {}).proxy_s);
  EXPECT_DOUBLE_EQ(of(1.5, {}).rest_s(), 0.3);
  // Neither explains more than there is.
  EXPECT_DOUBLE_EQ(of(1.05, 0.25).transport_s, of(1.05, 0.25).total_s);
  EXPECT_DOUBLE_EQ(*of(1.05, 0.25).proxy_s, of(1.05, 0.25).total_s);
  EXPECT_DOUBLE_EQ(of(1.05, 0.25).rest_s(), 0);
  EXPECT_DOUBLE_EQ(of(0.9, 0.25).total_s, -0.1);
  EXPECT_DOUBLE_EQ(of(0.9, 0.25).transport_s, 0);
}

TEST(limits, the_sentence_says_how_much_slower_computation_is_and_why) {
  const measured_alone alone{.computation_s = 1, .communication_s = 0.5, .transport_cpu_s = 0.2};
  const breakdown spent{.compute_s = 1.5, .exposed_s = 0.1};
  const std::string text = limiter("plait", 1.6, spent, alone, 0.25);
  EXPECT_NE(text.find("most of it computation slower beside messages than the transport explains "
                      "(300 ms)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("computation is 500 ms slower beside messages: of it transport 200 ms, "
                      "proxy thread 250 ms (transport work included), caches and others 250 ms"),
            std::string::npos)
      << text;
  const std::string without = limiter("olap", 1.6, spent, alone);
  EXPECT_EQ(without.find("proxy"), std::string::npos) << without;
  const std::string alike = limiter("olap", 1.6, {.compute_s = 1.01, .exposed_s = 0.5}, alone);
  EXPECT_EQ(alike.find("slower"), std::string::npos) << alike;
}

TEST(limits, what_attainable_has_of_the_transport_is_no_loss) {
  // Of the 400 ms that computation is slower the transport explains 350.
  const measured_alone alone{.computation_s = 1, .communication_s = 0.5, .transport_cpu_s = 0.35};
  const std::string text = limiter("plait", 1.5, {.compute_s = 1.4, .exposed_s = 0.1}, alone);
  EXPECT_NE(text.find("most of it waiting for messages (100 ms)"), std::string::npos) << text;
}

TEST(limits, the_wires_time_is_not_called_communication) {
  const measured_alone alone{.computation_s = 1, .communication_s = 5, .wire_s = 2};
  const std::string by_network = limiter("plait", 2.02, {}, alone);
  EXPECT_NE(by_network.find("the bytes of a link at its rate take 2 s"), std::string::npos)
      << by_network;
  EXPECT_EQ(by_network.find("communication"), std::string::npos) << by_network;
  const measured_alone by_work{.computation_s = 3, .communication_s = 5, .wire_s = 2};
  EXPECT_EQ(limiter("plait", 3.0, {}, by_work).find("communication"), std::string::npos);
}

TEST(limits, what_is_far_below_attainable_is_not_within_5_percent_of_it) {
  const measured_alone alone{.computation_s = 678e-6,
                             .communication_s = 27.4e-3,
                             .transport_cpu_s = 20.2e-3,
                             .wire_s = 6.156e-3};
  const std::string text = limiter("plait", 13.7e-3, {.compute_s = 680e-6}, alone);
  EXPECT_EQ(text.find("within 5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("plait takes 34 % less than attainable"), std::string::npos) << text;
  EXPECT_NE(text.find("measured too high"), std::string::npos) << text;
  for (const double share : {0.951, 1.0, 1.049})
    EXPECT_NE(limiter("plait", share * 20.878e-3, {.compute_s = 680e-6}, alone).find("within 5 %"),
              std::string::npos);
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
