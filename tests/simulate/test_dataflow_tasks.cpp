// SPDX-License-Identifier: BSD-3-Clause
// The dialect `plait`: what plait's scheduler and engine decide, beside who looks.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/simulate/dataflow.hpp>

#include "dataflow_programs.hpp"

namespace {

using namespace plait::test;
using plait::simulate::look_policy;
using plait::simulate::machine;
using plait::simulate::machine_of;

/// As the scheduler takes them: what matters first, then in the order of submission.
TEST(dataflow_tasks, takes_tasks_by_priority_and_then_as_they_were_submitted) {
  const auto end_of = [](std::uint8_t priority) {
    template_builder rank;
    const std::uint32_t first = rank.add(computes(10'000));
    const std::uint32_t older = rank.add(computes(20'000));
    operation urgent = computes(5'000);
    urgent.priority = priority;
    const std::uint32_t next = rank.add(urgent);
    rank.add(computes(40'000));  // is ready before the two above
    rank.require(older, first);
    rank.require(next, first);
    const std::uint32_t message = rank.add(sends(1, 0));
    rank.require(message, next);
    const std::uint32_t got = rank.add(receives(1, 0));
    rank.require(rank.add(computes(1'000'000)), got);
    std::vector<template_builder> ranks;
    ranks.push_back(std::move(rank));
    machine on;
    on.workers = 1;
    on.cores = 2;
    on.latency_ps = 100 * us;
    return predict(program_of_ranks(std::move(ranks)), on).time_ps / 1000;
  };
  EXPECT_EQ(end_of(0), 10'000 + 5'000 + 100'000 + 1'000'000);
  EXPECT_EQ(end_of(1), 10'000 + 20'000 + 5'000 + 100'000 + 1'000'000);
}

/// Rank 1 sends later than rank 0.  If rank 0's request is answered at once, rank 1's own request
/// is answered behind 1 MB of data.
TEST(dataflow_tasks, lets_long_receives_wait_for_long_sends) {
  constexpr std::uint64_t size = 1'000'001;
  const auto time_of = [](bool pairs, bool answers, bool of_tasks = false) {
    std::vector<template_builder> ranks(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      operation receive = receives(size, 1 - r);
      receive.is_paired = !of_tasks;
      const std::uint32_t came = ranks[r].add(receive);
      const std::uint32_t work = ranks[r].add(computes(r == 0 ? 100'000 : 300'000));
      const std::uint32_t sent = ranks[r].add(sends(size, 1 - r));
      ranks[r].require(sent, work);
      if (answers && r == 1) ranks[r].require(work, came);
    }
    machine on = machine_of(network);
    on.workers = 1;
    on.cores = 2;
    on.policy = look_policy::dedicated;
    on.pairs_long_messages = pairs;
    return predict(program_of_ranks(std::move(ranks)), on).time_ps;
  };
  constexpr std::int64_t data = 8 * ms;
  EXPECT_GT(time_of(false, false), 2 * data);
  EXPECT_LT(time_of(true, false), data + ms);
  // What waits for the receive does not start before, and nothing else changes.
  EXPECT_EQ(time_of(true, true), time_of(false, true));
  // Receives that are not the engine's wait for nothing.
  EXPECT_EQ(time_of(true, false, true), time_of(false, false));
}

}  // namespace
