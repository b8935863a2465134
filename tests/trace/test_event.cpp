// SPDX-License-Identifier: BSD-3-Clause
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/trace/event.hpp>

namespace {

using plait::event_kind;
using plait::trace_event;

std::vector<trace_event> some_events() {
  return {{0, "worker 0", "interior", event_kind::compute, 10.0, 10.5},
          {0, "messages", "send to 1", event_kind::message, 10.1, 10.4},
          {1, "worker 0", "", event_kind::idle, 9.0, 9.25},
          {1, "messages", "receive \"x\"\\\n", event_kind::message, 10.0, 11.0}};
}

int count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

TEST(packed_events, unpack_into_what_was_packed) {
  const auto events = some_events();
  const auto back = plait::unpack_events(plait::pack_events(events));
  ASSERT_EQ(back.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(back[i].rank, events[i].rank);
    EXPECT_EQ(back[i].lane, events[i].lane);
    EXPECT_EQ(back[i].name, events[i].name);
    EXPECT_EQ(back[i].kind, events[i].kind);
    EXPECT_EQ(back[i].begin_s, events[i].begin_s);
    EXPECT_EQ(back[i].end_s, events[i].end_s);
  }
  EXPECT_TRUE(plait::unpack_events("").empty());
}

TEST(packed_events, damage_is_an_error) {
  const std::string packed = plait::pack_events(some_events());
  for (const std::size_t length : {std::size_t{1}, std::size_t{20}, packed.size() - 1}) {
    EXPECT_THROW((void)plait::unpack_events(packed.substr(0, length)), plait::error)
        << length << " bytes of " << packed.size();
  }
  EXPECT_THROW((void)plait::unpack_events(std::string(64, '\xff')), plait::error);
}

TEST(packed_events, a_name_too_long_is_cut) {
  const std::vector<trace_event> events{
      {0, "worker 0", std::string(100'000, 'n'), event_kind::compute, 0, 1}};
  const auto back = plait::unpack_events(plait::pack_events(events));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].name, std::string(65535, 'n'));
}

TEST(chrome_trace, times_are_microseconds_since_the_first_event) {
  std::ostringstream out;
  plait::write_chrome_trace(out, some_events());
  const std::string text = out.str();
  EXPECT_EQ(
      count(text, R"("name":"interior","pid":0,"tid":\d+,"ts":1000000\.000,"dur":500000\.000)"), 1);
  EXPECT_EQ(
      count(text, R"("cat":"idle","name":"","pid":1,"tid":\d+,"ts":0\.000,"dur":250000\.000)"), 1);
}

TEST(chrome_trace, messages_are_asynchronous_slices_with_a_begin_and_an_end_each) {
  std::ostringstream out;
  plait::write_chrome_trace(out, some_events());
  const std::string text = out.str();
  EXPECT_EQ(count(text, R"("ph":"b")"), 2);
  EXPECT_EQ(count(text, R"("ph":"e")"), 2);
  EXPECT_EQ(count(text, R"("ph":"b","cat":"message","id":1,"name":"send to 1")"), 1);
  EXPECT_EQ(count(text, R"("ph":"e","cat":"message","id":1,"name":"send to 1")"), 1);
}

TEST(chrome_trace, ranks_and_lanes_are_named) {
  std::ostringstream out;
  plait::write_chrome_trace(out, some_events());
  const std::string text = out.str();
  EXPECT_GE(count(text, R"("name":"process_name","pid":1,"args":\{"name":"rank 1"\})"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":0,"tid":\d+,"args":\{"name":"worker 0"\})"), 1);
  EXPECT_EQ(count(text, R"("thread_name","pid":1,"tid":\d+,"args":\{"name":"messages"\})"), 1);
}

TEST(chrome_trace, quotes_and_control_characters_are_escaped) {
  std::ostringstream out;
  plait::write_chrome_trace(out, some_events());
  EXPECT_NE(out.str().find(R"("receive \"x\"\\\u000a")"), std::string::npos);
}

TEST(chrome_trace, no_events_make_a_valid_file) {
  std::ostringstream out;
  plait::write_chrome_trace(out, {});
  EXPECT_EQ(out.str(), "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n]}\n");
}

}  // namespace
