// SPDX-License-Identifier: BSD-3-Clause
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.hpp"
#include "look/transport_sockets.hpp"

namespace plait {
namespace {

constexpr double long_s = 20;

/// The first news of each socket is that it can be written to.
void skip_first_news(transport_sockets& sockets) {
  (void)sockets.wait(seconds_to_ticks(1e-3));
}

TEST(transport_sockets, bytes_that_arrive_end_the_wait_and_are_counted) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  std::thread sender([&] { c.send(1000); });
  const socket_news news = sockets.wait(seconds_to_ticks(long_s));
  sender.join();
  EXPECT_TRUE(news.arrived);
  EXPECT_EQ(news.waiting_bytes, 1000U);
}

TEST(transport_sockets, what_is_left_unread_is_known_without_news) {
  connection one;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  EXPECT_EQ(sockets.bytes().waiting, 0U);
  one.send(1000);
  EXPECT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
  one.receive(300);
  const socket_bytes now = sockets.bytes();
  EXPECT_EQ(now.waiting, 700U);
  EXPECT_EQ(now.read_at_least, 300U);
  EXPECT_EQ(now.read_at_most, 300U);
}

TEST(transport_sockets, what_was_said_once_is_not_said_again) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  c.send(10);
  EXPECT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
  EXPECT_FALSE(sockets.wait(seconds_to_ticks(1e-3)).arrived);
  c.send(10);
  EXPECT_EQ(sockets.wait(seconds_to_ticks(long_s)).waiting_bytes, 20U);
}

TEST(transport_sockets, a_wait_ends_when_it_is_woken) {
  transport_sockets sockets;
  std::thread other([&] { sockets.wake(); });
  const socket_news news = sockets.wait(seconds_to_ticks(long_s));
  other.join();
  EXPECT_FALSE(news.arrived);
}

TEST(transport_sockets, they_carry_messages_once_a_look_has_read_from_one) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  c.send(10);
  ASSERT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
  sockets.looked();
  EXPECT_FALSE(sockets.carry_messages());
  c.send(10);
  ASSERT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
  c.receive(20);
  sockets.looked();
  EXPECT_TRUE(sockets.carry_messages());
}

TEST(transport_sockets, a_socket_that_looks_leave_alone_is_let_go) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  for (int i = 0; i < 4; ++i) {
    c.send(10);
    ASSERT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
    sockets.looked();
  }
  c.send(10);
  EXPECT_FALSE(sockets.wait(seconds_to_ticks(1e-3)).arrived);
}

// A library that reads 64 KiB in a look, from a link that brings as much meanwhile.
TEST(transport_sockets, one_that_is_read_from_is_kept_though_no_less_waits_there) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  for (int look = 0; look < 10; ++look) {
    c.send(1000);
    ASSERT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived) << look;
    c.receive(500);
    c.send(500);
    sockets.looked();
  }
  EXPECT_TRUE(sockets.carry_messages());
}

TEST(transport_sockets, one_that_is_closed_says_nothing_any_more) {
  connection c;
  transport_sockets sockets;
  sockets.find(now_ticks());
  skip_first_news(sockets);
  c.close_receiver();
  (void)sockets.wait(seconds_to_ticks(1e-3));  // the other end is told
  EXPECT_FALSE(sockets.wait(seconds_to_ticks(1e-3)).arrived);
}

}  // namespace
}  // namespace plait
