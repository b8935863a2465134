// SPDX-License-Identifier: BSD-3-Clause
// Messages of the bare engine that are posted again and again, on persistent MPI requests or not.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"
#include "support/neighbours.hpp"

namespace plait::test {
namespace {

class every_persistence : public ::testing::TestWithParam<std::tuple<progress, persistence>> {
 protected:
  environment& env = test_environment();
  const neighbours r{env};
  [[nodiscard]] engine_options options() const {
    return {.policy = std::get<0>(GetParam()), .persistent_requests = std::get<1>(GetParam())};
  }
};
std::string name_of(const ::testing::TestParamInfo<std::tuple<progress, persistence>>& one) {
  constexpr const char* persistences[] = {"where_faster", "always", "never"};
  return std::string(to_string(std::get<0>(one.param))) + "_" +
         persistences[static_cast<int>(std::get<1>(one.param))];
}
INSTANTIATE_TEST_SUITE_P(engine, every_persistence,
                         ::testing::Combine(::testing::Values(progress::sleeping, progress::none),
                                            ::testing::Values(persistence::where_faster,
                                                              persistence::always,
                                                              persistence::never)),
                         name_of);

void fill(message& m, std::uint64_t with) {
  const auto data = pattern(with, m.data.size());
  std::copy(data.begin(), data.end(), m.data.begin());  // in place: the buffer stays where it is
}

// Numbers of messages that share all, some or no factors with the number of residues; the messages
// in between move the places on, so that the MPI tags of one repetition are not those of the next.
TEST_P(every_persistence, repeated_messages_meet_the_right_ones_in_every_iteration) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{6}, std::size_t{75}}) {
    const std::uint64_t iterations = count == 1 ? 130 : 30;
    messages receives;  // outlive the engine
    engine e(env, options());
    messages sends;  // do not
    for (std::size_t k = 0; k < count; ++k) {
      e.attach(receive(receives, r.left, 3, 300));
      e.attach(send(sends, r.right, 3, pattern(0, 300)));
    }
    std::mt19937 random(static_cast<unsigned>(r.rank));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    int number = 0;
    for (int replays = 0; replays < 2; ++replays) {
      enqueue_repeated(e, receives, iterations);
      enqueue_repeated(e, sends, iterations);
      for (std::uint64_t i = 0; i < iterations; ++i) {
        begin_iteration(receives);
        begin_iteration(sends);
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t k : order) {
          fill(sends[k], key(r.rank, 3, number + static_cast<int>(k)));
          e.post(sends[k]);
        }
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t k : order) e.post(receives[k]);
        wait_for_all(e, sends);
        wait_for_all(e, receives);
        for (std::size_t k = 0; k < count; ++k, ++number) {
          ASSERT_EQ(receives[k].failure_text(), "none");
          ASSERT_TRUE(receives[k].data == pattern(key(r.left, 3, number), 300))
              << "message " << k << " of " << count << ", iteration " << i;
        }
      }
      messages between;
      message& from_left = receive(between, r.left, 3, 8);
      send(between, r.right, 3, pattern(key(r.rank, 3, -1), 8));
      post_all(e, between);
      wait_for_all(e, between);
      ASSERT_EQ(from_left.data, pattern(key(r.left, 3, -1), 8));
    }
  }
}

TEST_P(every_persistence, what_is_detached_makes_room_and_a_later_one_takes_its_place) {
  engine e(env, options());
  for (int graph = 0; graph < 4; ++graph) {
    messages list;
    e.attach(receive(list, r.left, 0, 300));
    e.attach(send(list, r.right, 0, pattern(key(r.rank, 0, graph), 300)));
    enqueue_repeated(e, list, 130);
    for (int i = 0; i < 130; ++i) {
      begin_iteration(list);
      for (message& m : list) e.post(m);
      wait_for_all(e, list);
      ASSERT_EQ(list[0].data, pattern(key(r.left, 0, graph), 300));
      list[0].data.assign(300, 0xEE);
    }
  }
}

/// Posts the first of `list`, a receive, which fails, and a send, which does not, 130 times.
void post_again_and_again(engine& e, messages& list, const auto& expect_failure) {
  for (message& m : list) e.attach(m);
  enqueue_repeated(e, list, 130);
  for (int i = 0; i < 130; ++i) {
    begin_iteration(list);
    for (message& m : list) e.post(m);
    wait_for_all(e, list);
    ASSERT_NO_FATAL_FAILURE(expect_failure(list[0].failure_text()));
    ASSERT_EQ(list[1].failure_text(), "none");
  }
}

TEST_P(every_persistence, a_repeated_receive_of_the_wrong_size_fails_each_time) {
  engine e(env, options());
  messages list;
  receive(list, r.left, 9, 400);
  send(list, r.right, 9, pattern(1, 300));
  post_again_and_again(e, list, [&](const std::string& failure) {
    ASSERT_EQ(failure, "receive of 400 bytes from rank " + std::to_string(r.left) +
                           ", tag 9: the message sent has 300 bytes");
  });
}

TEST_P(every_persistence, a_repeated_receive_that_is_too_small_fails_each_time) {
  if (r.left == r.rank) return;  // Open MPI 4.1 cuts messages to oneself without a word
  engine e(env, options());
  messages list;
  receive(list, r.left, 9, 300);
  send(list, r.right, 9, pattern(1, 400));
  post_again_and_again(e, list, [](const std::string& failure) {
    ASSERT_NE(failure.find("larger"), std::string::npos) << failure;
  });
}

}  // namespace
}  // namespace plait::test
