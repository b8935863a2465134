// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/trace/critical_path.hpp>

#include "events.hpp"

namespace plait::test {
namespace {

std::string names(const std::vector<path_step>& path) {
  std::string all;
  for (const path_step& step : path) all += (all.empty() ? "" : " > ") + step.name;
  return all;
}

/// Steps follow each other without a gap, from one time to another.
void expect_covers(const std::vector<path_step>& path, double begin_s, double end_s) {
  ASSERT_FALSE(path.empty());
  EXPECT_DOUBLE_EQ(path.front().begin_s, begin_s);
  EXPECT_DOUBLE_EQ(path.back().end_s, end_s);
  for (std::size_t i = 0; i < path.size(); ++i) {
    EXPECT_LE(path[i].begin_s, path[i].end_s) << "step " << i;
    if (i == 0) continue;
    EXPECT_EQ(path[i - 1].end_s, path[i].begin_s) << "step " << i;
  }
}

TEST(critical_path, of_nothing_is_empty) {
  EXPECT_TRUE(critical_path({}).empty());
}

TEST(critical_path, follows_what_released_a_task_on_another_worker) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 2, 1), task(0, 1, "b", 0, 1, 2),
                                        on_worker(0, 1, "idle", event_kind::idle, 1, 2),
                                        task(0, 1, "c", 2, 5, 3, 1)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "a > c");
  expect_covers(path, 0, 5);
}

TEST(critical_path, stays_on_a_worker_that_was_busy_when_the_task_became_ready) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 1, 1), task(0, 1, "long", 0, 3, 2),
                                        task(0, 1, "c", 3, 4, 3, 1)};
  EXPECT_EQ(names(critical_path(events)), "long > c");
}

TEST(critical_path, goes_through_a_message_to_the_sending_rank) {
  // Rank 1 waits for what rank 0 computes late.
  const std::vector<trace_event> events{
      task(0, 0, "produce", 0, 4, 1), message(0, "send", true, 1, 4, 5, 2, 1),
      task(1, 0, "early", 0, 1, 1), message(1, "receive", false, 0, 0, 6, 2),
      task(1, 0, "consume", 6, 8, 3, 2)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "produce > receive > consume");
  expect_covers(path, 0, 8);
  EXPECT_EQ(path[1].begin_s, 4);
  EXPECT_EQ(path[1].event, 3U);
  EXPECT_EQ(path[1].posted, 1U);
}

TEST(critical_path, stays_on_the_rank_that_posted_its_receive_late) {
  const std::vector<trace_event> events{
      task(0, 0, "produce", 0, 1, 1), message(0, "send", true, 1, 1, 5, 2, 1),
      task(1, 0, "free", 0, 4, 1), message(1, "receive", false, 0, 4, 5, 2, 1),
      task(1, 0, "consume", 5, 6, 3, 2)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "free > receive > consume");
  expect_covers(path, 0, 6);
}

TEST(critical_path, a_send_that_needed_its_receive_waited_for_it) {
  const std::vector<trace_event> events{
      task(1, 0, "late", 0, 4, 1), message(1, "receive", false, 0, 4, 5, 2, 1),
      task(0, 0, "first", 0, 1, 1), message(0, "send", true, 1, 1, 5, 2, 1),
      task(0, 0, "reuse", 5, 7, 3, 2)};
  EXPECT_EQ(names(critical_path(events)), "late > send > reuse");
}

TEST(critical_path, a_send_that_was_buffered_did_not_wait_for_its_receive) {
  const std::vector<trace_event> events{
      task(1, 0, "late", 0, 4, 1), message(1, "receive", false, 0, 4, 5, 2, 1),
      task(0, 0, "first", 0, 1, 1), message(0, "send", true, 1, 1, 2, 2, 1),
      task(0, 0, "reuse", 2, 7, 3, 2)};
  EXPECT_EQ(names(critical_path(events)), "first > send > reuse");
}

TEST(critical_path, goes_to_and_fro_between_ranks) {
  // A ping-pong of three messages with a task before each.
  std::vector<trace_event> events;
  double at_s = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const int rank = static_cast<int>(i % 2);
    const std::uint64_t id = 10 * i + 1;
    // The first is ready at once; later ones wait for what arrived.
    events.push_back(task(rank, 0, "work", at_s, at_s + 1, id, i == 0 ? 0 : 10 * (i - 1) + 3));
    events.push_back(message(rank, "send", true, 1 - rank, at_s + 1, at_s + 2, id + 1, id, i));
    events.push_back(message(1 - rank, "receive", false, rank, 0, at_s + 3, id + 2, 0, i));
    at_s += 3;
  }
  events.push_back(task(1, 0, "last", at_s, at_s + 1, 40, 23));
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "work > receive > work > receive > work > receive > last");
  expect_covers(path, 0, 10);
}

