// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/model/fit.hpp>
#include <plait/model/message.hpp>

#include "networks.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::network_fit;
using model::parameters;
using model::point;
using model::round_trips;
using model::segment;

constexpr int burst = 10;

// What the method measures in a network that is as the model says.
round_trips measured_size(const parameters& network, double size_bytes) {
  round_trips m{.size_bytes = size_bytes, .messages = burst};
  m.prtt_1_0_s = 2 * message_s(network, size_bytes);
  m.prtt_n_0_s = burst_s(network, size_bytes, burst) + message_s(network, size_bytes);
  m.delay_s = m.receive_delay_s = m.prtt_1_0_s;
  m.prtt_n_d_s = (burst - 1) * (send_processor_s(network, size_bytes) + m.delay_s) + m.prtt_1_0_s;
  m.receiving_s = (burst - 1) * (receive_processor_s(network, size_bytes) + m.receive_delay_s);
  return m;
}

std::vector<round_trips> measured_in(const parameters& network, int sizes) {
  std::vector<round_trips> all;
  for (int i = 0; i < sizes; ++i) all.push_back(measured_size(network, 1 + 1024.0 * i));
  return all;
}

// Every measured time is off by at most this share of it.
void add_noise(std::vector<round_trips>& measured, double share, std::mt19937& random) {
  std::uniform_real_distribution<double> factor(1 - share, 1 + share);
  for (round_trips& m : measured)
    for (double* time_s : {&m.prtt_1_0_s, &m.prtt_n_0_s, &m.prtt_n_d_s, &m.receiving_s})
      *time_s *= factor(random);
}

parameters cluster() {
  return {.latency_s = 4e-6,
          .send_overhead_s = 1e-6,
          .receive_overhead_s = 1.5e-6,
          .gap_s = 2e-6,
          .gap_per_byte_s = 1e-9,
          .overhead_per_byte_s = 0.2e-9};
}

TEST(fit, exact_measurements_give_the_parameters_back) {
  const network_fit fit = fit_network(measured_in(cluster(), 64));
  ASSERT_EQ(fit.segments.size(), 1U);
  const parameters& found = fit.segments[0].network;
  EXPECT_NEAR(found.latency_s, 4e-6, 1e-14);
  EXPECT_NEAR(found.send_overhead_s, 1e-6, 1e-14);
  EXPECT_NEAR(found.receive_overhead_s, 1.5e-6, 1e-14);
  EXPECT_NEAR(found.gap_s, 2e-6, 1e-14);
  EXPECT_NEAR(found.gap_per_byte_s, 1e-9, 1e-17);
  EXPECT_NEAR(found.overhead_per_byte_s, 0.2e-9, 1e-17);
  EXPECT_TRUE(fit.remarks.empty());
  EXPECT_EQ(fit.segments[0].first_bytes, 1);
  EXPECT_EQ(fit.segments[0].last_bytes, 1 + 63 * 1024.0);
}

TEST(fit, the_estimators_are_the_published_ones) {
  const round_trips m{.size_bytes = 1,
                      .messages = 10,
                      .prtt_1_0_s = 20,
                      .prtt_n_0_s = 65,
                      .prtt_n_d_s = 218,
                      .delay_s = 20,
                      .receiving_s = 279,
                      .receive_delay_s = 30};
  EXPECT_DOUBLE_EQ(gap_s(m), 5);
  EXPECT_DOUBLE_EQ(send_overhead_s(m), 2);
  EXPECT_DOUBLE_EQ(receive_overhead_s(m), 1);
  round_trips longer = m;
  longer.size_bytes = 11;
  longer.prtt_n_0_s = 65 + 9 * 30;
  const parameters found = fit_network(std::vector{longer, m}).segments.at(0).network;
  EXPECT_DOUBLE_EQ(found.latency_s, 20.0 / 2 - 2 - 1);
  EXPECT_DOUBLE_EQ(found.gap_s, 5);
  EXPECT_DOUBLE_EQ(found.gap_per_byte_s, 3);
}

