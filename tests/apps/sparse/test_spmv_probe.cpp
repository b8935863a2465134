// SPDX-License-Identifier: BSD-3-Clause
// Equations 10 to 13 of the architectural probes, against values computed by hand.
#include <gtest/gtest.h>

#include "charts.hpp"
#include "equations.hpp"

namespace spmv_probe {
namespace {

// Whole numbers, so that sums are exact.  o = 2, g = 3, L = 5, G = 0.5 per byte; blocks of 40 bytes
// take 20; a trip takes 2·5 + 20 = 30.
parameters network() {
  return {.latency_s = 5, .send_overhead_s = 2, .gap_s = 3, .gap_per_byte_s = 0.5};
}

TEST(spmv_probe, equation_10_adds_an_overhead_to_each_block_but_one) {
  const spmv_product what{.ranks = 4, .block_bytes = 40, .block_compute_s = 100};
  EXPECT_EQ(spmv_computing_s(network(), what), 3 * 102 + 100);
}

TEST(spmv_probe, equations_11_and_12_add_a_gap_to_each_further_get) {
  const spmv_product what{.ranks = 4, .block_bytes = 40, .block_compute_s = 7};
  EXPECT_EQ(spmv_communicating_s(network(), what), 32 + 2 * 33 + 7);
  const spmv_product two{.ranks = 2, .block_bytes = 40, .block_compute_s = 7};
  EXPECT_EQ(spmv_communicating_s(network(), two), 32 + 7);
}

TEST(spmv_probe, an_overhead_larger_than_the_gap_counts_instead) {
  parameters slow = network();
  slow.send_overhead_s = 10;
  const spmv_product what{.ranks = 3, .block_bytes = 40, .block_compute_s = 0};
  EXPECT_EQ(spmv_communicating_s(slow, what), 40 + 40);
}

TEST(spmv_probe, equation_13_takes_the_larger) {
  spmv_product what{.ranks = 4, .block_bytes = 40, .block_compute_s = 100};
  EXPECT_EQ(spmv_s(network(), what), 406);
  EXPECT_EQ(spmv_exposed_s(network(), what), 6);
  what.block_compute_s = 7;
  EXPECT_EQ(spmv_s(network(), what), 105);
  EXPECT_EQ(spmv_exposed_s(network(), what), 105 - 28);
}

TEST(spmv_probe, the_models_chart_ends_with_equation_13) {
  for (const double block_s : {100.0, 7.0, 0.0})
    for (const int ranks : {2, 3, 4}) {
      const spmv_product what{.ranks = ranks, .block_bytes = 40, .block_compute_s = block_s};
      EXPECT_EQ(modelled_chart(network(), what).end_s(), spmv_s(network(), what)) << block_s;
    }
}

TEST(spmv_probe, the_gap_per_byte_of_a_pattern_follows_from_its_time_alone) {
  const spmv_product idle{.ranks = 4, .block_bytes = 40, .block_compute_s = 0};
  const double alone = spmv_communicating_s(network(), idle);  // 98
  spmv_product what = idle;
  what.block_compute_s = 55;
  EXPECT_EQ(spmv_gap_per_byte_s(network(), what, alone), 0.5);
  EXPECT_EQ(spmv_gap_per_byte_s(network(), what, alone + 120), 1.5);
  EXPECT_EQ(spmv_gap_per_byte_s(network(), what, 1), 0);
}

TEST(spmv_probe, a_gather_whose_computation_dominates_takes_equation_10) {
  const spmv_product what{.ranks = 4, .block_bytes = 40, .block_compute_s = 100};
  EXPECT_EQ(spmv_gather_s(network(), what, 0), spmv_computing_s(network(), what));
  // Gets that follow each other wait for the gap, 1 more than the overhead.
  EXPECT_EQ(spmv_gather_s(network(), what, 1), 406 + 1);
  EXPECT_EQ(spmv_gather_s(network(), what, 2), 406 + 2);
  EXPECT_EQ(spmv_gather_s(network(), what, 3), 406 + 2);
}

// Prefetch 0: gets begin at 0, then beside the first wait.  The first takes the processor until 2
// and is here at 2 + 10 + 20 = 32; the second begins at 3 (the gap) and queues behind it: 52; the
// third begins once the first block has been used, at 33: 33 + 2 + 10 = 45, behind the second: 72.
TEST(spmv_probe, a_gather_whose_communication_dominates_takes_the_time_of_the_link) {
  const spmv_product what{.ranks = 4, .block_bytes = 40, .block_compute_s = 1};
  EXPECT_EQ(spmv_gather_s(network(), what, 0), 73);
  EXPECT_EQ(spmv_gather_s(network(), what, 3), 73);
}

TEST(spmv_probe, latency_makes_prefetch_worth_it) {
  parameters far = network();
  far.latency_s = 100;
  const spmv_product what{.ranks = 8, .block_bytes = 40, .block_compute_s = 5};
  EXPECT_GT(spmv_gather_s(far, what, 0), spmv_gather_s(far, what, 6));
  EXPECT_GT(spmv_best_prefetch(far, what), 1);
}

TEST(spmv_probe, without_latency_the_least_prefetch_is_chosen) {
  const parameters near{.gap_per_byte_s = 0.5};
  const spmv_product what{.ranks = 8, .block_bytes = 40, .block_compute_s = 5};
  EXPECT_EQ(spmv_best_prefetch(near, what), 0);
}

}  // namespace
}  // namespace spmv_probe
