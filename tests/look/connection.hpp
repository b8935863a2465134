// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace plait {

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
    EXPECT_EQ(::listen(listener, 1), 0);
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

}  // namespace plait
