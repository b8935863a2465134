// SPDX-License-Identifier: BSD-3-Clause
// Times of collective operations by the model, against published formulas and figures worked out by
// hand.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/model/collective.hpp>

#include "algorithm_pairs.hpp"
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

}  // namespace
}  // namespace plait::test
