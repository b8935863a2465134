// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <gtest/gtest.h>

#include "measure/steps_of_run.hpp"

namespace {

using plait::event_kind;
using plait::trace_event;
using plait::measure::keep_steps;
using plait::measure::run_report;

trace_event event(event_kind kind, double begin_s, double end_s) {
  trace_event result;
  result.kind = kind;
  result.begin_s = begin_s;
  result.end_s = end_s;
  return result;
}

/// Eight tasks of a second, the last first, and a message from 3.5 to 4.5.
std::vector<trace_event> run_of_eight() {
  std::vector<trace_event> events;
  for (int i = 7; i >= 0; --i) events.push_back(event(event_kind::compute, 10 + i, 11 + i));
  events.push_back(event(event_kind::message, 13.5, 14.5));
  return events;
}

TEST(steps_of_run, are_their_share_of_the_tasks_and_what_happens_meanwhile) {
  run_report report;
  keep_steps(report, run_of_eight(), 9, 4, {1, 2});  // tasks 2 and 3
  ASSERT_EQ(report.events.size(), 3U);
  EXPECT_EQ(report.recorded_from_s, 12);
  EXPECT_EQ(report.events.front().begin_s, 13);
  EXPECT_EQ(report.events.back().kind, event_kind::message);
  keep_steps(report, run_of_eight(), 9, 4, {3, 4});
  EXPECT_EQ(report.events.size(), 2U);
  EXPECT_EQ(report.recorded_from_s, 16);
}

TEST(steps_of_run, have_a_task_at_least) {
  run_report report;
  keep_steps(report, run_of_eight(), 9, 100, {50, 51});
  ASSERT_EQ(report.events.size(), 2U);  // and the message
  EXPECT_EQ(report.recorded_from_s, 14);
  keep_steps(report, {}, 9, 100, {50, 51});
  EXPECT_TRUE(report.events.empty());
}

TEST(steps_of_run, of_a_whole_run_are_all_from_its_start_and_none_is_nothing) {
  run_report report;
  keep_steps(report, run_of_eight(), 9, 4, {0, 4});
  EXPECT_EQ(report.events.size(), 9U);
  EXPECT_EQ(report.recorded_from_s, 9);
  keep_steps(report, run_of_eight(), 9, 4, {});
  EXPECT_TRUE(report.events.empty());
}

}  // namespace
