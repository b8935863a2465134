// SPDX-License-Identifier: BSD-3-Clause
// Properties that the model's times of collective operations have in every network, and bytes that
// simulations send.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/model/collective.hpp>

#include "algorithm_pairs.hpp"
#include "networks.hpp"

namespace plait::test {
namespace {

using model::algorithm;
using model::call_shape;
using model::collective_cost;
using model::cost;
using model::operation;
using model::parameters;

// With G alone a call takes the bytes that go one after the other.
double bytes_in_turn(operation what, algorithm how, int ranks) {
  return cost(what, how, {.gap_per_byte_s = 1}, {.ranks = ranks, .size_bytes = 1}).total_s;
}

TEST(collective, recursive_doubling_sends_what_a_simulation_of_it_sends) {
  for (int ranks = 2; ranks <= 70; ++ranks) {
    int core = 1;
    while (2 * core <= ranks) core *= 2;
    const int extra = ranks - core;
    std::vector<int> known(static_cast<std::size_t>(core), 1);
    double bytes = extra > 0 ? 1 + ranks : 0;  // in the beginning and in the end
    for (int i = 0; i < extra; ++i) known[static_cast<std::size_t>(i)] = 2;
    for (int away = 1; away < core; away *= 2) {
      bytes += *std::ranges::max_element(known);
      std::vector<int> next = known;
      for (std::size_t i = 0; i < known.size(); ++i)
        next[i] += known[i ^ static_cast<std::size_t>(away)];
      known = next;
    }
    for (const int blocks : known) ASSERT_EQ(blocks, ranks);
    EXPECT_EQ(bytes_in_turn(operation::allgather, algorithm::recursive_doubling, ranks), bytes)
        << ranks << " ranks";
  }
}

TEST(collective, bruck_and_trees_send_what_simulations_of_them_send) {
  for (int ranks = 2; ranks <= 70; ++ranks) {
    // alltoall: the block for the rank i further on travels by the powers of two in i.
    double bytes = 0;
    for (int bit = 1; bit < ranks; bit *= 2)
      for (int i = 1; i < ranks; ++i) bytes += (i & bit) != 0 ? 1 : 0;
    EXPECT_EQ(bytes_in_turn(operation::alltoall, algorithm::bruck, ranks), bytes) << ranks;
    // gather: in round r a rank with bit r set (and none below) sends all it has to rank - 2^r.
    std::vector<int> has(static_cast<std::size_t>(ranks), 1);
    double to_root = 0;
    for (int bit = 1; bit < ranks; bit *= 2)
      for (int rank = bit; rank < ranks; rank += 2 * bit) {
        const int blocks = has[static_cast<std::size_t>(rank)];
        has[static_cast<std::size_t>(rank - bit)] += blocks;
        if (rank == bit) to_root += blocks;
      }
    ASSERT_EQ(has[0], ranks);
    for (const operation what : {operation::gather, operation::scatter})
      EXPECT_EQ(bytes_in_turn(what, algorithm::binomial, ranks), to_root) << ranks;
    EXPECT_EQ(bytes_in_turn(operation::allgather, algorithm::bruck, ranks), ranks - 1);
  }
}

TEST(collective, one_rank_alone_pays_nothing) {
  for (const auto& [what, how] : all_pairs()) {
    const collective_cost c =
        cost(what, how, example_network(), {.ranks = 1, .size_bytes = 1e6, .degree = 4});
    EXPECT_EQ(c.total_s, 0) << name_of(what, how);
    EXPECT_EQ(c.processor_s, 0) << name_of(what, how);
  }
}

TEST(collective, no_bytes_cost_no_more_than_one_and_no_less_than_a_message) {
  parameters net = example_network();
  net.reduction_per_byte_s = 1e-9;
  for (const auto& [what, how] : all_pairs())
    for (const int ranks : {2, 3, 8, 13}) {
      const auto total_s = [&](double size) {
        return cost(what, how, net, {.ranks = ranks, .size_bytes = size, .degree = 2}).total_s;
      };
      EXPECT_LE(total_s(0), total_s(1)) << name_of(what, how);
      EXPECT_GE(total_s(0), 5500e-9 * (1 - 1e-12)) << name_of(what, how);
      EXPECT_LE(total_s(1), total_s(0) * 1.2) << name_of(what, how);
    }
}

TEST(collective, without_neighbours_there_is_no_exchange) {
  const call_shape alone{.ranks = 9, .size_bytes = 100, .degree = 0};
  EXPECT_EQ(
      cost(operation::neighbour_exchange, algorithm::linear, example_network(), alone).total_s, 0);
}

TEST(collective, processors_are_never_busy_for_longer_than_it_takes) {
  std::mt19937 random(3);
  int lifted = 0;
  for (int i = 0; i < 3000; ++i) {
    parameters net = random_network(random);
    if (i % 2 == 1) net.eager_limit_bytes = 1 << (i % 20);
    const call_shape shape{
        .ranks = std::uniform_int_distribution<int>(1, 3000)(random),
        .size_bytes = static_cast<double>(std::uniform_int_distribution<int>(0, 1 << 22)(random)),
        .fragment_bytes = static_cast<double>(1 << (i % 17)),
        .degree = i % 27};
    for (const auto& [what, how] : all_pairs()) {
      const collective_cost c = cost(what, how, net, shape);
      ASSERT_LE(c.processor_s, c.total_s) << name_of(what, how) << " in network " << i;
      ASSERT_GE(c.processor_s, 0) << name_of(what, how) << " in network " << i;
      ASSERT_TRUE(std::isfinite(c.total_s)) << name_of(what, how) << " in network " << i;
      lifted += shape.ranks > 1 && c.network_s() == 0 ? 1 : 0;
    }
  }
  EXPECT_GT(lifted, 100) << "networks in which processors decide were not among those drawn";
}

TEST(collective, where_receives_take_the_processor_the_total_is_what_processors_need) {
  const parameters net{.latency_s = 1, .send_overhead_s = 50, .receive_overhead_s = 40};
  // The formula: 6 * 50 + 91 = 391.
  const collective_cost c =
      cost(operation::alltoall, algorithm::linear, net, {.ranks = 8, .size_bytes = 1});
  EXPECT_EQ(c.total_s, 7 * 90);
  EXPECT_EQ(c.network_s(), 0);
}

TEST(collective, longer_messages_than_S_pay_a_handshake_in_each_round) {
  parameters net{.latency_s = 100,
                 .send_overhead_s = 7,
                 .receive_overhead_s = 5,
                 .gap_s = 20,
                 .gap_per_byte_s = 3,
                 .eager_limit_bytes = 10};
  const collective_cost c =
      cost(operation::bcast, algorithm::binomial, net, {.ranks = 5, .size_bytes = 11});
  EXPECT_EQ(c.total_s, 3 * (112 + 212) + 6 * 33);
  EXPECT_EQ(c.processor_s, 3 * 24);
  EXPECT_EQ(
      cost(operation::bcast, algorithm::binomial, net, {.ranks = 5, .size_bytes = 10}).total_s,
      3 * 112 + 6 * 30);
}

TEST(collective, more_bytes_never_take_less) {
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    parameters net = random_network(random);
    if (i % 2 == 1) net.eager_limit_bytes = 1 << (i % 20);
    call_shape shape{.ranks = std::uniform_int_distribution<int>(2, 300)(random), .degree = 4};
    for (const auto& [what, how] : all_pairs()) {
      double before_s = 0;
      for (const int kib : {0, 1, 2, 3, 7, 8, 9, 64, 65, 1000, 4096}) {
        shape.size_bytes = 1024.0 * kib;
        // Equal parts: one fragment more makes all of them smaller, which may take less.
        shape.fragment_bytes = 1024;
        const double total_s = cost(what, how, net, shape).total_s;
        ASSERT_GE(total_s, before_s * (1 - 1e-12)) << name_of(what, how) << " " << kib << " KiB";
        before_s = total_s;
      }
    }
  }
}

TEST(collective, more_ranks_never_take_less) {
  // Folding makes recursive doubling slower between powers of two.
  const auto folds = [](operation what, algorithm how) {
    return how == algorithm::recursive_doubling &&
           (what == operation::allreduce || what == operation::allgather);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) {
    const parameters net = random_network(random);
    const double size = 1 << (i % 22);
    for (const auto& [what, how] : all_pairs()) {
      double before_s = 0;
      for (int ranks = 1; ranks <= 140; ++ranks) {
        if (folds(what, how) && (ranks & (ranks - 1)) != 0) continue;
        const double total_s =
            cost(what, how, net, {.ranks = ranks, .size_bytes = size, .degree = 6}).total_s;
        ASSERT_GE(total_s, before_s * (1 - 1e-12))
            << name_of(what, how) << " " << ranks << " ranks";
        before_s = total_s;
      }
    }
  }
}

TEST(collective, the_cheapest_is_cheaper_than_all_others) {
  std::mt19937 random(6);
  std::set<std::string> winners;
  for (int i = 0; i < 500; ++i) {
    const parameters net = random_network(random);
    const call_shape shape{.ranks = std::uniform_int_distribution<int>(2, 200)(random),
                           .size_bytes = static_cast<double>(1 << (i % 24)),
                           .degree = 3};
    for (int what = 0; what <= static_cast<int>(operation::neighbour_exchange); ++what) {
      const auto of = static_cast<operation>(what);
      const model::choice best = model::cheapest(of, net, shape);
      EXPECT_EQ(best.cost.total_s, cost(of, best.how, net, shape).total_s);
      for (const algorithm how : model::algorithms_of(of))
        EXPECT_LE(best.cost.total_s, cost(of, how, net, shape).total_s) << name_of(of, how);
      winners.insert(name_of(of, best.how));
    }
  }
  for (const char* name : {"bcast binomial", "bcast chain", "bcast linear", "allreduce ring",
                           "allreduce recursive_doubling", "alltoall bruck", "alltoall linear"})
    EXPECT_EQ(winners.count(name), 1U) << name << " never wins";
}

}  // namespace
}  // namespace plait::test
