// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "measure/rows/overlap_figures.hpp"

namespace {

using plait::measure::step_times;
using plait::measure::work_sweep;
using ranks = std::vector<step_times>;

// A rank that communicates for `communication` and works for `work`, of which `hidden` go together.
step_times hiding(double communication, double work, double hidden) {
  step_times t{.blocking_s = communication, .computation_s = work, .pure_s = communication};
  t.wait_s = communication - hidden;
  t.working_s = work;
  t.overall_s = t.wait_s + work;
  return t;
}

TEST(overlap_figures, nothing_hidden_is_none_by_every_definition_and_costs_all) {
  const ranks none{hiding(3, 4, 0), hiding(3, 4, 0)};
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(none), 0);
  EXPECT_DOUBLE_EQ(plait::measure::imb_documents_percent(none), 0);
  EXPECT_DOUBLE_EQ(plait::measure::imb_code_percent(none), 0);
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(none), 0);
  EXPECT_DOUBLE_EQ(plait::measure::overhead_percent(none), 100);
}

TEST(overlap_figures, all_hidden_behind_longer_work_is_100_but_for_the_code_of_imb) {
  const ranks all{hiding(3, 4, 3)};
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(all), 100);
  EXPECT_DOUBLE_EQ(plait::measure::imb_documents_percent(all), 100);
  EXPECT_DOUBLE_EQ(plait::measure::imb_code_percent(all), 75);
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(all), 100);
  EXPECT_DOUBLE_EQ(plait::measure::overhead_percent(all), 0);
}

TEST(overlap_figures, all_of_shorter_work_hidden_is_100_to_the_documents_of_imb_only) {
  const ranks all{hiding(4, 1, 1)};
  EXPECT_DOUBLE_EQ(plait::measure::imb_documents_percent(all), 100);
  EXPECT_DOUBLE_EQ(plait::measure::imb_code_percent(all), 25);
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(all), 25);
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(all), 25);
}

TEST(overlap_figures, osu_takes_means_over_ranks_and_tests_as_communication) {
  ranks two{hiding(4, 4, 4), hiding(4, 4, 0)};
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(two), 50);
  two[0].tests_s = 1;  // t_cpu, which includes the test, and t_overall grow by it
  two[0].overall_s += 1;
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(two), 100 - 100 * (2.5 / 4));
  EXPECT_DOUBLE_EQ(plait::measure::overhead_s(two[0]), 1);
}

TEST(overlap_figures, osu_divides_by_the_pure_non_blocking_time_and_imb_by_the_blocking_one) {
  step_times t = hiding(2, 4, 1);
  t.pure_s = 4;
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(ranks{t}), 75);
  EXPECT_DOUBLE_EQ(plait::measure::imb_documents_percent(ranks{t}), 50);
  // A slow non-blocking call does not make wall-clock time shorter.
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(ranks{t}), 50);
}

TEST(overlap_figures, imb_takes_all_three_from_the_rank_that_ends_last) {
  const ranks two{hiding(4, 4, 4), hiding(4, 6, 2)};
  EXPECT_DOUBLE_EQ(plait::measure::imb_documents_percent(two), 50);
  EXPECT_DOUBLE_EQ(plait::measure::imb_code_percent(two), 100.0 * 2 / 6);
}

TEST(overlap_figures, work_that_communication_slows_down_is_hidden_to_osu_but_not_to_the_clock) {
  step_times t = hiding(4, 4, 4);
  t.working_s += 3;  // in the work, but of the transport
  t.overall_s += 3;
  EXPECT_DOUBLE_EQ(plait::measure::osu_overlap_percent(ranks{t}), 100);
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(ranks{t}), 25);
}

TEST(overlap_figures, slower_than_one_after_the_other_is_negative_to_the_clock) {
  step_times t = hiding(4, 4, 0);
  t.overall_s = 10;
  EXPECT_DOUBLE_EQ(plait::measure::confirmed_overlap_percent(ranks{t}), -50);
}

TEST(overlap_figures, the_transports_processor_time_cannot_be_hidden_behind_equal_work) {
  EXPECT_DOUBLE_EQ(plait::measure::attainable_overlap_percent(4, 4, 1), 75);
  EXPECT_DOUBLE_EQ(plait::measure::attainable_overlap_percent(4, 4, 0), 100);
  EXPECT_DOUBLE_EQ(plait::measure::attainable_overlap_percent(4, 3, 1), 75);  // all of the work
  EXPECT_DOUBLE_EQ(plait::measure::attainable_overlap_percent(4, 8, 2), 50);
}

TEST(work_sweep, grows_until_the_work_no_longer_fits) {
  // All of 160 s is hidden until the work takes longer.
  work_sweep sweep;
  double work_s = 0;
  for (int point = 0; !sweep.done(); ++point) {
    ASSERT_LT(point, 20);
    work_s = sweep.next_work_s();
    sweep.add(std::max(160.0, work_s));
  }
  EXPECT_DOUBLE_EQ(sweep.base_s(), 160);
  EXPECT_GT(work_s, 240);
  EXPECT_DOUBLE_EQ(
      plait::measure::availability_percent(sweep.base_s(), sweep.iteration_s(), work_s), 100);
}

TEST(work_sweep, starts_without_work_and_then_with_a_sixteenth) {
  work_sweep sweep;
  EXPECT_DOUBLE_EQ(sweep.next_work_s(), 0);
  sweep.add(16);
  EXPECT_DOUBLE_EQ(sweep.next_work_s(), 1);
  EXPECT_FALSE(sweep.done());
  sweep.add(17);
  EXPECT_DOUBLE_EQ(sweep.next_work_s(), 1.5);
}

TEST(work_sweep, takes_as_its_base_the_steps_within_2_percent_of_the_first) {
  work_sweep sweep;
  sweep.add(100);
  sweep.add(101);
  sweep.add(103);
  sweep.add(101);  // after the first that is longer none counts
  EXPECT_DOUBLE_EQ(sweep.base_s(), 100.5);
  sweep.add(150);
  EXPECT_FALSE(sweep.done());
  sweep.add(151);
  EXPECT_TRUE(sweep.done());
}

TEST(availability, is_none_where_work_adds_to_the_message_and_all_where_it_does_not) {
  EXPECT_DOUBLE_EQ(plait::measure::availability_percent(100, 170, 70), 0);
  EXPECT_DOUBLE_EQ(plait::measure::availability_percent(100, 170, 170), 100);
  EXPECT_DOUBLE_EQ(plait::measure::availability_percent(100, 170, 120), 50);
}

}  // namespace