// If every time is off by at most a share e of it, an estimate that is Σ w_i t_i is off by at most
// e Σ |w_i| t_i; no run of luck can make this test fail.  That noise of which the slope is 0.2 %
// off is really there is asserted too.
TEST(fit, noise_moves_the_parameters_no_further_than_it_can) {
  const parameters truth = cluster();
  const double share = 0.01;
  double farthest = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const std::vector<round_trips> exact = measured_in(truth, 64);
    std::vector<round_trips> noisy = exact;
    add_noise(noisy, share, random);
    std::ranges::shuffle(noisy, random);
    // One segment: here it is the line that is tested.
    const network_fit fit = fit_network(noisy, {.protocol = {.factor = 1e6}});
    ASSERT_EQ(fit.segments.size(), 1U);
    const parameters& found = fit.segments[0].network;

    const round_trips& one = exact.front();
    const double o_s = share * (one.prtt_n_d_s + one.prtt_1_0_s) / (burst - 1);
    const double o_r = share * one.receiving_s / (burst - 1);
    EXPECT_NEAR(found.send_overhead_s, truth.send_overhead_s, o_s) << "seed " << seed;
    EXPECT_NEAR(found.receive_overhead_s, truth.receive_overhead_s, o_r) << "seed " << seed;
    EXPECT_NEAR(found.latency_s, truth.latency_s, o_s + o_r + share * one.prtt_1_0_s / 2);

    const double mean = 1 + 1024 * 31.5;
    double squares = 0, G = 0, g = 0;
    for (const round_trips& m : exact) squares += (m.size_bytes - mean) * (m.size_bytes - mean);
    for (const round_trips& m : exact) {
      const double off_s = share * (m.prtt_n_0_s + m.prtt_1_0_s) / (burst - 1);
      const double weight = (m.size_bytes - mean) / squares;
      G += std::abs(weight) * off_s;
      g += std::abs(1.0 / 64 - (mean - 1) * weight) * off_s;
    }
    EXPECT_NEAR(found.gap_per_byte_s, truth.gap_per_byte_s, G) << "seed " << seed;
    EXPECT_NEAR(found.gap_s, truth.gap_s, g) << "seed " << seed;
    farthest = std::max(farthest, std::abs(found.gap_per_byte_s / truth.gap_per_byte_s - 1));
  }
  EXPECT_GT(farthest, 0.002);
  EXPECT_LT(farthest, 0.02);
}

TEST(fit, random_networks_come_back_from_exact_measurements) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    parameters truth = random_network(random);
    // A burst shows max(o, g + (s - 1)G) and a round trip max(G, O): only the larger can be found.
    truth.gap_s = std::max(truth.gap_s, truth.send_overhead_s);
    truth.overhead_per_byte_s = std::min(truth.overhead_per_byte_s, truth.gap_per_byte_s);
    const network_fit fit = fit_network(measured_in(truth, 40));
    ASSERT_EQ(fit.segments.size(), 1U) << "network " << i;
    const parameters& found = fit.segments[0].network;
    const double scale_s = message_s(truth, 40 * 1024) + truth.gap_s;
    EXPECT_NEAR(found.latency_s, truth.latency_s, 1e-9 * scale_s) << "network " << i;
    EXPECT_NEAR(found.send_overhead_s, truth.send_overhead_s, 1e-9 * scale_s) << "network " << i;
    EXPECT_NEAR(found.receive_overhead_s, truth.receive_overhead_s, 1e-9 * scale_s);
    EXPECT_NEAR(found.gap_s, truth.gap_s, 1e-9 * scale_s) << "network " << i;
    EXPECT_NEAR(found.gap_per_byte_s, truth.gap_per_byte_s, 1e-12 * scale_s) << "network " << i;
    EXPECT_NEAR(found.overhead_per_byte_s, truth.overhead_per_byte_s, 1e-12 * scale_s);
    EXPECT_NO_THROW(validate(found)) << "network " << i;
    EXPECT_EQ(found.latency_s < 0, !fit.remarks.empty()) << "network " << i;
  }
}

