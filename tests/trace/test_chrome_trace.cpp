// SPDX-License-Identifier: BSD-3-Clause
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/trace/chrome_trace.hpp>

#include "events.hpp"

namespace plait::test {
namespace {

std::string written(const std::vector<traced_run>& runs) {
  std::ostringstream out;
  write_chrome_trace(out, runs);
  return out.str();
}

std::string written(const std::vector<trace_event>& events) {
  return written(std::vector<traced_run>{{"plait", events, critical_path(events)}});
}

int count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

/// Rank 0 sends to rank 1 what it has computed.
std::vector<trace_event> late_sender() {
  trace_event consume = task(1, 0, "consume", 15, 19, 3, 2);
  consume.iteration = 4;
  return {task(0, 0, "produce", 10, 14, 1),
          message(0, "send to 1", true, 1, 14, 15, 2, 1),
          message(1, "receive \"x\"\\\n", false, 0, 10, 15, 2),
          on_worker(1, 0, "exposed", event_kind::exposed, 10, 15),
          on_worker(1, 0, "idle", event_kind::idle, 9, 9.25),
          consume};
}

TEST(chrome_trace, times_are_microseconds_since_the_first_event) {
  const std::string text = written(late_sender());
  EXPECT_EQ(count(text, R"("name":"produce","pid":0,"tid":\d+,"cat":"compute","ts":1000000\.000,)"
                        R"("dur":4000000\.000)"),
            1);
  EXPECT_EQ(count(text, R"("name":"idle","pid":1,"tid":\d+,"cat":"idle","ts":0\.000,)"
                        R"("dur":250000\.000)"),
            1);
}

TEST(chrome_trace, says_what_is_known_of_a_task) {
  const std::string text = written(late_sender());
  EXPECT_EQ(count(text, R"("name":"consume".*"args":\{"run":"plait","task":3,"released_by":2,)"
                        R"("iteration":4)"),
            1);
  EXPECT_EQ(count(text, R"("name":"produce".*"args":\{"run":"plait","task":1[,}])"), 1);
  EXPECT_EQ(count(text, R"("name":"send to 1".*"peer":1,"tag":0,"place":0,"bytes":8)"), 1);
}

TEST(chrome_trace, says_what_is_known_of_messages_and_collectives) {
  trace_event sent = message(0, "send to 1", true, 1, 14, 15, 2, 1);
  sent.message->communicator = 3;
  trace_event part = message(0, "Bcast", true, 1, 16, 17);
  part.message.reset();
  part.collective = collective_part{.root = 1, .place = 5, .size_bytes = 64, .communicator = 2};
  const std::string text = written({sent, part});
  EXPECT_EQ(count(text, R"("peer":1,"tag":0,"place":0,"bytes":8,"communicator":3,"sent":true\})"),
            1);
  EXPECT_EQ(count(text, R"("collective":5,"root":1,"bytes":64,"communicator":2\})"), 1);
}

TEST(chrome_trace, a_dependence_leaves_at_the_end_and_arrives_at_the_beginning) {
  const std::string text = written(late_sender());
  // To the send, and from the receive.
  EXPECT_EQ(count(text, R"("ph":"s","name":"dependence")"), 2);
  EXPECT_EQ(count(text, R"("ph":"f","name":"dependence".*"bp":"e")"), 2);
  EXPECT_EQ(count(text, R"("ph":"s","name":"dependence","pid":0.*"ts":4999999\.999)"), 1);
  EXPECT_EQ(count(text, R"("ph":"f","name":"dependence","pid":0.*"ts":5000000\.000)"), 1);
}

TEST(chrome_trace, a_message_leaves_when_posted_and_arrives_when_received) {
  const std::string text = written(late_sender());
  EXPECT_EQ(count(text, R"("ph":"s","name":"message","pid":0.*"ts":5000000\.000)"), 1);
  EXPECT_EQ(count(text, R"("ph":"f","name":"message","pid":1.*"ts":5999999\.999,"bp":"e")"), 1);
}

TEST(chrome_trace, the_critical_path_has_a_track_of_its_own_and_is_marked_where_it_happened) {
  traced_run run{"plait", late_sender(), {}};
  run.path = critical_path(run.events);
  mark_critical(run.events, run.path);
  const std::string text = written(std::vector<traced_run>{run});
  EXPECT_EQ(count(text, R"("name":"process_name","pid":2.*"name":"critical path")"), 1);
  EXPECT_EQ(count(text, R"re("ph":"X","name":"(produce|receive.*|consume)","pid":2)re"), 3);
  EXPECT_EQ(count(text, R"("name":"produce","pid":0.*"critical":true)"), 1);
  EXPECT_EQ(count(text, R"("name":"send to 1","pid":0.*"critical":true)"), 1);
  EXPECT_EQ(count(text, R"("name":"idle".*"critical":true)"), 0);
}

TEST(chrome_trace, messages_that_overlap_lie_in_rows) {
  const std::vector<trace_event> events{
      message(0, "a", true, 1, 0, 2), message(0, "b", true, 1, 1, 3),
      message(0, "c", true, 1, 2, 4), message(1, "d", true, 0, 1, 3)};
  const std::string text = written(events);
  EXPECT_EQ(count(text, R"("thread_name","pid":0,"tid":0,"args":\{"name":"messages"\})"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":0,"tid":1,"args":\{"name":"messages 2"\})"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":1)"), 1);
  EXPECT_EQ(count(text, R"("name":"[ac]","pid":0,"tid":0)"), 2);
  EXPECT_EQ(count(text, R"("name":"b","pid":0,"tid":1)"), 1);
}

TEST(chrome_trace, slices_of_a_thread_do_not_overlap_by_rounding) {
  const double ns = 1e-9;
  const std::string text =
      written({task(0, 0, "a", 0.4 * ns, 10.6 * ns, 1), task(0, 0, "b", 10.6 * ns, 20.4 * ns, 2)});
  EXPECT_EQ(count(text, R"("name":"a","pid":0,.*"ts":0\.000,"dur":0\.010)"), 1);
  EXPECT_EQ(count(text, R"("name":"b","pid":0,.*"ts":0\.010,"dur":0\.010)"), 1);
}

TEST(chrome_trace, the_arrows_of_two_runs_do_not_mix) {
  const std::string text =
      written(std::vector<traced_run>{{"one", {message(0, "send", true, 1, 0, 1)}, {}},
                                      {"two", {message(1, "receive", false, 0, 0, 1)}, {}}});
  EXPECT_EQ(count(text, R"("ph":"[sf]")"), 0);
  EXPECT_EQ(count(text, R"("run":"one")"), 1);
  EXPECT_EQ(count(text, R"("run":"two")"), 1);
}

TEST(chrome_trace, ranks_and_lanes_are_named_workers_first) {
  const std::string text = written(late_sender());
  EXPECT_GE(count(text, R"("name":"process_name","pid":1,.*"name":"rank 1")"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":0,"tid":0,"args":\{"name":"worker 0"\})"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":0,"tid":1,"args":\{"name":"messages"\})"), 1);
}

TEST(chrome_trace, quotes_and_control_characters_are_escaped) {
  EXPECT_NE(written(late_sender()).find(R"("receive \"x\"\\\u000a")"), std::string::npos);
}

TEST(chrome_trace, no_events_make_a_valid_file) {
  EXPECT_EQ(written(std::vector<traced_run>{}),
            "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n]}\n");
}

}  // namespace
}  // namespace plait::test
