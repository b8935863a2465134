// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "network/delay_line/wire.hpp"

namespace {

using namespace std::chrono_literals;
using plait::network::delay_line::frame;
using plait::network::delay_line::moment;
using plait::network::delay_line::wire;

const moment start{};

frame of(int number, std::size_t size = 1) {
  return frame(size, static_cast<std::byte>(number));
}

TEST(wire, carries_each_frame_the_delay_later_and_in_order) {
  wire line(3ms, 1000);
  line.send(of(1), start);
  line.send(of(2), start + 1ms);
  EXPECT_EQ(line.next_arrival(), start + 3ms);
  EXPECT_EQ(line.arrived(start + 3ms - 1ns), std::nullopt);
  EXPECT_EQ(line.arrived(start + 3ms), of(1));
  EXPECT_EQ(line.arrived(start + 3ms), std::nullopt);
  EXPECT_EQ(line.next_arrival(), start + 4ms);
  EXPECT_EQ(line.arrived(start + 9ms), of(2));
  EXPECT_EQ(line.next_arrival(), std::nullopt);
}

TEST(wire, loses_what_does_not_fit_and_takes_more_when_frames_have_arrived) {
  wire line(1ms, 10);
  line.send(of(1, 6), start);
  line.send(of(2, 5), start);
  EXPECT_EQ(line.lost(), 1U);
  line.send(of(3, 4), start);
  EXPECT_EQ(line.arrived(start + 1ms), of(1, 6));
  line.send(of(4, 6), start + 1ms);
  EXPECT_EQ(line.lost(), 1U);
  EXPECT_EQ(line.arrived(start + 2ms), of(3, 4));
  EXPECT_EQ(line.arrived(start + 2ms), of(4, 6));
}

TEST(wire, without_a_delay_passes_frames_at_once) {
  wire line(0ns, 10);
  line.send(of(1), start);
  EXPECT_EQ(line.arrived(start), of(1));
}

}  // namespace
