// SPDX-License-Identifier: BSD-3-Clause
// Messages that the engine starts before they have a place where they stay.
#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>
#include <plait/core/error.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"
#include "support/neighbours.hpp"

namespace plait::test {
namespace {

struct start_at_once : ::testing::Test {
  environment& env = test_environment();
  const neighbours r{env};
  engine e{env, {.policy = progress::none}};
  messages list;

  void post(message& one) {
    e.enqueue(one);
    e.post(one);
  }
  bool poll_until(const message& m) {
    for (int polls = 0; !m.done() && polls < 1'000'000; ++polls) (void)e.poll();
    return m.done();
  }
};

/// A message that begins here, and the one that goes on for it if it has to.
struct begun_message : operation {
  message* goes_on;
  bool is_succeeded = false;

  static operation& succeeds(operation& begun) noexcept {
    auto& self = static_cast<begun_message&>(begun);
    self.is_succeeded = true;
    static_cast<operation&>(*self.goes_on) = begun;
    return *self.goes_on;
  }
};

TEST_F(start_at_once, a_send_that_is_under_way_is_gone_on_with_where_it_stays) {
  message& goes_on = send(list, r.right, 5, pattern(1, 800));
  engine::at_once became;
  bool is_succeeded;
  {
    begun_message begun{goes_on, &goes_on};
    became = e.enqueue_and_start(begun, {}, &begun_message::succeeds);
    is_succeeded = begun.is_succeeded;
    static_cast<operation&>(begun) = {};
  }
  ASSERT_NE(became, engine::at_once::later);
  EXPECT_EQ(is_succeeded, became == engine::at_once::under_way);
  message& other = receive(list, r.left, 6, 8);
  message& ends_other = send(list, r.right, 6, pattern(2, 8));
  post(other);
  post(ends_other);
  EXPECT_TRUE(poll_until(other) && poll_until(ends_other));
  env.barrier();
  message& its_receive = receive(list, r.left, 5, 800);
  post(its_receive);
  EXPECT_TRUE(poll_until(its_receive));
  EXPECT_EQ(its_receive.data, pattern(1, 800));
  if (is_succeeded) EXPECT_TRUE(poll_until(goes_on));
  EXPECT_EQ(goes_on.done(), is_succeeded) << "nobody is told of what was over";
  env.barrier();
}

TEST_F(start_at_once, a_receive_that_is_under_way_is_gone_on_with_where_it_stays) {
  message& goes_on = receive(list, r.left, 7, 8);
  begun_message begun{goes_on, &goes_on};
  ASSERT_EQ(e.enqueue_and_start(begun, {}, &begun_message::succeeds), engine::at_once::under_way);
  ASSERT_TRUE(begun.is_succeeded);
  static_cast<operation&>(begun) = {};
  env.barrier();
  message& sent = send(list, r.right, 7, pattern(3, 8));
  post(sent);
  EXPECT_TRUE(poll_until(goes_on) && poll_until(sent));
  EXPECT_EQ(goes_on.data, pattern(3, 8));
  env.barrier();
}

TEST_F(start_at_once, what_has_no_rank_to_go_to_has_no_channel) {
  message& wrong = send(list, env.size(), 5, pattern(1, 8));
  begun_message begun{wrong, &wrong};
  EXPECT_THROW((void)e.enqueue_and_start(begun, {}, &begun_message::succeeds), usage_error);
  EXPECT_EQ(begun.via, nullptr);
}

TEST_F(start_at_once, nothing_is_enqueued_once_communication_is_given_up) {
  EXPECT_TRUE(e.cancel());
  message& late = send(list, r.right, 5, pattern(1, 8));
  begun_message begun{late, &late};
  EXPECT_EQ(e.enqueue_and_start(begun, {}, &begun_message::succeeds), engine::at_once::later);
  EXPECT_EQ(begun.via, nullptr);
}

}  // namespace
}  // namespace plait::test
