// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <plait/probe/loggp.hpp>

#include "probe/shaped_network.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::parameters;
using probe::loggp_measurement;
using probe::loggp_plan;

constexpr std::size_t KiB = 1024;

parameters cluster() {
  return {.latency_s = 4e-6,
          .send_overhead_s = 1e-6,
          .receive_overhead_s = 1.5e-6,
          .gap_s = 2e-6,
          .gap_per_byte_s = 1e-9};
}

loggp_plan plan_to(std::size_t largest_bytes) {
  return {.sizes_bytes = probe::netgauge_sizes(largest_bytes), .repeat = 5};
}

loggp_measurement measure(shaped_network& network, const loggp_plan& plan) {
  return probe::measure_loggp([&](const burst& what) { return network.run(what); }, plan);
}

TEST(loggp, sizes_are_those_of_netgauge) {
  EXPECT_EQ(probe::netgauge_sizes(3 * KiB), (std::vector<std::size_t>{1, 1025, 2049}));
  EXPECT_EQ(probe::netgauge_sizes(1 + 3 * KiB), (std::vector<std::size_t>{1, 1025, 2049, 3073}));
}

TEST(loggp, sizes_beyond_a_links_burst_are_all_above_it) {
  const std::vector<std::size_t> sizes = probe::sizes_beyond(100001);
  EXPECT_EQ(sizes.size(), 9U);
  EXPECT_GE(sizes.front(), 2 * 100001U);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
}

TEST(loggp, a_network_that_is_as_the_model_says_is_found_exactly) {
  shaped_network network(cluster());
  const loggp_measurement found = measure(network, plan_to(64 * KiB));
  ASSERT_EQ(found.fit.segments.size(), 1U);
  const parameters& got = found.fit.segments[0].network;
  EXPECT_NEAR(got.latency_s, 4e-6, 1e-12);
  EXPECT_NEAR(got.send_overhead_s, 1e-6, 1e-12);
  EXPECT_NEAR(got.receive_overhead_s, 1.5e-6, 1e-12);
  EXPECT_NEAR(got.gap_s, 2e-6, 1e-12);
  EXPECT_NEAR(got.gap_per_byte_s, 1e-9, 1e-16);
  EXPECT_TRUE(found.fit.remarks.empty());
}

TEST(loggp, a_negative_latency_stays_and_is_said) {
  parameters network = cluster();
  network.latency_s = -1e-6;
  shaped_network shared(network);
  const loggp_measurement found = measure(shared, plan_to(16 * KiB));
  EXPECT_NEAR(found.fit.segments[0].network.latency_s, -1e-6, 1e-12);
  ASSERT_EQ(found.fit.remarks.size(), 1U);
  EXPECT_NE(found.fit.remarks[0].find("L came out"), std::string::npos);
}

// With times off by at most 1 % a gap is off by at most 1 µs, 1 % of (730 + 144) µs / 9.  Half of
// all pairs are at least 0.29 of the range apart and give a slope that is off by at most 2 µs / 19
// KiB; the median of all is far nearer, since deviations are of both signs: half of that is asked.
TEST(loggp, noise_moves_the_parameters_little) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    shaped_network network(cluster());
    network.add_noise(0.01, seed);
    loggp_plan plan = plan_to(64 * KiB);
    const loggp_measurement found = measure(network, plan);
    EXPECT_NEAR(found.fit.segments.back().network.gap_per_byte_s, 1e-9, 0.05e-9);
    const double prtt_s = found.sizes[0].medians(plan.messages).prtt_1_0_s;
    EXPECT_NEAR(found.fit.segments[0].network.send_overhead_s, 1e-6, 0.05 * prtt_s);
  }
}