TEST(critical_path, calls_what_no_event_accounts_for_by_what_the_worker_did) {
  const std::vector<trace_event> events{
      task(0, 0, "a", 0, 1, 1), on_worker(0, 1, "exposed", event_kind::exposed, 0.5, 1.5),
      on_worker(0, 1, "idle", event_kind::idle, 1.5, 1.75), task(0, 1, "b", 2, 3, 2, 1)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "a > exposed > idle > between tasks > b");
  expect_covers(path, 0, 3);
  EXPECT_EQ(path[3].kind, event_kind::overhead);
}

TEST(critical_path, the_program_goes_on_when_another_worker_has_ended_its_task) {
  const std::vector<trace_event> events{on_worker(0, 0, "the program", event_kind::compute, 0, 1),
                                        task(0, 1, "a", 1, 3, 1),
                                        on_worker(0, 0, "idle", event_kind::idle, 1, 3),
                                        on_worker(0, 0, "the program", event_kind::compute, 3, 6)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "a > the program");
  expect_covers(path, 1, 6);
}

TEST(critical_path, ends_with_what_the_last_wait_waited_for) {
  const std::vector<trace_event> events{task(0, 0, "a", 0, 1, 1),
                                        message(0, "receive", false, 1, 0, 4, 2),
                                        on_worker(0, 0, "exposed", event_kind::exposed, 1, 4.5),
                                        // Goes on beyond what was traced; nobody waited for it.
                                        message(0, "later", false, 1, 3, 9, 3)};
  const auto path = critical_path(events);
  EXPECT_EQ(path.back().name, "receive");
  EXPECT_EQ(path.back().end_s, 4);
}

TEST(critical_path, of_a_program_without_tasks_waits_for_the_last_message_to_arrive) {
  const auto compute = event_kind::compute;
  const std::vector<trace_event> events{
      on_worker(0, 0, "slow", compute, 0, 5), on_worker(0, 0, "post", event_kind::posting, 5, 6),
      message(0, "send", true, 1, 5.5, 7),    on_worker(1, 0, "quick", compute, 0, 1),
      message(1, "receive", false, 0, 1, 8),  on_worker(1, 0, "wait", event_kind::exposed, 1, 8),
      on_worker(1, 0, "rim", compute, 8, 9)};
  const auto path = critical_path(events);
  EXPECT_EQ(names(path), "slow > post > receive > rim");
  expect_covers(path, 0, 9);
}

TEST(critical_path, of_messages_found_complete_together_the_last_to_be_posted_was_waited_for) {
  const auto compute = event_kind::compute;
  const std::vector<trace_event> events{
      on_worker(0, 0, "slow", compute, 0, 5), message(0, "send", true, 1, 5, 7),
      message(0, "ghost", false, 1, 2, 8),    on_worker(1, 0, "quick", compute, 0, 1),
      message(1, "receive", false, 0, 0, 8),  message(1, "edge", true, 0, 1, 8),
      on_worker(1, 0, "rim", compute, 8, 9)};
  EXPECT_EQ(names(critical_path(events)), "slow > receive > rim");
}

TEST(critical_path, comes_to_an_end_when_clocks_contradict_each_other) {
  // Each receive arrives before the other rank's send is posted.
  const std::vector<trace_event> events{
      message(0, "send 0", true, 1, 5, 6, 1, 2), message(1, "receive 1", false, 0, 0, 2, 1),
      message(1, "send 1", true, 0, 5, 6, 2, 1), message(0, "receive 0", false, 1, 0, 2, 2),
      task(0, 0, "end", 7, 8, 3, 2)};
  expect_covers(critical_path(events), 2, 8);
}

TEST(critical_path, is_marked_in_its_events) {
  std::vector<trace_event> events{
      task(0, 0, "produce", 0, 4, 1), message(0, "send", true, 1, 4, 5, 2, 1),
      task(1, 0, "early", 0, 1, 1), message(1, "receive", false, 0, 0, 6, 2),
      task(1, 0, "consume", 6, 8, 3, 2)};
  mark_critical(events, critical_path(events));
  const std::vector<bool> expected{true, true, false, true, true};
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].critical, expected[i]) << events[i].name;
  }
}

}  // namespace
}  // namespace plait::test
