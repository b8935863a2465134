// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include <gtest/gtest.h>
#include <plait/model/message.hpp>

#include "networks.hpp"

namespace plait::test {
namespace {

using model::parameters;

// Whole numbers, so that sums are exact.
constexpr parameters whole{.latency_s = 100,
                           .send_overhead_s = 7,
                           .receive_overhead_s = 5,
                           .gap_s = 20,
                           .gap_per_byte_s = 3};

TEST(message, takes_both_overheads_the_latency_and_a_gap_per_further_byte) {
  EXPECT_EQ(model::message_s(whole, 11), 7 + 100 + 10 * 3 + 5);
  EXPECT_EQ(model::message_s(whole, 1), 7 + 100 + 5);
  EXPECT_EQ(model::message_s(whole, 0), 7 + 100 + 5) << "as one of one byte";
}

TEST(message, sends_follow_each_other_at_the_larger_of_overhead_and_gap) {
  EXPECT_EQ(model::send_interval_s(whole, 11), 20 + 30);
  EXPECT_EQ(model::burst_s(whole, 11, 4), 3 * (20 + 30) + 142);
  EXPECT_EQ(model::burst_s(whole, 11, 1), 142);
  parameters slow = whole;
  slow.send_overhead_s = 70;
  EXPECT_EQ(model::send_interval_s(slow, 11), 70);
  EXPECT_EQ(model::receive_interval_s(slow, 11), 50);
  slow.receive_overhead_s = 60;
  EXPECT_EQ(model::receive_interval_s(slow, 11), 60);
}

TEST(message, bytes_handled_by_processors_take_their_time_while_the_network_moves_them) {
  parameters network = whole;
  network.overhead_per_byte_s = 2;
  EXPECT_EQ(model::send_processor_s(network, 11), 7 + 20);
  EXPECT_EQ(model::receive_processor_s(network, 11), 5 + 20);
  EXPECT_EQ(model::message_s(network, 11), 142) << "the network is slower";
  network.overhead_per_byte_s = 4;
  EXPECT_EQ(model::message_s(network, 11), 7 + 100 + 40 + 5) << "the processors are";
  EXPECT_EQ(model::send_interval_s(network, 11), 50);
  network.overhead_per_byte_s = 6;
  EXPECT_EQ(model::send_interval_s(network, 11), 7 + 60);
}

TEST(message, longer_ones_than_S_shake_hands_first) {
  parameters network = whole;
  network.eager_limit_bytes = 10;
  EXPECT_EQ(model::handshake_s(network, 10), 0);
  EXPECT_EQ(model::handshake_s(network, 11), 7 + 5 + 2 * 100);
  EXPECT_EQ(model::message_s(network, 11), 142 + 212);
  EXPECT_EQ(model::send_processor_s(network, 11), 2 * 7);
  EXPECT_EQ(model::receive_processor_s(network, 11), 2 * 5);
  network.latency_s = -10;  // as measured on shared memory
  EXPECT_EQ(model::handshake_s(network, 11), 0) << "saves no time";
}

TEST(message, an_eager_one_leaves_without_its_receiver) {
  const model::completion early = model::deliver(whole, 11, {.send_s = 1000});
  EXPECT_EQ(early.send_s, 1007);
  EXPECT_EQ(early.receive_s, 1142);
  const model::completion late = model::deliver(whole, 11, {.send_s = 1000, .receive_s = 5000});
  EXPECT_EQ(late.send_s, 1007);
  EXPECT_EQ(late.receive_s, 5000);
}

TEST(message, one_by_rendezvous_starts_when_both_are_there_and_ends_for_both) {
  parameters network = whole;
  network.eager_limit_bytes = 10;
  for (const model::posting posted : {model::posting{1000, 300}, model::posting{300, 1000}}) {
    const model::completion done = model::deliver(network, 11, posted);
    EXPECT_EQ(done.send_s, 1000 + 142 + 212);
    EXPECT_EQ(done.receive_s, done.send_s);
  }
}

TEST(message, a_longer_burst_or_message_never_takes_less) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    parameters network = random_network(random);
    if (i % 2 == 1) network.eager_limit_bytes = 1 << (i % 20);
    for (double size = 1; size < 1e7; size *= 2) {
      EXPECT_GE(model::message_s(network, size), model::message_s(network, size / 2));
      EXPECT_GE(model::send_interval_s(network, size), model::send_processor_s(network, size));
      EXPECT_GT(model::burst_s(network, size, 3), model::burst_s(network, size, 2));
    }
  }
}

}  // namespace
}  // namespace plait::test
