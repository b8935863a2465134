// SPDX-License-Identifier: BSD-3-Clause
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
          {1, "messages", "receive \"x\"\\\n", event_kind::message, 10.0, 11.0, 12, 9, 4,
           plait::message_side{true, 5, 6, 7, 8}, true},
          {2, "collectives", "Bcast", event_kind::message, 11.0, 12.0, 0, 0,
           trace_event::not_replayed, std::nullopt, false, plait::collective_part{1, 2, 3, 4}}};
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
    EXPECT_EQ(back[i].id, events[i].id);
    EXPECT_EQ(back[i].released_by, events[i].released_by);
    EXPECT_EQ(back[i].iteration, events[i].iteration);
    EXPECT_EQ(back[i].critical, events[i].critical);
    EXPECT_EQ(back[i].message.has_value(), events[i].message.has_value());
  }
  const auto& side = *back[3].message;
  EXPECT_TRUE(side.sent);
  EXPECT_EQ(side.peer, 5);
  EXPECT_EQ(side.tag, 6);
  EXPECT_EQ(side.place, 7U);
  EXPECT_EQ(side.size_bytes, 8U);
  ASSERT_TRUE(back[4].collective.has_value());
  const auto& part = *back[4].collective;
  EXPECT_EQ(part.root, 1);
  EXPECT_EQ(part.place, 2U);
  EXPECT_EQ(part.size_bytes, 3U);
  EXPECT_EQ(part.communicator, 4);
  EXPECT_FALSE(back[3].collective.has_value());
  EXPECT_TRUE(plait::unpack_events("").empty());
}

TEST(packed_events, damage_is_an_error) {
  const std::string packed = plait::pack_events(some_events());
  for (const std::size_t length : {std::size_t{1}, std::size_t{20}, packed.size() - 1}) {
    EXPECT_THROW((void)plait::unpack_events(packed.substr(0, length)), plait::error)
        << length << " bytes of " << packed.size();
  }
  EXPECT_THROW((void)plait::unpack_events(std::string(256, '\xff')), plait::error);
}

TEST(packed_events, a_name_too_long_is_cut) {
  const std::vector<trace_event> events{
      {0, "worker 0", std::string(100'000, 'n'), event_kind::compute, 0, 1}};
  const auto back = plait::unpack_events(plait::pack_events(events));
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].name, std::string(65535, 'n'));
}

}  // namespace
