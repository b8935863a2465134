// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/model/collective.hpp>

#include "networks.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::algorithm;
using model::call_shape;
using model::collective_cost;
using model::cost;
using model::operation;
using model::parameters;

std::vector<std::pair<operation, algorithm>> all_pairs() {
  std::vector<std::pair<operation, algorithm>> pairs;
  for (int i = 0; i <= static_cast<int>(operation::neighbour_exchange); ++i)
    for (const algorithm how : model::algorithms_of(static_cast<operation>(i)))
      pairs.emplace_back(static_cast<operation>(i), how);
  return pairs;
}

std::string name_of(operation what, algorithm how) {
  return std::string(to_string(what)) + " " + std::string(to_string(how));
}

TEST(collective, linear_alltoall_is_the_published_closed_form) {
  const collective_cost c = cost(operation::alltoall, algorithm::linear, example_network(),
                                 {.ranks = 8, .size_bytes = 4096});
  EXPECT_NEAR(c.total_s, 183490e-9, 1e-16);
  EXPECT_NEAR(c.processor_s, 2 * 7 * 1500e-9, 1e-16);
  EXPECT_NEAR(c.network_s(), 183490e-9 - 21000e-9, 1e-16);
}

// Computed by hand for P = 1000, k = 10, m = 4096 and LogGOPSim's L 2500, o 1500, G 6 ns, γ 0.5 ns.
TEST(collective, libnbcs_published_formulas_are_those_of_its_slide) {
  parameters net = example_network();
  net.reduction_per_byte_s = 0.5e-9;
  const call_shape shape{.ranks = 1000, .size_bytes = 4096};
  const auto expect = [&](operation what, double total_ns, double processor_ns) {
    const auto c = model::libnbc_published(what, net, shape);
    ASSERT_TRUE(c.has_value());
    EXPECT_NEAR(c->total_s, 1e-9 * total_ns, 1e-16);
    EXPECT_NEAR(c->processor_s, 1e-9 * processor_ns, 1e-16);
  };
  expect(operation::barrier, 55'000, 30'000);
  expect(operation::bcast, 300'760, 30'000);
  expect(operation::allreduce, 622'000, 80'480);
  EXPECT_FALSE(model::libnbc_published(operation::alltoall, net, shape).has_value());
  EXPECT_FALSE(model::libnbc_published(operation::alltoall, net, {.ranks = 1}).has_value());
  EXPECT_EQ(model::libnbc_published(operation::bcast, net, {.ranks = 1})->total_s, 0);
}

// The published formulas as they are printed, with one o, for P ranks, k = ⌈log2 P⌉, m bytes.
TEST(collective, published_formulas_are_kept_to_the_letter) {
  parameters net = example_network();
  net.reduction_per_byte_s = 0.5e-9;
  const double o = net.send_overhead_s, L = net.latency_s, g = net.gap_s, G = net.gap_per_byte_s;
  const double gamma = net.reduction_per_byte_s;
  const auto expect = [&](operation what, algorithm how, const call_shape& shape, double total_s,
                          double processor_s) {
    const collective_cost c = cost(what, how, net, shape);
    EXPECT_NEAR(c.total_s, total_s, 1e-12 * total_s) << name_of(what, how) << " " << shape.ranks;
    EXPECT_NEAR(c.processor_s, processor_s, 1e-12 * total_s)
        << name_of(what, how) << " " << shape.ranks;
  };
  for (const auto& [P, k] : std::vector<std::pair<int, int>>{
           {2, 1}, {3, 2}, {4, 2}, {7, 3}, {8, 3}, {9, 4}, {1000, 10}, {1024, 10}})
    for (const double m : {1.0, 1000.0, 65536.0, 1e6}) {
      const call_shape shape{.ranks = P, .size_bytes = m, .fragment_bytes = m / 4};
      expect(operation::barrier, algorithm::dissemination, shape, k * (2 * o + L), 2 * o * k);
      expect(operation::bcast, algorithm::binomial, shape,
             k * (2 * o + L) + k * (k + 1) / 2 * m * G, 2 * o * k);
      expect(operation::bcast, algorithm::linear, shape,
             (P - 2) * std::max(o, g + (m - 1) * G) + 2 * o + L + (m - 1) * G, (P - 1) * o);
      expect(operation::allreduce, algorithm::binomial, shape,
             2 * k * (2 * o + L) + (k + k * (k + 1) / 2) * m * G + k * m * gamma,
             (4 * o + m * gamma) * k);
      expect(operation::allreduce, algorithm::ring, shape,
             2 * (P - 1) * (2 * o + L + m / P * G) + (P - 1) * (m / P) * gamma,
             4 * (P - 1) * o + (P - 1) * (m / P) * gamma);
      expect(operation::alltoall, algorithm::linear, shape,
             std::max((P - 2) * std::max(o, g + (m - 1) * G) + 2 * o + L + (m - 1) * G,
                      2 * (P - 1) * o),
             2 * (P - 1) * o);
      if (m < 4) continue;  // fragments of less than a byte
      expect(operation::bcast, algorithm::chain, shape,
             (P - 1) * (2 * o + L + (m / 4 - 1) * G) + 3 * (std::max(g, o) + (m / 4 - 1) * G),
             P == 2 ? 4 * o : 8 * o);
    }
}

