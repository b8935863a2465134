// SPDX-License-Identifier: BSD-3-Clause
// What an idle worker is told to do between two looks, on a core that ranks share.  These tests
// count looks, and no clock.
#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>
#include <plait/task/progress_source.hpp>

#include "comm/message.hpp"
#include "look/numbers.hpp"
#include "look/spinning.hpp"
#include "runtime/engine_source.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class idle_wait : public ::testing::Test {
 protected:
  /// Looks in turn until it is told to sleep; at most once more than it may.
  [[nodiscard]] int looks_in_turn() {
    int looks = 0;
    while (looks <= look_numbers::looks_in_turn && worker.idle_wait(0) == 0) {
      (void)worker.poll(true);
      ++looks;
    }
    return looks;
  }
  /// Passes 8 bytes around the ring once nobody has looked any more for this rank's.
  void wait_in_vain_and_pass_on(int tag) {
    messages list;
    message& from_left = receive(list, left, tag, 8);
    message& to_right = send(list, right, tag, pattern(static_cast<std::uint64_t>(rank), 8));
    e.enqueue(from_left);
    e.enqueue(to_right);
    e.post(from_left);
    EXPECT_EQ(looks_in_turn(), look_numbers::looks_in_turn);
    EXPECT_GE(worker.idle_wait(0), e.shortest_sleep()) << "no look of a sleeper comes sooner";
    env.barrier();
    e.post(to_right);
    wait_for_all(e, list);
    EXPECT_EQ(from_left.data, pattern(static_cast<std::uint64_t>(left), 8));
  }

  environment& env = test_environment();
  const int rank = env.rank();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  engine e{env, {.policy = progress::workers}};
  engine_source worker{e, true};
};

TEST_F(idle_wait, on_a_shared_core_is_to_look_in_turn_and_then_to_sleep) {
  wait_in_vain_and_pass_on(7);
}

TEST_F(idle_wait, on_a_shared_core_begins_anew_with_every_message) {
  wait_in_vain_and_pass_on(8);
  wait_in_vain_and_pass_on(9);
}

TEST_F(idle_wait, ends_where_nothing_is_in_flight) {
  EXPECT_EQ(worker.idle_wait(0), progress_source::never);
}

TEST_F(idle_wait, at_a_fixed_interval_has_no_looks_in_turn) {
  constexpr double hour_s = 3600;
  engine rare(env, {.policy = progress::workers, .poll_every_s = hour_s});
  engine_source slow(rare, true);
  messages list;
  receive(list, left, 7, 8);
  post_all(rare, list);
  EXPECT_GT(slow.idle_wait(0), seconds_to_ticks(hour_s / 2));
  env.barrier();
  messages sends;
  send(sends, right, 7, pattern(1, 8));
  post_all(rare, sends);
  wait_for_all(rare, list);
  wait_for_all(rare, sends);
}

}  // namespace
}  // namespace plait::test