TEST(fit, a_negative_latency_is_reported) {
  parameters shared_memory = cluster();
  shared_memory.latency_s = -0.8e-6;
  const network_fit fit = fit_network(measured_in(shared_memory, 20));
  EXPECT_NEAR(fit.segments[0].network.latency_s, -0.8e-6, 1e-14);
  ASSERT_EQ(fit.remarks.size(), 1U);
  EXPECT_EQ(
      fit.remarks[0],
      "L came out at -8e-07 s: sender and receiver work at the same time, as on shared memory");
  EXPECT_NO_THROW(validate(fit.segments[0].network));
}

TEST(fit, other_negative_parameters_are_taken_as_nothing_and_reported) {
  std::vector<round_trips> measured = measured_in(cluster(), 20);
  for (round_trips& m : measured) {
    m.prtt_n_0_s -= (burst - 1) * 3e-6;    // g: 2 - 3 µs
    m.prtt_n_d_s -= (burst - 1) * 1.5e-6;  // o_s: 1 - 1.5 µs
  }
  const network_fit fit = fit_network(measured);
  const parameters& found = fit.segments[0].network;
  EXPECT_EQ(found.gap_s, 0);
  EXPECT_EQ(found.send_overhead_s, 0);
  ASSERT_EQ(fit.remarks.size(), 2U);
  EXPECT_EQ(fit.remarks[0], "o_s came out at -5e-07 s; it is taken as 0");
  EXPECT_EQ(fit.remarks[1], "g of 1 to 19457 bytes came out at -1e-06 s; it is taken as 0");
  // A message of one byte still takes half the round trip.
  EXPECT_NEAR(message_s(found, 1), measured[0].prtt_1_0_s / 2, 1e-14);
  EXPECT_NO_THROW(validate(found));
}

// Bandwidth halves and every message costs 20 µs more from 16 KiB on.
std::vector<round_trips> with_switch(double share, std::mt19937& random) {
  parameters late = cluster();
  late.gap_s = 22e-6;
  late.gap_per_byte_s = 2e-9;
  std::vector<round_trips> measured;
  for (int i = 0; i < 48; ++i)
    measured.push_back(measured_size(i < 16 ? cluster() : late, 1 + 1024.0 * i));
  add_noise(measured, share, random);
  return measured;
}

void expect_switch(const network_fit& fit) {
  EXPECT_EQ(fit.segments[0].last_bytes, 1 + 15 * 1024.0);
  EXPECT_EQ(fit.segments[1].first_bytes, 1 + 16 * 1024.0);
  // Of the noise below, bounded as above, comes 0.03e-9 at most, and 1e-6 in g.
  EXPECT_NEAR(fit.segments[0].network.gap_per_byte_s, 1e-9, 0.03e-9);
  EXPECT_EQ(&fit.at(1), &fit.segments[0]);
  EXPECT_EQ(&fit.at(1 + 15 * 1024), &fit.segments[0]);
  EXPECT_EQ(&fit.at(2 + 15 * 1024), &fit.segments[1]);
  EXPECT_EQ(&fit.at(1e9), &fit.segments.back());
  if (fit.segments.size() > 2) return;
  EXPECT_EQ(fit.segments[1].last_bytes, 1 + 47 * 1024.0);
  EXPECT_NEAR(fit.segments[1].network.gap_per_byte_s, 2e-9, 0.03e-9);
  EXPECT_NEAR(fit.segments[1].network.gap_s, 22e-6, 1e-6);
}

TEST(fit, a_switch_of_protocol_is_found_at_its_size) {
  std::mt19937 random(8);
  const network_fit fit = fit_network(with_switch(0, random));
  ASSERT_EQ(fit.segments.size(), 2U);
  expect_switch(fit);
}

// Gaps are off by up to 0.3 µs, the switch is of 20: it is always found.  Another is found by
// chance in three series of a thousand (switch_rule), in not more than ten of 500 here.
TEST(fit, a_switch_of_protocol_is_found_through_noise) {
  int more = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const network_fit fit = fit_network(with_switch(0.002, random));
    ASSERT_GE(fit.segments.size(), 2U);
    expect_switch(fit);
    more += fit.segments.size() > 2 ? 1 : 0;
  }
  EXPECT_LE(more, 10);
}