// Where ranks send and receive at once, bytes take G2; a rank's own block is copied.  By hand, with
// G 3, G2 5 and κ 1: a message of 11 bytes 142, both ways 162, of a round 145, both ways 167.
TEST(collective, both_ways_at_once_and_copies_take_what_they_take) {
  const parameters net{.latency_s = 100,
                       .send_overhead_s = 7,
                       .receive_overhead_s = 5,
                       .gap_s = 20,
                       .gap_per_byte_s = 3,
                       .reduction_per_byte_s = 2,
                       .both_ways_per_byte_s = 5,
                       .copy_per_byte_s = 1};
  struct row {
    operation what;
    algorithm how;
    int ranks;
    double total_s;
  };
  const row rows[] = {
      {operation::bcast, algorithm::binomial, 2, 145},
      {operation::reduce, algorithm::binomial, 2, 145 + 22},
      {operation::allreduce, algorithm::binomial, 2, 2 * 145 + 22},
      {operation::allreduce, algorithm::recursive_doubling, 2, 167 + 22},
      {operation::allreduce, algorithm::recursive_doubling, 3, 167 + 2 * 145 + 2 * 22},
      {operation::allgather, algorithm::linear, 2, 162 + 11},
      {operation::allgather, algorithm::ring, 3, 2 * 167 + 11},
      {operation::allgather, algorithm::bruck, 2, 167 + 11},
      {operation::alltoall, algorithm::linear, 3, 162 + 70 + 11},
      {operation::alltoall, algorithm::pairwise, 3, 162 + 70 + 11},
      {operation::alltoall, algorithm::bruck, 2, 167 + 11},
      {operation::gather, algorithm::linear, 2, 142 + 11},
      {operation::scatter, algorithm::binomial, 2, 145 + 11},
      {operation::reduce_scatter, algorithm::ring, 2, 167 + 22},
      {operation::scan, algorithm::recursive_doubling, 2, 145 + 22},
      {operation::scan, algorithm::recursive_doubling, 3, 2 * (167 + 22)},
  };
  for (const row& r : rows)
    EXPECT_DOUBLE_EQ(cost(r.what, r.how, net, {.ranks = r.ranks, .size_bytes = 11}).total_s,
                     r.total_s)
        << name_of(r.what, r.how) << " " << r.ranks;
  // Less than G is no faster than G.
  parameters slower = net;
  slower.both_ways_per_byte_s = 1;
  EXPECT_DOUBLE_EQ(
      cost(operation::allgather, algorithm::linear, slower, {.ranks = 2, .size_bytes = 11}).total_s,
      142 + 11);
}

