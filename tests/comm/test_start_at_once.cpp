// SPDX-License-Identifier: BSD-3-Clause
// Sends that the engine starts at once.
#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"
#include "support/neighbours.hpp"

namespace plait::test {
namespace {

// What was started at once is taken over where it stands when others have completed meanwhile.
TEST(start_at_once, a_send_that_was_started_at_once_is_taken_over_wherever_it_stands) {
  environment& env = test_environment();
  const neighbours r(env);
  engine e(env, {.policy = progress::none});
  messages list;
  const auto post = [&](message& one) {
    e.enqueue(one);
    e.post(one);
  };
  const auto poll_until = [&e](const message& m) {
    for (int polls = 0; !m.done() && polls < 1'000'000; ++polls) (void)e.poll();
    return m.done();
  };
  message& begun = send(list, r.right, 5, pattern(1, 800));
  e.enqueue(begun);
  const bool is_under_way = e.start_at_once(begun, false) == engine::at_once::under_way;
  message& other = receive(list, r.left, 6, 8);
  message& ends_other = send(list, r.right, 6, pattern(2, 8));
  post(other);
  post(ends_other);
  EXPECT_TRUE(poll_until(other) && poll_until(ends_other));
  message& goes_on = send(list, r.right, 5, {});
  static_cast<operation&>(goes_on) = begun;
  if (is_under_way) e.post(goes_on);
  env.barrier();
  message& its_receive = receive(list, r.left, 5, 800);
  post(its_receive);
  EXPECT_TRUE(poll_until(its_receive));
  EXPECT_EQ(its_receive.data, pattern(1, 800));
  if (is_under_way) EXPECT_TRUE(poll_until(goes_on));
  EXPECT_FALSE(begun.done()) << "nobody is told of what was taken over, nor of what was over";
  env.barrier();
}

}  // namespace
}  // namespace plait::test
