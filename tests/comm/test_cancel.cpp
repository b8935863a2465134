// SPDX-License-Identifier: BSD-3-Clause
// A rank on which a task has failed gives its messages up.
#include <memory>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class cancel_policies : public ::testing::TestWithParam<progress> {};
INSTANTIATE_TEST_SUITE_P(cancel, cancel_policies,
                         ::testing::Values(progress::automatic, progress::dedicated,
                                           progress::sleeping, progress::workers, progress::none),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(cancel_policies, messages_that_nobody_meets_are_given_up) {
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  messages list;
  engine e(env, {.policy = GetParam()});
  receive(list, peer, 1, 100);
  receive(list, peer, 2, 1 << 20);
  send(list, peer, 3, pattern(1, 8));  // small: MPI takes it at once
  for (std::size_t i = 0; i < list.size(); ++i) e.enqueue(list[i]);
  for (std::size_t i = 0; i < list.size(); ++i) e.post(list[i]);
  EXPECT_FALSE(e.cancelled());
  EXPECT_TRUE(e.cancel(0.5));
  EXPECT_TRUE(e.cancelled());
  EXPECT_TRUE(e.idle());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].completions, 1) << "message " << i;
    EXPECT_EQ(list[i].failure_text(), "none") << "message " << i;
  }
  env.barrier();
}

TEST_P(cancel_policies, those_that_wait_for_their_turn_and_those_posted_later_are_given_up_too) {
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  messages list;
  engine e(env, {.policy = GetParam(),
                 .disturb = {.seed = 3, .probability = 0.5, .longest_delay_s = 1.0}});
  for (int k = 0; k < 200; ++k) e.enqueue(receive(list, peer, 1, 8));
  // The first of every residue is missing: the rest is parked.
  for (std::size_t k = 64; k < 150; ++k) e.post(list[k]);
  EXPECT_TRUE(e.cancel(0.5));
  for (std::size_t k = 150; k < 200; ++k) e.post(list[k]);
  // The proxy may hold the token, and completes then what was posted meanwhile.
  while (!e.idle()) (void)e.poll();
  { mpi_token_guard the_last_callback_is_over(env.token()); }
  for (std::size_t k = 64; k < 200; ++k) EXPECT_EQ(list[k].completions, 1) << "message " << k;
  EXPECT_TRUE(e.idle());
  env.barrier();
}

TEST_P(cancel_policies, messages_that_are_met_complete_before_the_patience_ends) {
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  messages list;
  engine e(env, {.policy = GetParam()});
  if (env.rank() == 0) {
    message& m = send(list, peer, 1, pattern(5, 1 << 20));
    e.enqueue(m);
    e.post(m);
    EXPECT_TRUE(e.cancel(60));
  } else {
    message& m = receive(list, peer, 1, 1 << 20);
    e.enqueue(m);
    e.post(m);
    wait_for_all(e, list);
    EXPECT_TRUE(m.data == pattern(5, 1 << 20));
    EXPECT_TRUE(e.cancel(0));
  }
  EXPECT_EQ(list[0].completions, 1);
  env.barrier();
}

// Both on persistent requests, which have been used before: MPI keeps them when they are cancelled.
TEST_P(cancel_policies, repeated_messages_that_nobody_meets_are_given_up_and_detached) {
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  for (const bool detached_first : {true, false}) {
    messages list;
    auto e = std::make_unique<engine>(
        env, engine_options{.policy = GetParam(), .persistent_requests = persistence::always});
    for (const std::size_t size : {std::size_t{100}, std::size_t{1} << 17}) {
      e->attach(receive(list, peer, 1, size));
      e->attach(send(list, peer, 1, pattern(1, size)));
    }
    enqueue_repeated(*e, list, 1000);
    for (int i = 0; i < 70; ++i) {
      begin_iteration(list);
      for (message& m : list) e->post(m);
      wait_for_all(*e, list);
    }
    begin_iteration(list);
    for (message& m : list) {
      if (m.what == operation::kind::receive || m.size_bytes == 100) e->post(m);
    }
    EXPECT_TRUE(e->cancel(10));
    for (const message& m : list) {
      const bool posted = m.what == operation::kind::receive || m.size_bytes == 100;
      EXPECT_EQ(m.completions, posted ? 1 : 0);
      EXPECT_EQ(m.failure_text(), "none");
    }
    if (detached_first) list.clear();
    e.reset();
    env.barrier();
  }
}

}  // namespace
}  // namespace plait::test