TEST(loggp, a_switch_of_protocol_is_found_at_its_size) {
  parameters rendezvous = cluster();
  rendezvous.gap_s = 22e-6;
  rendezvous.gap_per_byte_s = 2e-9;
  shaped_network network(cluster());
  network.switch_protocol(20 * KiB, rendezvous);
  const loggp_measurement found = measure(network, plan_to(64 * KiB));
  ASSERT_EQ(found.fit.segments.size(), 2U);
  EXPECT_EQ(found.fit.segments[0].last_bytes, 1 + 19 * KiB);
  EXPECT_NEAR(found.fit.segments[0].network.gap_per_byte_s, 1e-9, 1e-15);
  EXPECT_NEAR(found.fit.segments[1].network.gap_per_byte_s, 2e-9, 1e-15);
  EXPECT_NEAR(found.fit.segments[1].network.gap_s, 22e-6, 1e-11);
}

// A link of 120 MB/s that lets 128 KiB through at once, as a token bucket does.
constexpr double rate_Bps = 120e6;
constexpr double bucket_bytes = 128 * KiB;

shaped_network shaped() {
  parameters network = cluster();
  network.gap_s = network.gap_per_byte_s = 0;  // the link's own time
  return {network, rate_Bps, bucket_bytes};
}

loggp_plan plan_for_shaped() {
  loggp_plan plan = plan_to(64 * KiB);
  for (const std::size_t size : probe::sizes_beyond(bucket_bytes)) plan.sizes_bytes.push_back(size);
  plan.link_rate_Bps = rate_Bps;
  plan.link_burst_bytes = bucket_bytes;
  return plan;
}

TEST(loggp, the_rate_of_a_link_is_found_beyond_what_it_lets_through_at_once) {
  shaped_network network = shaped();
  const loggp_plan plan = plan_for_shaped();
  const loggp_measurement found = measure(network, plan);
  const model::segment* beyond = probe::beyond_link_burst(found.fit, plan);
  ASSERT_NE(beyond, nullptr);
  EXPECT_GE(beyond->first_bytes, bucket_bytes);
  EXPECT_NEAR(1 / beyond->network.gap_per_byte_s, rate_Bps, 0.001 * rate_Bps);
}

// The one round trip of the model that a machine disturbs most: a packet of a message alone held
// back.
TEST(loggp, a_size_that_is_disturbed_in_every_round_does_not_move_the_links_rate) {
  shaped_network network = shaped();
  const loggp_plan plan = plan_for_shaped();
  const std::size_t disturbed = probe::sizes_beyond(bucket_bytes)[1];
  const auto run = [&](const burst& what) {
    burst_times times = network.run(what);
    if (what.size_bytes == disturbed && what.messages == 1) times.round_trip_s += 15e-3;
    return times;
  };
  const loggp_measurement found = probe::measure_loggp(run, plan);
  const model::segment* beyond = probe::beyond_link_burst(found.fit, plan);
  ASSERT_NE(beyond, nullptr);
  EXPECT_NEAR(1 / beyond->network.gap_per_byte_s, rate_Bps, 0.001 * rate_Bps);
}

TEST(loggp, nothing_queues_while_overheads_are_measured_on_a_shaped_link) {
  shaped_network network = shaped();
  const loggp_measurement found = measure(network, plan_for_shaped());
  for (const model::point& p : found.fit.send_overheads)
    EXPECT_NEAR(p.time_s, 1e-6, 1e-11) << p.size_bytes << " bytes";
  for (const model::point& p : found.fit.receive_overheads)
    EXPECT_NEAR(p.time_s, 1.5e-6, 1e-11) << p.size_bytes << " bytes";
}

// Why the plan wants to know what passes at once: below that, of each burst of n, it is missing
// from the time, so that the line rises by n / (n - 1) of what it should.
TEST(loggp, the_sizes_below_what_a_link_lets_through_at_once_do_not_tell_its_rate) {
  shaped_network network = shaped();
  const loggp_measurement found = measure(network, plan_for_shaped());
  const parameters& below = found.fit.at(64 * KiB - 1023).network;
  EXPECT_GT(below.gap_per_byte_s, 1.1 / rate_Bps);
  EXPECT_LT(below.gap_per_byte_s, 1.12 / rate_Bps);
  EXPECT_EQ(found.fit.segments.at(1).first_bytes, 13 * KiB + 1) << "128 KiB / 10 and more";
  EXPECT_LT(found.fit.segments[0].network.gap_per_byte_s, 0.01 / rate_Bps);
}

