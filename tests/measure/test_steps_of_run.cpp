// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "measure/compare/steps_of_run.hpp"

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

trace_event message(const char* name, double end_s, bool sent = false) {
  trace_event result = event(event_kind::message, 0, end_s);
  result.name = name;
  result.message = plait::message_side{.sent = sent};
  return result;
}

TEST(waiting, is_charged_to_the_message_whose_arrival_ended_it) {
  const std::vector<trace_event> events{
      event(event_kind::exposed, 8, 11), message("ghosts", 10),
      event(event_kind::exposed, 2, 5),  message("residual sum", 5),
      message("sum", 7, true),           event(event_kind::exposed, 6, 7),
      event(event_kind::idle, 7, 8),     event(event_kind::exposed, 0, 1)};
  const auto waited = [&](std::string_view part) {
    return plait::measure::waited_for_s(events, part);
  };
  EXPECT_EQ(waited("sum"), 4);  // from 2 to 5; from 6 to 7, as a message sent ends no waiting
  EXPECT_EQ(waited("ghosts"), 3);
  EXPECT_EQ(waited("gather"), 0);  // nothing had arrived when that from 0 to 1 ended
}

}  // namespace