TEST(fit, the_size_is_found_from_which_the_receiver_is_asked_first) {
  parameters truth = cluster();
  truth.eager_limit_bytes = 16 * 1024;
  for (const double slower :
       {1.0, 2.0, 4.0}) {  // the bytes of such messages take as long, or longer
    parameters asking = truth;
    asking.gap_per_byte_s *= slower;
    std::vector<round_trips> measured;
    for (int i = 0; i < 48; ++i)
      measured.push_back(measured_size(i <= 15 ? truth : asking, 1 + 1024.0 * i));
    const network_fit fit = fit_network(measured, {.known_limits_bytes = {16 * 1024}});
    ASSERT_TRUE(fit.eager_limit_bytes) << slower;
    EXPECT_EQ(*fit.eager_limit_bytes, 1 + 15 * 1024.0);
  }
}

TEST(fit, a_switch_without_a_handshake_has_no_such_size) {
  std::mt19937 random(9);
  EXPECT_FALSE(fit_network(with_switch(0, random)).eager_limit_bytes);
  EXPECT_FALSE(fit_network(measured_in(cluster(), 64)).eager_limit_bytes);
}

std::vector<point> gaps_with(int count, int first_late, int wild) {
  std::vector<point> points;
  for (int i = 0; i < count; ++i) {
    const double size_bytes = 1 + 1024.0 * i;
    const double wobble_s = (i % 2 == 0 ? 1 : -1) * 0.05e-6;
    points.push_back({size_bytes, 2e-6 + 1e-9 * size_bytes + wobble_s +
                                      (i >= first_late ? 20e-6 : 0) + (i == wild ? 50e-6 : 0)});
  }
  return points;
}

std::vector<std::size_t> lengths_of(const std::vector<point>& points,
                                    const model::switch_rule& rule = {}) {
  std::vector<std::size_t> lengths;
  for (const auto part : protocol_segments(points, rule)) lengths.push_back(part.size());
  return lengths;
}

TEST(protocol_segments, end_where_five_points_in_a_row_leave_the_line) {
  using lengths = std::vector<std::size_t>;
  constexpr int none = -1;
  EXPECT_EQ(lengths_of(gaps_with(30, 12, none)), (lengths{12, 18}));
  EXPECT_EQ(lengths_of(gaps_with(30, 6, none)), (lengths{6, 24}));
  EXPECT_EQ(lengths_of(gaps_with(30, 25, none)), (lengths{25, 5})) << "five points are enough";
  EXPECT_EQ(lengths_of(gaps_with(30, 26, none)), (lengths{30})) << "four are not";
  EXPECT_EQ(lengths_of(gaps_with(30, 30, none)), (lengths{30}));
  EXPECT_EQ(lengths_of(gaps_with(30, 30, 9)), (lengths{30})) << "one wild point is no protocol";
  EXPECT_EQ(lengths_of(gaps_with(3, 30, none)), (lengths{3}));
  EXPECT_EQ(lengths_of({}), lengths{});
}

TEST(protocol_segments, may_be_as_many_as_there_are_protocols) {
  std::vector<point> points = gaps_with(60, 20, -1);
  for (std::size_t i = 40; i < 60; ++i) points[i].time_s -= 15e-6;
  EXPECT_EQ(lengths_of(points), (std::vector<std::size_t>{20, 20, 20}));
}

