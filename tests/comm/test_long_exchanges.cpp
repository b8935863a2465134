// SPDX-License-Identifier: BSD-3-Clause
// Long messages of the bare engine whose receives wait for sends, in orders that suit that and in
// orders that do not: all come, each in its place.
#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <plait/comm/engine.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

constexpr std::size_t long_bytes = 70'000;
constexpr int pairs = 8;

class every_pairing : public ::testing::TestWithParam<std::tuple<progress, pairing, bool>> {
 protected:
  environment& env = test_environment();
  const int peer = env.rank() ^ 1;  // on an even number of ranks
  [[nodiscard]] engine_options options() const {
    const auto [policy, kept, disturbed] = GetParam();
    engine_options wanted{.policy = policy, .paired_receives = kept};
    if (disturbed) wanted.disturb = {.seed = 7, .probability = 0.3, .longest_delay_s = 2e-3};
    return wanted;
  }
  message& outgoing(messages& list, int number, std::size_t bytes = long_bytes) {
    return send(list, peer, 0, pattern(key(env.rank(), 0, number), bytes));
  }
  // So many that receives are kept afterwards.
  void learn_pairs(engine& e, messages& receives, messages& sends) {
    for (int i = 0; i < pairs; ++i) {
      message& in = receive(receives, peer, 0, long_bytes);
      message& out = outgoing(sends, i);
      e.enqueue(in);
      e.enqueue(out);
      e.post(in);
      e.post(out);
      wait_for_all(e, receives);
      wait_for_all(e, sends);
    }
  }
  void expect_right(const messages& receives, int first = 0) {
    int number = first;
    for (const message& one : receives) {
      ASSERT_EQ(one.failure_text(), "none");
      ASSERT_TRUE(one.data == pattern(key(peer, 0, number++), one.data.size())) << number;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(
    engine, every_pairing,
    ::testing::Combine(::testing::Values(progress::sleeping, progress::workers, progress::none),
                       ::testing::Values(pairing::always, pairing::never), ::testing::Bool()),
    [](const auto& one) {
      return std::string(to_string(std::get<0>(one.param))) +
             (std::get<1>(one.param) == pairing::always ? "_paired" : "") +
             (std::get<2>(one.param) ? "_disturbed" : "");
    });

// Each receive is posted a step ahead of the send that it is paired with.
TEST_P(every_pairing, receives_a_step_ahead) {
  constexpr int steps = 40;
  messages receives, sends;
  engine e(env, options());
  const auto post_receive = [&] {
    message& one = receive(receives, peer, 0, long_bytes);
    e.enqueue(one);
    e.post(one);
  };
  post_receive();
  for (int i = 0; i < steps; ++i) {
    if (i + 1 < steps) post_receive();
    message& one = outgoing(sends, i);
    e.enqueue(one);
    e.post(one);
    while (!receives[static_cast<std::size_t>(i)].done() || !one.done()) {
      (void)e.poll(true);
      std::this_thread::yield();
    }
  }
  expect_right(receives);
}

// Rank 1 sends what it has received: after some pairs its receives wait for sends that wait for
// them.
TEST_P(every_pairing, sends_that_wait_for_the_receives) {
  constexpr int times = 40;
  messages receives, sends;
  engine e(env, options());
  const bool answers = env.rank() % 2 == 1;
  for (int i = 0; i < times; ++i) {
    message& in = receive(receives, peer, 0, long_bytes);
    message& out = outgoing(sends, i);
    e.enqueue(in);
    e.enqueue(out);
    e.post(answers ? in : out);
    while (answers && !in.done()) {
      (void)e.poll(true);
      std::this_thread::yield();
    }
    e.post(answers ? out : in);
    wait_for_all(e, receives);
    wait_for_all(e, sends);
  }
  expect_right(receives);
}

// Short and long ones, in one order on all ranks, posted in another on each: every message of a
// round is posted before any is waited for, so that all must come whatever is kept.
TEST_P(every_pairing, rounds_of_random_messages) {
  std::mt19937 same(5), own(static_cast<unsigned>(env.rank()));
  engine e(env, options());
  int number = 0;
  for (int round = 0; round < 30; ++round) {
    messages receives, sends;
    std::vector<message*> all;
    const int count = 1 + static_cast<int>(same() % 6);
    for (int i = 0; i < count; ++i) {
      const std::size_t bytes = same() % 4 == 0 ? 100 : long_bytes + same() % 1000;
      if (round % 3 != 1 || env.rank() % 2 == 0) all.push_back(&outgoing(sends, number + i, bytes));
      if (round % 3 != 1 || env.rank() % 2 == 1) all.push_back(&receive(receives, peer, 0, bytes));
    }
    for (message* one : all) e.enqueue(*one);
    std::shuffle(all.begin(), all.end(), own);
    for (message* one : all) e.post(*one);
    wait_for_all(e, receives);
    wait_for_all(e, sends);
    expect_right(receives, number);
    number += count;
  }
}

// The program's own calls, under the token, wait for the other rank, which waits for its send.
TEST_P(every_pairing, what_is_kept_starts_before_blocking_calls_of_the_program) {
  messages receives, sends;
  engine e(env, options());
  learn_pairs(e, receives, sends);
  message& last =
      env.rank() % 2 == 0 ? receive(receives, peer, 0, long_bytes) : outgoing(sends, pairs);
  e.enqueue(last);
  e.post(last);
  if (env.rank() % 2 == 1) wait_for_all(e, sends);
  if (!std::get<2>(GetParam())) {  // what the disturbance holds back it holds back
    mpi_token_guard guard(env.token());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  wait_for_all(e, receives);
  expect_right(receives);
}

// What is kept is given up like all else.
TEST_P(every_pairing, what_is_kept_when_a_rank_gives_up_is_given_up) {
  messages receives, sends, last;
  engine e(env, options());
  learn_pairs(e, receives, sends);
  env.barrier();
  message& unanswered = receive(last, peer, 1, long_bytes);
  e.enqueue(unanswered);
  e.post(unanswered);
  EXPECT_TRUE(e.cancel());
  EXPECT_TRUE(unanswered.done());
}

}  // namespace
}  // namespace plait::test
