// SPDX-License-Identifier: BSD-3-Clause
// The dialect `plait` against closed formulas.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/model/message.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/loggops.hpp>
#include <plait/simulate/what_if.hpp>

#include "dataflow_programs.hpp"

namespace {

using namespace plait::test;
using plait::simulate::look_policy;
using plait::simulate::machine;
using plait::simulate::machine_of;
using plait::simulate::operation;
using plait::simulate::operation_kind;
using plait::simulate::path_part;
using plait::simulate::prediction;
using plait::simulate::template_builder;

[[nodiscard]] std::int64_t ps(double seconds) {
  return std::llround(seconds * 1e12);
}

void expect_sums(const prediction& p) {
  EXPECT_EQ(std::accumulate(p.parts_ps.begin(), p.parts_ps.end(), std::int64_t{0}), p.time_ps);
}

/// Rank 0 sends, and rank 1 computes 100 us when the message has come.
TEST(dataflow_what_if, finds_tolerance_and_changes_of_a_closed_form) {
  std::vector<template_builder> ranks(2);
  ranks[0].add(sends(1001, 1));
  const std::uint32_t came = ranks[1].add(receives(1001, 0));
  ranks[1].require(ranks[1].add(computes(100'000)), came);
  const auto of = program_of_ranks(std::move(ranks));
  const machine on = machine_of(network);  // o + L + 1000 G + o + 100 us: L 20, 1000 G 8 us
  const auto time_us = static_cast<double>(predict(of, on).time_ps) / us;
  EXPECT_NEAR(time_us, 133, 1e-6);
  const auto latency = plait::simulate::tolerated_latency_ns(of, on, 1.1);
  ASSERT_TRUE(latency.has_value());
  EXPECT_NEAR(static_cast<double>(*latency), 20'000 + 13'300, 40);
  using plait::simulate::machine_parameter;
  const auto by_latency = takes_over(of, on, machine_parameter::latency_ns, true);
  ASSERT_TRUE(by_latency.has_value());
  EXPECT_EQ(by_latency->becomes, path_part::latency);
  EXPECT_NEAR(by_latency->value, 100'000, 1100);
  const auto by_bytes = takes_over(of, on, machine_parameter::byte_ns, true);
  ASSERT_TRUE(by_bytes.has_value());
  EXPECT_EQ(by_bytes->becomes, path_part::bytes);
  EXPECT_NEAR(by_bytes->value, 100, 1.1);
  EXPECT_FALSE(takes_over(of, on, machine_parameter::byte_ns, false).has_value());
}

TEST(dataflow, takes_the_time_of_one_message) {
  for (const std::uint64_t size : {1, 2, 100, 65536, 65537, 1'000'000}) {
    std::vector<template_builder> ranks(2);
    ranks[0].add(sends(size, 1));
    ranks[1].add(receives(size, 0));
    const auto of = program_of_ranks(std::move(ranks));
    const prediction found = predict(of, machine_of(network));
    EXPECT_EQ(found.time_ps, ps(message_s(network, static_cast<double>(size)))) << size;
    expect_sums(found);
    const bool asks = size > 65536;
    EXPECT_EQ(found.latencies, asks ? 3U : 1U);
    EXPECT_DOUBLE_EQ(found.bytes, static_cast<double>(size - 1));
  }
}

TEST(dataflow, takes_the_time_of_a_burst) {
  constexpr int count = 5;
  for (const std::uint64_t size : {1, 1000, 50'000}) {
    std::vector<template_builder> ranks(2);
    for (int i = 0; i < count; ++i) {
      ranks[0].add(sends(size, 1));
      ranks[1].add(receives(size, 0));
    }
    const auto of = program_of_ranks(std::move(ranks));
    const prediction found = predict(of, machine_of(network));
    EXPECT_EQ(found.time_ps, ps(burst_s(network, static_cast<double>(size), count))) << size;
    expect_sums(found);
  }
}

TEST(dataflow, takes_the_time_of_a_chain) {
  constexpr std::uint32_t count = 6;
  std::vector<template_builder> ranks(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    if (r > 0) ranks[r].add(receives(1000, r - 1));
    if (r + 1 == count) continue;
    const std::uint32_t sent = ranks[r].add(sends(1000, r + 1));
    if (r > 0) ranks[r].require(sent, 0);
  }
  const auto of = program_of_ranks(std::move(ranks));
  const prediction found = predict(of, machine_of(network));
  EXPECT_EQ(found.time_ps, (count - 1) * ps(message_s(network, 1000)));
  EXPECT_EQ(found.latencies, count - 1);
  expect_sums(found);
}

/// A rank passes one byte on to the ranks above it, the farthest first.
TEST(dataflow, takes_the_time_of_a_binomial_tree) {
  constexpr std::uint32_t count = 16;
  plait::model::parameters fast = network;
  fast.gap_s = 1e-6;  // less than o
  std::vector<template_builder> ranks(count);
  std::vector<std::int64_t> has(count);
  const std::int64_t o = ps(fast.send_overhead_s);
  for (std::uint32_t r = 0; r < count; ++r) {
    const std::uint32_t low = r == 0 ? count : r & (~r + 1);
    if (r > 0) ranks[r].add(receives(1, r - low));
    std::int64_t sent = 0;
    for (std::uint32_t step = low / 2; step > 0; step /= 2) {
      const std::uint32_t op = ranks[r].add(sends(1, r + step));
      if (r > 0) ranks[r].require(op, 0);
      // Whoever has received posts, one after the other.
      has[r + step] = has[r] + sent * o + ps(message_s(fast, 1));
      ++sent;
    }
  }
  const auto of = program_of_ranks(std::move(ranks));
  const prediction found = predict(of, machine_of(fast));
  for (std::uint32_t r = 1; r < count; ++r) {
    if (r % 2 == 1) {  // a leaf
      EXPECT_EQ(found.finish_ps[r], has[r]) << "rank " << r;
    }
  }
  expect_sums(found);
}

/// Of messages without a length: where others share a port, a shift by L changes their shares.
TEST(dataflow, has_the_latencies_of_its_path_as_the_derivative) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const bool short_ones = round % 2 == 0;
    constexpr std::uint32_t count = 4;
    std::vector<template_builder> ranks(count);
    std::vector<std::uint32_t> last(count);
    for (std::uint32_t r = 0; r < count; ++r) last[r] = ranks[r].add(computes(random() % 9973));
    for (int m = 0; m < 30; ++m) {
      const std::uint32_t from = random() % count;
      const std::uint32_t to = (from + 1 + random() % (count - 1)) % count;
      const auto tag = static_cast<std::uint32_t>(m);
      const std::uint64_t size = short_ones ? 1 : 1 + random() % 20'000;
      const std::uint32_t s = ranks[from].add(sends(size, to, tag));
      ranks[from].require(s, last[from]);
      last[from] = s;
      const std::uint32_t r = ranks[to].add(receives(size, from, tag));
      ranks[to].require(r, last[to]);
      const std::uint32_t c = ranks[to].add(computes(random() % 9973));
      ranks[to].require(c, r);
      last[to] = c;
    }
    const auto of = program_of_ranks(std::move(ranks));
    machine on = machine_of(network);
    const prediction found = predict(of, on);
    expect_sums(found);
    if (!short_ones) continue;
    on.latency_ps += 1;
    const std::int64_t more = predict(of, on).time_ps - found.time_ps;
    EXPECT_EQ(more, static_cast<std::int64_t>(found.latencies)) << "round " << round;
  }
}

/// Where processor time of messages, bytes and gaps cost nothing, and each rank does one thing
/// after the other, both dialects say the same.
TEST(dataflow, agrees_with_loggops_where_both_must) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    constexpr std::uint32_t count = 5;
    std::vector<template_builder> ranks(count);
    std::vector<std::uint32_t> last(count);
    for (std::uint32_t r = 0; r < count; ++r) last[r] = ranks[r].add(computes(random() % 9973));
    for (std::uint32_t m = 0; m < 60; ++m) {
      const std::uint32_t from = random() % count;
      const std::uint32_t to = (from + 1 + random() % (count - 1)) % count;
      const std::uint32_t s = ranks[from].add(sends(1, to, m));
      ranks[from].require(s, last[from]);
      const std::uint32_t r = ranks[to].add(receives(1, from, m));
      ranks[to].require(r, last[to]);
      last[from] = ranks[from].add(computes(random() % 9973));
      ranks[from].require(last[from], s);
      last[to] = ranks[to].add(computes(random() % 9973));
      ranks[to].require(last[to], r);
    }
    const auto of = program_of_ranks(std::move(ranks));
    machine on;
    on.latency_ps = 2500 * 1000;
    const auto other = plait::simulate::run_loggops(
        of, {.L = 2500, .o = 0, .g = 0, .G = 0, .O = 0, .S = 1'000'000});
    const prediction found = predict(of, on);
    for (std::uint32_t r = 0; r < count; ++r) {
      EXPECT_EQ(found.finish_ps[r], static_cast<std::int64_t>(1000 * other.finish_ns[r]))
          << "round " << round << ", rank " << r;
    }
  }
}

TEST(dataflow, gives_a_receive_from_anyone_what_came_first) {
  std::vector<template_builder> ranks(3);
  const std::uint32_t later = ranks[1].add(computes(1000));
  ranks[1].require(ranks[1].add(sends(1, 0)), later);
  ranks[2].add(sends(1, 0));
  const std::uint32_t first = ranks[0].add(computes(100'000));
  for (int i = 0; i < 2; ++i) {
    operation from_anyone = receives(1, 0);
    from_anyone.peer = plait::simulate::any;
    ranks[0].require(ranks[0].add(from_anyone), first);
  }
  const auto of = program_of_ranks(std::move(ranks));
  machine on;
  on.latency_ps = us;
  on.receive_overhead_ps = 7 * us;
  EXPECT_EQ(predict(of, on).time_ps, 100 * us + 2 * 7 * us);
}

TEST(dataflow, shares_a_port_among_connections) {
  constexpr std::uint64_t size = 10'001;
  std::vector<template_builder> ranks(3);
  for (const std::uint32_t from : {1U, 2U}) {
    ranks[from].add(sends(size, 0));
    ranks[0].add(receives(size, from));
  }
  const auto of = program_of_ranks(std::move(ranks));
  machine on;
  on.byte_ps = 8000;
  on.latency_ps = 20 * us;
  EXPECT_EQ(predict(of, on).time_ps, 20 * us + 2 * 10'000 * 8000);
  on.node_of = {0, 1, 1};  // and out of one node
  EXPECT_EQ(predict(of, on).time_ps, 20 * us + 2 * 10'000 * 8000);
  on.node_of = {0, 0, 0};  // memory carries them, and not the network
  EXPECT_EQ(predict(of, on).time_ps, 20 * us);
  on.node_of = {0, 0, 1};  // one of them within a node
  EXPECT_EQ(predict(of, on).time_ps, 20 * us + 10'000 * 8000);
}

TEST(dataflow, lets_a_bucket_of_bytes_pass_at_once) {
  std::vector<template_builder> ranks(2);
  ranks[0].add(sends(300'001, 1));
  ranks[1].add(receives(300'001, 0));
  const auto of = program_of_ranks(std::move(ranks));
  machine on;
  on.byte_ps = 8000;
  on.bucket_bytes = 131'072;
  EXPECT_EQ(predict(of, on).time_ps, (300'000 - 131'072) * std::int64_t{8000});
}

/// A step: a long message is posted, then 100 ms of computation.
[[nodiscard]] plait::simulate::program overlapped(std::uint64_t size, int tasks) {
  std::vector<template_builder> ranks(2);
  ranks[0].add(sends(size, 1));
  ranks[1].add(receives(size, 0));
  for (template_builder& one : ranks) {
    std::uint32_t last = 0;
    for (int i = 0; i < tasks; ++i) {
      const std::uint32_t next = one.add(computes(static_cast<std::uint64_t>(100'000'000 / tasks)));
      if (i > 0) one.require(next, last);
      last = next;
    }
  }
  return program_of_ranks(std::move(ranks));
}

TEST(dataflow, hides_a_long_message_where_somebody_looks) {
  machine on = machine_of(network);
  on.cores = 1;
  on.workers = 1;
  const auto time = [&](look_policy policy, int tasks) {
    on.policy = policy;
    const prediction found = predict(overlapped(5'000'000, tasks), on);
    expect_sums(found);
    return found.time_ps;
  };
  // 40 ms of the wire.  Without a look its request waits for the end of the computation.
  EXPECT_GT(time(look_policy::none, 100), 140 * ms);
  EXPECT_GT(time(look_policy::workers, 1), 140 * ms);
  EXPECT_LT(time(look_policy::workers, 100), 105 * ms);
  EXPECT_LT(time(look_policy::sleeping, 1), 105 * ms);
  EXPECT_LT(time(look_policy::automatic, 1), 105 * ms);
  // A proxy that spins takes half of the core, as long as the message is under way.
  EXPECT_GT(time(look_policy::dedicated, 1), 119 * ms);
  EXPECT_LT(time(look_policy::dedicated, 1), 121 * ms);
  on.cores = 2;
  EXPECT_LT(time(look_policy::dedicated, 1), 101 * ms);
}

/// What the thread of a message does for its bytes, each side.
TEST(dataflow, copies_bytes_on_the_thread_that_sends_and_on_the_one_that_sees_them) {
  constexpr std::uint64_t size = 50'001;
  plait::model::parameters copying = network;
  copying.overhead_per_byte_s = 1e-9;
  const std::int64_t copy = 50 * us;
  const auto finish = [&](std::uint64_t busy_ns) {
    std::vector<template_builder> ranks(2);
    const std::uint32_t sent = ranks[0].add(sends(size, 1));
    ranks[0].require(ranks[0].add(computes(1000)), sent);
    ranks[1].add(receives(size, 0));
    ranks[1].add(computes(busy_ns));
    machine on = machine_of(copying);
    on.policy = look_policy::none;
    on.cores = 1;
    on.workers = 1;
    const prediction found = predict(program_of_ranks(std::move(ranks)), on);
    expect_sums(found);
    return found.finish_ps;
  };
  const std::int64_t arrives = ps(message_s(network, size));
  EXPECT_EQ(finish(0)[0], ps(network.send_overhead_s) + copy + us);
  // An idle thread copies while bytes come.
  EXPECT_EQ(finish(0)[1], arrives);
  EXPECT_EQ(finish(10'000'000)[1], 10 * ms + ps(network.receive_overhead_s) + copy);
}

TEST(dataflow, says_what_a_look_costs) {
  machine on = machine_of(network);
  on.cores = 1;
  on.workers = 1;
  on.policy = look_policy::sleeping;
  const std::int64_t free = predict(overlapped(5'000'000, 1), on).time_ps;
  on.look_ps = 30 * us;
  EXPECT_GE(predict(overlapped(5'000'000, 1), on).time_ps, free + 2 * 30 * us);
}

TEST(dataflow, lets_any_worker_take_the_next_task) {
  std::vector<template_builder> ranks(1);
  for (int i = 0; i < 6; ++i) ranks[0].add(computes(1000));
  const auto of = program_of_ranks(std::move(ranks));
  machine on;
  EXPECT_EQ(predict(of, on).time_ps, 6 * us);  // all name processor 0
  on.workers = 3;
  EXPECT_EQ(predict(of, on).time_ps, 2 * us);
  const prediction two = predict(of, on);
  EXPECT_EQ(two.parts_ps[static_cast<std::size_t>(path_part::core)], us);
  expect_sums(two);
}

TEST(dataflow, names_what_cannot_run) {
  for (const look_policy policy : {look_policy::none, look_policy::workers, look_policy::sleeping,
                                   look_policy::automatic, look_policy::dedicated}) {
    std::vector<template_builder> ranks(2);
    ranks[1].add(receives(8, 0, 5));
    try {
      machine on;
      on.policy = policy;
      (void)predict(program_of_ranks(std::move(ranks)), on);
      FAIL();
    } catch (const plait::usage_error& wrong) {
      EXPECT_EQ(
          std::string(wrong.what()),
          "rank 1: 1 of 1 operations never run: recv 8b from 0 tag 5 waits for a message that "
          "nobody sends");
    }
  }
  std::vector<template_builder> others(2);
  others[0].add(sends(9, 1));
  others[1].add(receives(8, 0));
  EXPECT_THROW((void)predict(program_of_ranks(std::move(others)), machine{}), plait::usage_error);
}

}  // namespace
