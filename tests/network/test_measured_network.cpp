// SPDX-License-Identifier: BSD-3-Clause
// Parameters and predictions that follow from times, for times that follow from parameters.
#include <vector>

#include <gtest/gtest.h>

#include "measured_network.hpp"

namespace plait::test {
namespace {

using model::algorithm;
using model::operation;
using network::collectives::direction;
using network::collectives::measured_network;
using network::collectives::message_times;

constexpr double us = 1e-6;
constexpr double ns = 1e-9;
constexpr double latency = 20 * us;
constexpr double o_s = 2 * us;
constexpr double o_r = 3 * us;
constexpr double gap = 4 * us;
constexpr double per_byte = 8 * ns;
constexpr double both_ways_per_byte = 9 * ns;
constexpr double combine = 0.5 * ns;
constexpr double copy = 0.25 * ns;
constexpr double start = 7 * us;  // of what begins an operation
constexpr double start_both_ways = 11 * us;
constexpr double call = 1 * us;
constexpr double task = 0.1 * us;

message_times times_of(std::size_t size_bytes) {
  const double more = static_cast<double>(size_bytes) - 1;
  const double next = o_s + latency + o_r + more * per_byte;
  const double next_both_ways = o_s + latency + o_r + more * both_ways_per_byte;
  return {.size_bytes = size_bytes,
          .first_s = start + next,
          .next_s = next,
          .first_both_ways_s = start_both_ways + next_both_ways,
          .next_both_ways_s = next_both_ways,
          .interval_s = gap + more * per_byte,
          .send_overhead_s = o_s,
          .receive_overhead_s = o_r,
          .kernels = {combine, copy},
          .tasks = {call, task}};
}

measured_network network() {
  std::vector<message_times> sizes;
  for (const std::size_t size : {1U, 8U, 64U, 1024U, 65536U}) sizes.push_back(times_of(size));
  return {{sizes}, 4, {}};
}

double predicted(operation what, algorithm how, int ranks, double size_bytes, int local_steps = 0) {
  return network().predicted_s(what, how, {.ranks = ranks, .size_bytes = size_bytes}, local_steps);
}

constexpr double sizes_between[] = {8, 100, 1024, 40'000, 200'000};
constexpr double close = 1e-12;  // seconds

TEST(measured_network, has_the_parameters_that_the_times_were_made_of) {
  for (const double size : sizes_between) {
    const model::parameters p = network().at(size, direction::one);
    EXPECT_NEAR(p.send_overhead_s, o_s, close);
    EXPECT_NEAR(p.receive_overhead_s, o_r, close);
    EXPECT_NEAR(p.gap_s, gap, close);
    EXPECT_NEAR(p.latency_s, latency, close) << size;
    EXPECT_NEAR(p.gap_per_byte_s, per_byte, 1e-6 * ns) << size;
    EXPECT_NEAR(p.both_ways_per_byte_s, both_ways_per_byte, 1e-6 * ns) << size;
    EXPECT_NEAR(network().start_s(size, direction::one), start, close) << size;
    EXPECT_NEAR(network().start_s(size, direction::both), start_both_ways, close) << size;
  }
}

TEST(measured_network, counts_what_begins_an_operation_once_and_not_for_each_round) {
  for (const double m : sizes_between) {
    const double message = o_s + latency + o_r + (m - 1) * per_byte;
    EXPECT_NEAR(predicted(operation::bcast, algorithm::linear, 2, m), call + start + message, close)
        << m;
    EXPECT_NEAR(predicted(operation::scan, algorithm::linear, 3, m),
                call + start + 2 * (message + m * combine), close)
        << m;
  }
}

TEST(measured_network, has_all_ranks_of_an_exchange_send_at_once) {
  for (const double m : sizes_between) {
    const double exchange = o_s + latency + o_r + (m - 1) * both_ways_per_byte;
    EXPECT_NEAR(predicted(operation::alltoall, algorithm::linear, 2, m),
                call + start_both_ways + exchange + m * copy, close)
        << m;
    // A round of the slides counts m bytes, a message m - 1.
    EXPECT_NEAR(predicted(operation::allreduce, algorithm::ring, 2, m),
                call + start_both_ways + 2 * (o_s + latency + o_r + m / 2 * both_ways_per_byte) +
                    m / 2 * combine,
                close)
        << m;
  }
}

TEST(measured_network, counts_the_tasks_of_local_steps) {
  for (const double m : sizes_between)
    EXPECT_NEAR(predicted(operation::allgather, algorithm::bruck, 2, m, 3),
                predicted(operation::allgather, algorithm::bruck, 2, m) + 3 * task, close)
        << m;
}

// On shared memory a message back comes from the other one's cache, while two cores copy both ways.
TEST(measured_network, takes_a_round_both_ways_as_it_was_measured_where_it_is_faster) {
  std::vector<message_times> sizes;
  for (const std::size_t size : {1U, 8U, 64U, 1024U, 65536U}) {
    sizes.push_back(times_of(size));
    sizes.back().next_both_ways_s = 0.5 * sizes.back().next_s;
    sizes.back().first_both_ways_s = start_both_ways + sizes.back().next_both_ways_s;
  }
  const measured_network faster({sizes}, 4, {});
  const double next_s = o_s + latency + o_r + 1023 * per_byte;
  EXPECT_NEAR(faster.predicted_s(operation::allgather, algorithm::linear, {2, 1024}, 0),
              call + start_both_ways + 0.5 * next_s + 1024 * copy, close);
  EXPECT_NEAR(faster.predicted_s(operation::bcast, algorithm::linear, {2, 1024}, 0),
              call + start + next_s, close);
}

TEST(measured_network, takes_medians_over_rounds_that_were_disturbed) {
  std::vector<std::vector<message_times>> rounds(3);
  for (const std::size_t size : {1U, 8U, 64U}) {
    for (auto& round : rounds) round.push_back(times_of(size));
    message_times& disturbed = rounds[1].back();
    disturbed.first_s *= 10;
    disturbed.next_s *= 7;
    disturbed.first_both_ways_s *= 5;
    disturbed.next_both_ways_s *= 5;
  }
  const measured_network medians(rounds, 4, {});
  EXPECT_NEAR(medians.start_s(8, direction::one), start, close);
  EXPECT_NEAR(medians.at(8, direction::one).latency_s, latency, close);
  EXPECT_NEAR(medians.at(64, direction::both).both_ways_per_byte_s, both_ways_per_byte, 1e-6 * ns);
}

}  // namespace
}  // namespace plait::test