// A link of 1 byte in 10 s that lets 100 bytes through at 1 s each: of 1001 bytes 900 are too late.
TEST(collective, what_a_rested_link_lets_through_at_once_is_not_waited_for) {
  const parameters at_once{.latency_s = 50, .gap_per_byte_s = 1};
  parameters at_rate = at_once;
  at_rate.gap_per_byte_s = 10;
  const auto total_s = [&](double size_bytes) {
    return cost_after_rest(operation::bcast, algorithm::linear, at_rate, at_once, 100,
                           {.ranks = 2, .size_bytes = size_bytes})
        .total_s;
  };
  EXPECT_DOUBLE_EQ(total_s(1001), 50 + 100 * 1 + 900 * 10);
  EXPECT_DOUBLE_EQ(total_s(101), 50 + 100 * 1);
  EXPECT_DOUBLE_EQ(total_s(11), 50 + 10 * 1);
  // Up by one rank's link and down by another's: 2 (50 + 100 + 901 * 10), counted as rounds.
  EXPECT_DOUBLE_EQ(cost_after_rest(operation::allreduce, algorithm::binomial, at_rate, at_once, 100,
                                   {.ranks = 2, .size_bytes = 1001})
                       .total_s,
                   2 * (50 + 100 * 1 + 901 * 10));
  EXPECT_THROW((void)cost_after_rest(operation::bcast, algorithm::linear, at_rate, at_once, -1, {}),
               usage_error);
}

// Every pair once more with numbers worked out by hand.
TEST(collective, five_ranks_by_hand) {
  parameters net{.latency_s = 100,
                 .send_overhead_s = 7,
                 .receive_overhead_s = 5,
                 .gap_s = 20,
                 .gap_per_byte_s = 3,
                 .reduction_per_byte_s = 2};
  // A message of 11 bytes: 142, counted as a round 145, an interval 50, combined 22; both o 12.
  struct row {
    operation what;
    algorithm how;
    double size_bytes, total_s, processor_s;
  };
  const row rows[] = {
      {operation::barrier, algorithm::dissemination, 11, 336, 36},
      {operation::bcast, algorithm::linear, 11, 292, 28},
      {operation::bcast, algorithm::binomial, 11, 336 + 6 * 33, 36},
      {operation::bcast, algorithm::chain, 12, 4 * 121 + 2 * 29, 36},
      {operation::reduce, algorithm::linear, 11, 292 + 88, 4 * 5 + 88},
      {operation::reduce, algorithm::binomial, 11, 435 + 66, 36 + 66},
      {operation::reduce, algorithm::chain, 12, 4 * (121 + 8) + 2 * (29 + 8), 3 * (12 + 8)},
      {operation::allreduce, algorithm::binomial, 11, 501 + 336 + 6 * 33, 102 + 36},
      {operation::allreduce, algorithm::ring, 10, 8 * 118 + 4 * 4, 8 * 12 + 4 * 4},
      {operation::allreduce, algorithm::recursive_doubling, 11, 4 * 145 + 3 * 22, 3 * 12 + 3 * 22},
      {operation::allgather, algorithm::linear, 11, 142 + 3 * 50, 48},
      {operation::allgather, algorithm::ring, 11, 4 * 145, 48},
      {operation::allgather, algorithm::recursive_doubling, 11, 4 * 112 + 11 * 3 * 11, 48},
      {operation::allgather, algorithm::bruck, 11, 3 * 112 + 4 * 3 * 11, 36},
      {operation::alltoall, algorithm::linear, 11, 142 + 3 * 50, 48},
      {operation::alltoall, algorithm::pairwise, 11, 142 + 3 * 50, 48},
      {operation::alltoall, algorithm::bruck, 11, 3 * 112 + 5 * 3 * 11, 36},
      {operation::gather, algorithm::linear, 11, 142 + 3 * 50, 20},
      {operation::gather, algorithm::binomial, 11, 3 * 112 + 4 * 3 * 11, 36},
      {operation::scatter, algorithm::linear, 11, 142 + 3 * 50, 28},
      {operation::scatter, algorithm::binomial, 11, 3 * 112 + 4 * 3 * 11, 36},
      {operation::reduce_scatter, algorithm::ring, 11, 4 * (145 + 22), 4 * (12 + 22)},
      {operation::reduce_scatter, algorithm::pairwise, 11, 4 * (145 + 22), 4 * (12 + 22)},
      {operation::scan, algorithm::linear, 11, 4 * (142 + 22), 12 + 22},
      {operation::scan, algorithm::recursive_doubling, 11, 3 * (145 + 22), 3 * (12 + 22)},
      {operation::exscan, algorithm::linear, 11, 4 * 142 + 3 * 22, 12 + 22},
      {operation::exscan, algorithm::recursive_doubling, 11, 3 * 145 + 4 * 22, 3 * 12 + 4 * 22},
      {operation::neighbour_exchange, algorithm::linear, 11, 142 + 2 * 50, 36},
  };
  EXPECT_EQ(std::size(rows), all_pairs().size());
  for (const row& r : rows) {
    const collective_cost c =
        cost(r.what, r.how, net,
             {.ranks = 5, .size_bytes = r.size_bytes, .fragment_bytes = 4, .degree = 3});
    EXPECT_DOUBLE_EQ(c.total_s, r.total_s) << name_of(r.what, r.how);
    EXPECT_DOUBLE_EQ(c.processor_s, r.processor_s) << name_of(r.what, r.how);
  }
}

