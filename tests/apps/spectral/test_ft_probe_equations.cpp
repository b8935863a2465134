// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <gtest/gtest.h>

#include "charts.hpp"
#include "equations.hpp"

namespace {

using namespace ft_probe;

// Whole numbers, so that sums are exact: N = 12 rows on P = 4 ranks, 3 rounds.
constexpr model_symbols computing{.ranks = 4,
                                  .rows = 12,
                                  .length = 2,
                                  .computation_s = 100,
                                  .overhead_s = 5,
                                  .gap_s = 7,
                                  .gap_per_byte_s = 1};
constexpr model_symbols transferring{.ranks = 4,
                                     .rows = 12,
                                     .length = 50,
                                     .computation_s = 100,
                                     .overhead_s = 5,
                                     .gap_s = 7,
                                     .gap_per_byte_s = 1};
constexpr model_symbols initiating{.ranks = 4,
                                   .rows = 12,
                                   .length = 50,
                                   .computation_s = 1,
                                   .overhead_s = 5,
                                   .gap_s = 70,
                                   .gap_per_byte_s = 1};

TEST(equation, number_1_is_a_put_after_each_row_but_the_last_of_a_round) {
  EXPECT_EQ(initiation_by_computation_s(computing), (105 * 3 + 100) * 3);
  EXPECT_EQ(initiation_by_computation_s(initiating), (6 * 3 + 1) * 3);
}

TEST(equation, number_2_is_all_bytes_that_leave) {
  EXPECT_EQ(transfer_s(computing), 16 * 3 * 2 * 1 * 3);
  EXPECT_EQ(transfer_s(transferring), 16 * 3 * 50 * 1 * 3);
}

TEST(equation, number_3_is_number_1) {
  EXPECT_EQ(total_by_computation_s(computing), 1245);
}

TEST(equation, number_4_waits_for_the_first_row_and_its_put_then_for_all_bytes) {
  EXPECT_EQ(total_by_communication_s(computing), 100 + 7 + 288);
  EXPECT_EQ(total_by_communication_s(transferring), 100 + 7 + 7200);
}

TEST(equation, number_5_has_a_gap_between_puts_of_a_round) {
  EXPECT_EQ(initiation_by_communication_s(initiating), (1 + 70 * 2 + 1) * 3);
}

TEST(equation, number_6_takes_the_larger_of_gap_and_computation) {
  EXPECT_EQ(initiation_s(computing), (205 + 105 * 2) * 3);
  EXPECT_EQ(initiation_s(computing), initiation_by_computation_s(computing));
  EXPECT_EQ(initiation_s(initiating), (7 + 70 * 2) * 3);
  EXPECT_EQ(initiation_s(initiating), initiation_by_communication_s(initiating) + 5 * 3)
      << "by o N / P more";
}

TEST(equation, number_7_is_the_larger_of_3_and_4) {
  EXPECT_EQ(total_s(computing), 1245);
  EXPECT_EQ(total_s(transferring), 7307);
}

TEST(equation, number_8_is_what_initiation_leaves) {
  EXPECT_EQ(wait_s(computing), 0);
  EXPECT_EQ(wait_s(transferring), 7307 - 1245);
  model_symbols small = initiating;
  small.length = 1;
  EXPECT_EQ(total_by_communication_s(small), 1 + 70 + 144);
  EXPECT_EQ(wait_s(small), 215 - 441) << "negative, as printed";
}

TEST(equation, number_9_is_initiation_without_computation) {
  EXPECT_EQ(communication_initiation_s(computing), 1245 - 1200);
  EXPECT_EQ(communication_initiation_s(initiating), 441 - 12);
}

TEST(prediction, is_the_equations_where_the_gap_is_short) {
  const prediction found = predict_overlapped(transferring);
  EXPECT_EQ(found.computation_s, 1200);
  EXPECT_EQ(found.initiation_s, 45);
  EXPECT_EQ(found.wait_s, 7307 - 1245);
  EXPECT_EQ(found.total_s(), total_s(transferring));
}

TEST(prediction, has_gaps_between_rounds_and_never_waits_less_than_no_time) {
  model_symbols small = initiating;
  small.length = 1;
  EXPECT_EQ(predict_overlapped(small).initiation_s, (70 + 70 * 2) * 3 - 12);
  EXPECT_EQ(predict_overlapped(small).wait_s, 0);
  small.ranks = 2;
  EXPECT_EQ(initiation_s(small), (2 + 5) * 6) << "has no gap on two ranks";
  EXPECT_EQ(predict_overlapped(small).initiation_s, 70 * 6 - 12);
}

TEST(prediction, as_printed_adds_up_to_numbers_6_or_7) {
  EXPECT_EQ(predict_as_printed(transferring).total_s(), total_s(transferring));
  EXPECT_EQ(predict_as_printed(computing).initiation_s, 1245 - 1200);
  model_symbols small = initiating;
  small.length = 1;
  EXPECT_EQ(predict_as_printed(small).total_s(), initiation_s(small)) << "(8) would be negative";
}

TEST(prediction, of_exchange_is_computation_then_messages) {
  const prediction found = predict_exchange(transferring);
  EXPECT_EQ(found.computation_s, 1200);
  EXPECT_EQ(found.initiation_s, (7 + 7 * 2) * 3);
  EXPECT_EQ(found.total_s(), 1200 + 7 + 7200);
}

TEST(chart, of_the_model_ends_when_the_prediction_does) {
  for (const model_symbols& s : {computing, transferring, initiating})
    EXPECT_EQ(modelled_chart(s).end_s(), predict_overlapped(s).total_s());
}

TEST(chart, of_the_model_has_a_transfer_for_each_row_that_leaves) {
  const auto chart = modelled_chart(transferring);
  EXPECT_EQ(std::ranges::count(chart.events(), "network", &plait::trace_event::lane), 9);
  EXPECT_EQ(std::ranges::count(chart.events(), "transform", &plait::trace_event::name), 12);
}

TEST(prediction, of_one_rank_is_computation) {
  model_symbols alone = computing;
  alone.ranks = 1;
  EXPECT_EQ(predict_overlapped(alone).total_s(), 1200);
  EXPECT_EQ(predict_exchange(alone).total_s(), 1200);
}

}  // namespace