TEST(protocol_segments, follow_the_rule_they_are_given) {
  const std::vector<point> points = gaps_with(30, 26, -1);
  EXPECT_EQ(lengths_of(points, {.look_ahead = 4}), (std::vector<std::size_t>{26, 4}));
  EXPECT_EQ(lengths_of(gaps_with(30, 12, -1), {.factor = 1e4}), (std::vector<std::size_t>{30}));
  EXPECT_EQ(lengths_of(gaps_with(30, 12, -1), {.least_residual_s = 1e-3}),
            (std::vector<std::size_t>{30}));
  const auto refusal_of = [&](const model::switch_rule& rule) {
    return refusal([&] { (void)protocol_segments(points, rule); });
  };
  EXPECT_EQ(refusal_of({.least_points = 2}), "least_points is 2; a residual needs at least 3");
  EXPECT_EQ(refusal_of({.look_ahead = 1}), "look_ahead is 1; a line needs at least 2");
  EXPECT_EQ(refusal_of({.factor = 1}), "factor is 1; it must be above 1");
  EXPECT_EQ(refusal_of({.least_residual_s = 0}), "least_residual_s is 0; it must be above 0");
}

TEST(fit, no_segment_reaches_across_a_known_limit) {
  std::vector<round_trips> measured = measured_in(cluster(), 20);
  const auto starts_with = [&](const std::vector<double>& limits_bytes) {
    std::vector<double> starts;
    const network_fit fit = fit_network(measured, {.known_limits_bytes = limits_bytes});
    for (const segment& s : fit.segments) starts.push_back(s.first_bytes);
    return starts;
  };
  using starts = std::vector<double>;
  EXPECT_EQ(starts_with({}), (starts{1}));
  EXPECT_EQ(starts_with({5000}), (starts{1, 5121})) << "the first size that is not below it";
  EXPECT_EQ(starts_with({5121}), (starts{1, 5121}));
  EXPECT_EQ(starts_with({9000, 5000}), (starts{1, 5121, 9217})) << "in any order";
  EXPECT_EQ(starts_with({5000, 5100}), (starts{1, 5121})) << "nothing lies between them";
  EXPECT_EQ(starts_with({1, 1025, 1e9}), (starts{1})) << "a line needs two sizes on each side";
  EXPECT_EQ(starts_with({2049}), (starts{1, 2049}));
}

TEST(fit, wild_points_are_ignored_by_theil_sen) {
  std::vector<round_trips> measured = measured_in(cluster(), 64);
  for (std::size_t i = 2; i < measured.size(); i += 7) measured[i].prtt_n_0_s *= 5;
  const model::fit_options robust{.method = model::line_method::theil_sen,
                                  .protocol = {.factor = 1e6}};
  EXPECT_NEAR(fit_network(measured, robust).at(1).network.gap_per_byte_s, 1e-9, 1e-12);
  const double moved =
      fit_network(measured, {.protocol = {.factor = 1e6}}).at(1).network.gap_per_byte_s;
  EXPECT_GT(std::abs(moved - 1e-9), 0.1e-9);
}

TEST(fit, measurements_that_cannot_be_fitted_are_refused_in_one_line) {
  const auto refusal_of = [](std::vector<round_trips> measured) {
    return refusal([&] { (void)fit_network(measured); });
  };
  const round_trips one = measured_size(cluster(), 1.0);
  const round_trips two = measured_size(cluster(), 1025.0);
  EXPECT_EQ(refusal_of({}), "no size was measured; g and G need two");
  EXPECT_EQ(refusal_of({one}), "one size was measured; g and G need two");
  EXPECT_EQ(refusal_of({two, measured_size(cluster(), 2049.0)}),
            "the smallest size measured is 1025 bytes; L needs the round trip of 1 byte");
  EXPECT_EQ(refusal_of({two, one, two}),
            "1025 bytes were measured twice; give the medians of each size");
  round_trips bad = two;
  bad.messages = 1;
  EXPECT_EQ(refusal_of({one, bad}), "a burst of 1 at 1025 bytes; it needs 2 messages or more");
  bad = two;
  bad.prtt_n_d_s = -1;
  EXPECT_EQ(refusal_of({one, bad}),
            "a time of -1 s at 1025 bytes; it must be finite and at least 0");
  bad = two;
  bad.size_bytes = 0;
  EXPECT_EQ(refusal_of({one, bad}), "a round trip of 0 bytes; it needs at least 1");
  EXPECT_EQ(refusal_of({one, two}), "accepted");
}

}  // namespace
}  // namespace plait::test