TEST(collective, a_chain_passes_on_the_least_number_of_equal_parts_that_are_small_enough) {
  // With o alone, P - 1 hops and as many sends more as there are further parts.
  const auto parts = [](double size_bytes) {
    const parameters net{.latency_s = 1000, .send_overhead_s = 1};
    const call_shape shape{.ranks = 3, .size_bytes = size_bytes, .fragment_bytes = 4};
    return cost(operation::bcast, algorithm::chain, net, shape).total_s - 2 * 1001 + 1;
  };
  EXPECT_EQ(parts(0), 1);
  EXPECT_EQ(parts(4), 1);
  EXPECT_EQ(parts(5), 2);
  EXPECT_EQ(parts(12), 3);
  EXPECT_EQ(parts(13), 4);
}

TEST(collective, operations_made_of_others_cost_their_sum) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const parameters net = random_network(random);
    const int ranks = std::uniform_int_distribution<int>(2, 100)(random);
    const double size = std::uniform_int_distribution<int>(0, 1 << 20)(random);
    const call_shape whole{.ranks = ranks, .size_bytes = size};
    const call_shape part{.ranks = ranks, .size_bytes = size / ranks};
    const auto expect_sum = [&](algorithm how, const collective_cost& a, const collective_cost& b) {
      const collective_cost all = cost(operation::allreduce, how, net, whole);
      EXPECT_NEAR(all.total_s, a.total_s + b.total_s, 1e-12 * all.total_s) << to_string(how);
      EXPECT_NEAR(all.processor_s, a.processor_s + b.processor_s, 1e-12 * all.total_s);
    };
    // Where processors need longer than the formulas say, each part is longer by itself.
    if (net.latency_s < 0 || net.overhead_per_byte_s > 0) continue;
    expect_sum(algorithm::binomial, cost(operation::reduce, algorithm::binomial, net, whole),
               cost(operation::bcast, algorithm::binomial, net, whole));
    expect_sum(algorithm::ring, cost(operation::reduce_scatter, algorithm::ring, net, part),
               cost(operation::allgather, algorithm::ring, net, part));
  }
}

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

TEST(collective, what_cannot_be_is_refused_in_one_line) {
  const auto refusal_of = [](operation what, algorithm how, const call_shape& shape,
                             const parameters& net = {}) {
    return refusal([&] { (void)cost(what, how, net, shape); });
  };
  EXPECT_EQ(refusal_of(operation::bcast, algorithm::ring, {.ranks = 4}),
            "bcast has no algorithm ring; it has linear, binomial or chain");
  EXPECT_EQ(refusal_of(operation::barrier, algorithm::linear, {.ranks = 4}),
            "barrier has no algorithm linear; it has dissemination");
  EXPECT_EQ(refusal_of(operation::scan, algorithm::linear, {.ranks = 0}),
            "0 ranks; there must be at least 1");
  EXPECT_EQ(refusal_of(operation::scan, algorithm::linear, {.ranks = 2, .size_bytes = -1}),
            "size_bytes is -1; it must be finite and at least 0");
  EXPECT_EQ(refusal_of(operation::bcast, algorithm::chain, {.ranks = 2, .fragment_bytes = 0}),
            "fragment_bytes is 0; it must be above 0");
  EXPECT_EQ(
      refusal_of(operation::neighbour_exchange, algorithm::linear, {.ranks = 2, .degree = -1}),
      "degree is -1; it must be at least 0");
  EXPECT_EQ(refusal_of(operation::bcast, algorithm::chain, {.ranks = 2}, {.gap_s = -1}),
            "g (gap_s) is -1 s; it must be finite and at least 0");
}

