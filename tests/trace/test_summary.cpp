// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/trace/summary.hpp>

#include "events.hpp"

namespace plait::test {
namespace {

/// Two ranks; the second waits two seconds for a message and is done after nine.
std::vector<trace_event> late_sender() {
  return {task(0, 0, "produce", 0, 4, 1),
          message(0, "send", true, 1, 4, 5, 2, 1),
          task(1, 0, "early", 0, 3, 1),
          message(1, "receive", false, 0, 0, 5, 2),
          on_worker(1, 0, "exposed", event_kind::exposed, 3, 5),
          task(1, 0, "consume", 5, 9, 3, 2)};
}

trace_summary summary_of(const std::vector<trace_event>& events,
                         std::optional<double> wire_s = std::nullopt) {
  return summarize_trace(events, critical_path(events), wire_s);
}

TEST(summary, divides_the_critical_path_among_kinds_and_names) {
  const trace_summary s = summary_of(late_sender());
  EXPECT_DOUBLE_EQ(s.span_s, 9);
  EXPECT_DOUBLE_EQ(s.path_s, 9);
  EXPECT_DOUBLE_EQ(s.path_of(event_kind::compute), 8);
  EXPECT_DOUBLE_EQ(s.path_of(event_kind::message), 1);
  EXPECT_DOUBLE_EQ(s.path_of(event_kind::exposed), 0);
  ASSERT_EQ(s.top.size(), 3U);
  EXPECT_DOUBLE_EQ(s.top[0].path_s, 4);
  EXPECT_DOUBLE_EQ(s.top[1].path_s, 4);
  EXPECT_EQ(s.top[2].name, "receive");
  EXPECT_EQ(s.top[2].kind, event_kind::message);
  EXPECT_NE(s.limit.find("computation limits it: 89 % of the critical path"), std::string::npos)
      << s.limit;
}

TEST(summary, with_perfect_overlap_the_busiest_rank_decides) {
  const trace_summary s = summary_of(late_sender());
  EXPECT_EQ(s.busiest_rank, 1);
  EXPECT_DOUBLE_EQ(s.busy_s, 7);  // nine seconds less two exposed
  EXPECT_DOUBLE_EQ(s.overlapped_s, 7);
}

TEST(summary, or_the_link_where_it_needs_longer) {
  EXPECT_DOUBLE_EQ(summary_of(late_sender(), 6).overlapped_s, 7);
  const trace_summary s = summary_of(late_sender(), 8.8);
  EXPECT_DOUBLE_EQ(s.overlapped_s, 8.8);
  EXPECT_EQ(s.limit, "the link limits it: its messages need 98 % of the time");
}

TEST(summary, a_rank_is_as_busy_as_its_workers_are_on_average) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 4, 1), task(0, 1, "b", 0, 1, 2),
                                        on_worker(0, 1, "idle", event_kind::idle, 1, 3),
                                        task(0, 1, "c", 3, 4, 3)};
  EXPECT_DOUBLE_EQ(summary_of(events).busy_s, 3);
}

TEST(summary, names_what_the_path_went_to_most) {
  std::vector<trace_event> events;
  double at_s = 0;
  for (std::uint64_t i = 1; i <= 7; ++i) {
    const double end_s = at_s + static_cast<double>(i);
    events.push_back(task(0, 0, std::string(i, 't'), at_s, end_s, i));
    at_s = end_s;
  }
  const trace_summary s = summary_of(events);
  ASSERT_EQ(s.top.size(), trace_summary::most_shares);
  EXPECT_EQ(s.top.front().name, "ttttttt");
  EXPECT_EQ(s.top.back().name, "ttt");
}

TEST(summary, says_when_messages_or_what_is_between_tasks_limit) {
  const std::vector<trace_event> messages{message(0, "send", true, 1, 0, 2),
                                          message(1, "receive", false, 0, 0, 8, 1),
                                          task(1, 0, "use", 8, 9, 2, 1)};
  EXPECT_EQ(summary_of(messages).limit,
            "messages on their way limit it: 89 % of the critical path ('receive' 89 %)");
  const std::vector<trace_event> gaps{task(0, 0, "a", 0, 1, 1), task(0, 0, "b", 9, 10, 2)};
  EXPECT_EQ(summary_of(gaps).limit,
            "what is between tasks limits it (posting, scheduling): 80 % of "
            "the critical path");
  const std::vector<trace_event> waits{task(0, 0, "a", 0, 1, 1),
                                       on_worker(0, 0, "idle", event_kind::idle, 1, 9),
                                       task(0, 0, "b", 9, 10, 2)};
  EXPECT_EQ(summary_of(waits).limit,
            "waiting between an event and what it allowed limits it: 80 % of the critical path");
}

TEST(summary, of_nothing_says_so) {
  const trace_summary s = summary_of({});
  EXPECT_EQ(s.span_s, 0);
  EXPECT_EQ(s.overlapped_s, 0);
  EXPECT_EQ(s.limit, "nothing was traced");
}

}  // namespace
}  // namespace plait::test
