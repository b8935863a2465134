// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "look/transport_sockets.hpp"

namespace plait {
namespace {

constexpr double long_s = 20;

/// Two ends of a TCP connection on this machine.
class connection {
 public:
  connection() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    ends_[0] = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(ends_[0], reinterpret_cast<sockaddr*>(&address), length), 0);
    ends_[1] = accept(listener, nullptr, nullptr);
    close(listener);
  }
  ~connection() {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  void send(std::size_t bytes) {
    const std::vector<char> data(bytes, 'x');
    ASSERT_EQ(write(ends_[0], data.data(), bytes), static_cast<ssize_t>(bytes));
  }
  void receive(std::size_t bytes) {
    std::vector<char> data(bytes);
    ASSERT_EQ(recv(ends_[1], data.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }
  void close_receiver() {
    close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

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
  EXPECT_EQ(sockets.unread(), 0U);
  one.send(1000);
  EXPECT_TRUE(sockets.wait(seconds_to_ticks(long_s)).arrived);
  one.receive(300);
  EXPECT_EQ(sockets.unread(), 700U);
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
