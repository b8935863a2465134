// SPDX-License-Identifier: BSD-3-Clause
// What progress alone would save, of runs whose every time is given here.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attach/after/analysis.hpp"

namespace plait::attach {
namespace {

constexpr double ms = 1e-3;
constexpr std::uint64_t mebibyte = 1 << 20;

/// A rank of a machine of its own, whose clock counts microseconds from 1 on.
rank_profile rank_of_two(int rank, double needs_ms, double processor_ms, double each_way_ms) {
  rank_profile one;
  profile_header& h = one.header;
  h.rank = rank;
  h.ranks = 2;
  h.boot = 7;
  h.seconds_per_tick = 1e-6;
  h.begin = 1;
  h.end = 400001;
  h.state = run_state::finalized;
  h.latency_s[0] = 1e-9;
  h.seconds_per_byte[0] = needs_ms * ms / mebibyte;
  h.seconds_per_byte_each_way[0] = each_way_ms * ms / mebibyte;
  h.processor_s_per_byte[0] = processor_ms * ms / mebibyte;
  const std::string host = "node" + std::to_string(rank);
  std::strcpy(h.host, host.c_str());
  one.sites[0].call = 0;
  one.sent_bytes = one.sent_messages = {0, 0};
  return one;
}

struct times_ms {
  int posted;
  int wait;
  int end;
};

record_data record_at(record_kind kind, int peer, times_ms at) {
  record_data one;
  one.kind = kind;
  one.communicator = 1;
  one.bytes = mebibyte;
  one.peer = peer;
  one.posted = 1 + 1000 * at.posted;
  one.wait_begin = 1 + 1000 * at.wait;
  one.wait_end = 1 + 1000 * at.end;
  one.useful_before_wait = 1000 * (at.wait - at.posted);
  one.post_site = one.wait_site = 0;
  one.has_waited = 1;
  return one;
}

/// Adds one wait for both directions of an exchange, and books its time.
void exchange(rank_profile& of, times_ms at) {
  const int other = 1 - of.header.rank;
  const auto order = static_cast<std::uint32_t>(of.records.size());
  of.records.push_back(record_at(record_kind::receive, other, at));
  of.records.push_back(record_at(record_kind::send, other, at));
  of.records[order].order = order;
  of.records[order + 1].order = order + 1;
  of.sites[0].waited += 1000 * (at.end - at.wait);
  of.header.in_mpi += 1000 * (at.end - at.wait);
}

double saved_ms(const std::vector<rank_profile>& ranks) {
  return analyse(ranks).waits.by_progress_s / ms;
}

std::vector<rank_profile> exchange_of(double needs_ms, double processor_ms, double each_way_ms,
                                      times_ms at) {
  std::vector<rank_profile> ranks;
  for (const int rank : {0, 1}) {
    ranks.push_back(rank_of_two(rank, needs_ms, processor_ms, each_way_ms));
    exchange(ranks.back(), at);
  }
  return ranks;
}

TEST(waits, an_exchange_that_computation_could_hide_is_saved_whole) {
  EXPECT_NEAR(saved_ms(exchange_of(70, 0, 70, {0, 80, 150})), 2 * 70, 0.1);
}

TEST(waits, computation_that_is_too_short_hides_as_much_as_it_takes) {
  EXPECT_NEAR(saved_ms(exchange_of(70, 0, 70, {0, 30, 100})), 2 * 30, 0.1);
}

TEST(waits, nothing_is_saved_where_nobody_computes) {
  EXPECT_NEAR(saved_ms(exchange_of(70, 0, 70, {0, 0, 100})), 0, 0.1);
}

TEST(waits, the_processor_time_of_the_transport_is_taken_from_computation) {
  EXPECT_NEAR(saved_ms(exchange_of(70, 6, 70, {0, 80, 150})), 2 * (70 - 12), 0.1);
  // A copy by the processor can be moved, and nothing is saved.
  EXPECT_NEAR(saved_ms(exchange_of(70, 35, 70, {0, 80, 150})), 0, 0.1);
}

TEST(waits, messages_both_ways_need_what_they_were_measured_to_need) {
  EXPECT_NEAR(saved_ms(exchange_of(50, 0, 90, {0, 80, 160})), 2 * 70, 0.1);
}

TEST(waits, a_started_collective_needs_what_it_took_once_all_waited) {
  std::vector<rank_profile> ranks;
  const times_ms at[] = {{0, 40, 90}, {10, 60, 90}};
  for (const int rank : {0, 1}) {
    ranks.push_back(rank_of_two(rank, 30, 0, 30));
    rank_profile& of = ranks.back();
    of.records.push_back(record_at(record_kind::all_to_all, -1, at[rank]));
    of.sites[0].waited = of.header.in_mpi = 1000 * (at[rank].end - at[rank].wait);
  }
  // Both wait from 60 on, so it needs 30 ms, and could be over at 40.
  EXPECT_NEAR(saved_ms(ranks), 50 + 30, 0.1);
  ranks[0].records[0].is_blocking = ranks[1].records[0].is_blocking = 1;
  EXPECT_NEAR(saved_ms(ranks), 0, 0.1);
}

}  // namespace
}  // namespace plait::attach