TEST(algorithm, names_lead_back_to_what_they_name) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(operation::neighbour_exchange); ++i) {
    const auto what = static_cast<operation>(i);
    EXPECT_EQ(model::operation_from(to_string(what)), what);
    names.insert(to_string(what));
  }
  EXPECT_EQ(names.size(), 12U);
  names.clear();
  for (int i = 0; i <= static_cast<int>(algorithm::bruck); ++i) {
    const auto how = static_cast<algorithm>(i);
    EXPECT_EQ(model::algorithm_from(to_string(how)), how);
    names.insert(to_string(how));
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(to_string(operation::reduce_scatter), "reduce_scatter");
  EXPECT_EQ(to_string(algorithm::recursive_doubling), "recursive_doubling");
  EXPECT_FALSE(model::operation_from("Bcast"));
  EXPECT_FALSE(model::operation_from(""));
  EXPECT_FALSE(model::algorithm_from("bcast"));
  EXPECT_EQ(model::operation_names(),
            "barrier, bcast, reduce, allreduce, allgather, alltoall, gather, scatter, "
            "reduce_scatter, scan, exscan or neighbour_exchange");
}

TEST(algorithm, libnbc_takes_what_its_code_takes) {
  const auto name = [](operation what, int ranks, double size_bytes) {
    const auto taken = model::libnbc_choice(what, ranks, size_bytes);
    if (!taken) return std::string("none");
    return std::string(to_string(taken->how)) +
           (taken->fragment_bytes > 0 ? std::to_string(static_cast<int>(taken->fragment_bytes))
                                      : "");
  };
  EXPECT_EQ(name(operation::bcast, 4, 1e6), "linear");
  EXPECT_EQ(name(operation::bcast, 5, 65535), "binomial");
  EXPECT_EQ(name(operation::bcast, 5, 65536), "chain8192");
  EXPECT_EQ(name(operation::bcast, 5, 524287), "chain8192");
  EXPECT_EQ(name(operation::bcast, 5, 524288), "chain32768");
  EXPECT_EQ(name(operation::allreduce, 3, 1e6), "binomial");
  EXPECT_EQ(name(operation::allreduce, 4, 65535), "binomial");
  EXPECT_EQ(name(operation::allreduce, 4, 65536), "ring");
  EXPECT_EQ(name(operation::reduce, 5, 1e6), "binomial");
  EXPECT_EQ(name(operation::reduce, 4, 65535), "binomial");
  EXPECT_EQ(name(operation::reduce, 4, 65536), "chain8192");
  EXPECT_EQ(name(operation::alltoall, 1000, 1e6), "linear");
  EXPECT_EQ(name(operation::barrier, 2, 0), "dissemination");
  EXPECT_EQ(name(operation::reduce_scatter, 2, 8), "none");
  for (int i = 0; i <= static_cast<int>(operation::neighbour_exchange); ++i) {
    const auto what = static_cast<operation>(i);
    for (const double size : {0.0, 1e5, 1e6})
      for (const int ranks : {1, 4, 100}) {
        const auto taken = model::libnbc_choice(what, ranks, size);
        if (!taken) continue;
        const auto known = model::algorithms_of(what);
        EXPECT_EQ(std::ranges::count(known, taken->how), 1) << name_of(what, taken->how);
      }
  }
}

}  // namespace
}  // namespace plait::test
