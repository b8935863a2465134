// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "look/news_judge.hpp"

namespace plait {
namespace {

socket_news arrived(std::size_t bytes) {
  return {.arrived = true, .waiting_bytes = bytes};
}

TEST(news_judge, nothing_new_is_worth_no_look) {
  news_judge judge;
  EXPECT_FALSE(judge.is_worth_a_look({}, 10));
}

TEST(news_judge, room_in_a_full_send_buffer_is_worth_one_at_once) {
  news_judge judge;
  EXPECT_TRUE(judge.is_worth_a_look({.room = true}, 0));
}

TEST(news_judge, few_bytes_are_worth_as_many_looks_as_messages_have_steps) {
  news_judge judge;
  int looks = 0;
  for (int i = 0; i < 100; ++i) looks += judge.is_worth_a_look(arrived(100), 2) ? 1 : 0;
  EXPECT_EQ(looks, 6);
  EXPECT_TRUE(judge.is_worth_a_look(arrived(100), 3));
}

TEST(news_judge, bulk_waits_until_there_is_much_of_it) {
  news_judge judge;
  EXPECT_FALSE(judge.is_worth_a_look(arrived(100 << 10), 10));
  EXPECT_TRUE(judge.is_worth_a_look(arrived(256 << 10), 10));
}

TEST(news_judge, looks_that_were_not_used_are_not_saved_for_ever) {
  news_judge judge;
  int looks = 0;
  for (int i = 0; i < 1000; ++i) looks += judge.is_worth_a_look(arrived(1), 100000) ? 1 : 0;
  EXPECT_EQ(looks, 64);
}

}  // namespace
}  // namespace plait