TEST(loggp, without_a_size_beyond_it_no_segment_is_the_links) {
  shaped_network network = shaped();
  loggp_plan plan = plan_for_shaped();
  plan.sizes_bytes = probe::netgauge_sizes(64 * KiB);
  EXPECT_EQ(probe::beyond_link_burst(measure(network, plan).fit, plan), nullptr);
}

TEST(loggp, sizes_take_turns_and_the_link_rests_before_each_burst) {
  shaped_network network = shaped();
  loggp_plan plan = plan_for_shaped();
  plan.sizes_bytes = {1, 1025, 512 * KiB};
  plan.repeat = 2;
  (void)measure(network, plan);
  const std::vector<burst>& bursts = network.bursts();
  ASSERT_EQ(bursts.size(), 3U * 5 + 2 * 3 * 4);
  for (const burst& one : bursts) EXPECT_GE(one.rest_s, bucket_bytes / rate_Bps);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(bursts[i].messages, 1);
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size < 3; ++size) {
      const std::size_t at = 15 + (round * 3 + size) * 4;
      for (std::size_t i = at; i < at + 4; ++i)
        EXPECT_EQ(bursts[i].size_bytes, plan.sizes_bytes[size]);
      EXPECT_EQ(bursts[at].messages, 1);
      EXPECT_EQ(bursts[at + 1].messages, 10);
      EXPECT_EQ(bursts[at + 1].send_pause_s, 0);
      EXPECT_GT(bursts[at + 2].send_pause_s, 0);
      EXPECT_EQ(bursts[at + 2].receive_pause_s, 0);
      EXPECT_GT(bursts[at + 3].receive_pause_s, 0);
      EXPECT_EQ(bursts[at + 3].send_pause_s, 0);
    }
  }
}

TEST(loggp, progress_is_told_before_each_size_and_at_the_end) {
  shaped_network network(cluster());
  loggp_plan plan{.sizes_bytes = {1, 64}, .repeat = 3};
  std::vector<int> steps;
  (void)probe::measure_loggp([&](const burst& what) { return network.run(what); }, plan,
                             [&](int done, int total, std::size_t) {
                               EXPECT_EQ(total, 8);
                               steps.push_back(done);
                             });
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(loggp, a_plan_that_cannot_be_measured_is_refused_in_one_line) {
  const auto refusal_of = [](const loggp_plan& plan) {
    return refusal([&] { probe::validate(plan); });
  };
  EXPECT_EQ(refusal_of({}), "the smallest size must be 1 byte: L is found in its round trip");
  EXPECT_EQ(refusal_of({.sizes_bytes = {8, 16}}),
            "the smallest size must be 1 byte: L is found in its round trip");
  EXPECT_EQ(refusal_of({.sizes_bytes = {1}}),
            "there is one size only; a line for g and G needs two");
  EXPECT_EQ(refusal_of({.sizes_bytes = {1, 8, 8}}), "sizes must ascend, and none may come twice");
  EXPECT_EQ(refusal_of({.sizes_bytes = {1, 8}, .messages = 1}),
            "a burst of 1; it needs 2 messages or more");
  EXPECT_EQ(refusal_of({.sizes_bytes = {1, 8}, .repeat = 0}),
            "0 rounds; there must be one or more");
  EXPECT_EQ(refusal_of({.sizes_bytes = {1, 8}, .link_rate_Bps = -1}),
            "a link's rate or burst is -1; it must be 0 or more");
  EXPECT_NE(refusal_of({.sizes_bytes = {1, 8}, .link_burst_bytes = 9}).find("give both"),
            std::string::npos);
  EXPECT_EQ(refusal_of({.sizes_bytes = {1, 8}}), "accepted");
}

}  // namespace
}  // namespace plait::test
