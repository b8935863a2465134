// SPDX-License-Identifier: BSD-3-Clause
// Promise 5: failures surface, and do not hang, with messages in flight.
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class failure_policies : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const int peer = 1 - env.rank();
  [[nodiscard]] runtime_options options() const {
    return {.engine = {.policy = std::get<0>(GetParam())},
            .tasks = {.workers = std::get<1>(GetParam())}};
  }
};
INSTANTIATE_TEST_SUITE_P(failures, failure_policies,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 3)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param));
                         });

std::string thrown_by_wait(runtime& rt) {
  try {
    rt.wait();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

TEST_P(failure_policies, an_exception_with_a_receive_in_flight_is_rethrown) {
  runtime rt{env, options()};
  std::vector<int> ghost(100);
  int done = 0;
  rt.recv("never sent", out(ghost), peer);
  rt.task("throws", [] { throw std::runtime_error("singular"); });
  rt.task(
      "rim", [](const std::vector<int>&, int& d) { ++d; }, in(ghost), inout(done));
  EXPECT_EQ(thrown_by_wait(rt), "singular");
  EXPECT_EQ(done, 0);
  env.barrier();
}

TEST(failures, the_error_of_a_task_that_an_operation_on_a_window_meets_is_not_the_operations) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 2, .in_flight = 4}}};
  std::vector<int> flags(4);
  auto w = rt.window(flags);
  int x = 0;
  rt.task(
      "guilty", [](int&) { throw error("the task's own"); }, out(x));
  std::string said = "nothing";
  try {
    for (int i = 0; i < 1'000'000; ++i) rt.signal("innocent", w, env.rank(), inout(flags[0]));
    rt.wait();
  } catch (const error& e) {
    said = e.what();
  }
  EXPECT_EQ(said, "the task's own");
}

TEST_P(failure_policies, an_exception_with_a_small_send_in_flight_is_rethrown) {
  runtime rt{env, options()};
  std::vector<int> edge(10, 1);
  rt.send("never received", in(edge), peer);
  rt.task(
      "throws", [](const std::vector<int>&) { throw std::runtime_error("singular"); }, in(edge));
  EXPECT_EQ(thrown_by_wait(rt), "singular");
  env.barrier();
}

TEST_P(failure_policies, a_send_of_what_a_failed_task_should_have_made_is_dropped) {
  runtime rt{env, options()};
  std::vector<int> edge(10, 1);
  std::vector<int> ghost(10, -1);
  rt.task(
      "throws", [](std::vector<int>&) { throw std::runtime_error("no edge"); }, out(edge));
  rt.send("dropped", in(edge), peer);
  rt.recv("never comes", out(ghost), peer);
  EXPECT_EQ(thrown_by_wait(rt), "no edge");
  for (const int g : ghost) EXPECT_EQ(g, -1);
  env.barrier();
}

// With an in-flight limit of one, what waits for the message that never comes blocks the
// submission.
TEST_P(failure_policies, an_exception_while_the_in_flight_limit_is_reached_does_not_hang) {
  for (const std::size_t in_flight : {1U, 2U}) {
    runtime_options o = options();
    o.tasks.in_flight = in_flight;
    runtime rt{env, o};
    int x = 0;
    int y = 0;
    int z = 0;
    const auto program = [&] {
      rt.recv("x", out(x), peer);
      rt.task(
          "throws", [](int&) { throw std::runtime_error("early"); }, inout(z));
      rt.send("z", in(z), peer);
      for (int i = 0; i < 10; ++i) {
        rt.task(
            "uses x", [](const int& from, int& to) { to += from; }, in(x), inout(y));
      }
    };
    try {
      program();
    } catch (const std::exception& e) {
      EXPECT_STREQ(e.what(), "early") << "a message after the failure may say so already";
    }
    const std::string last = thrown_by_wait(rt);
    EXPECT_TRUE(last == "early" || last == "nothing") << last;
    EXPECT_EQ(y, 0);
    env.barrier();
  }
}

// Too large to be sent without a receive, and nobody else could receive it.
TEST_P(failure_policies, a_message_to_oneself_does_not_outlive_a_failure) {
  for (const std::size_t size : {10UL, 1UL << 21}) {
    runtime rt{env, options()};
    std::vector<char> sent(size);
    rt.send("to myself", in(sent), env.rank(), 5);
    rt.send("to myself", in(sent), env.rank(), 6);
    rt.task("throws", [] { throw std::runtime_error("once"); });
    EXPECT_EQ(thrown_by_wait(rt), "once");
    env.barrier();
  }
}

TEST_P(failure_policies, after_a_failure_tasks_run_and_messages_are_refused) {
  runtime rt{env, options()};
  int x = 0;
  rt.task("throws", [] { throw std::runtime_error("once"); });
  EXPECT_EQ(thrown_by_wait(rt), "once");
  EXPECT_THROW(rt.send("late", in(x), peer), error);
  rt.task(
      "add", [](int& n) { ++n; }, inout(x));
  rt.wait();
  EXPECT_EQ(x, 1);
  env.barrier();
}

TEST_P(failure_policies, after_a_failure_graphs_without_messages_run_and_others_are_refused) {
  runtime rt{env, options()};
  int x = 0;
  int y = 0;
  bool fails = false;
  const auto add = [&] {
    rt.task(
        "add",
        [](int& n, const bool& now) {
          if (now) throw std::runtime_error("once");
          ++n;
        },
        inout(x), in(fails));
  };
  graph alone = rt.record(add);
  graph with_messages = rt.record([&] {
    rt.recv("from peer", out(y), peer);
    rt.send("to peer", in(x), peer);
  });
  rt.replay(alone, 3).wait();
  EXPECT_EQ(x, 3);
  fails = true;
  rt.replay(alone, 3);
  EXPECT_EQ(thrown_by_wait(rt), "once");
  EXPECT_THROW(rt.replay(with_messages, 1), error);
  fails = false;
  rt.replay(alone, 3).wait();
  EXPECT_EQ(x, 6);
  graph later = rt.record(add);
  rt.replay(later, 2).wait();
  EXPECT_EQ(x, 8);
  env.barrier();
}

TEST_P(failure_policies, a_new_runtime_communicates_after_a_failure) {
  {
    runtime rt{env, options()};
    int unused = 0;
    rt.recv("never sent", out(unused), peer);
    rt.task("throws", [] { throw std::runtime_error("once"); });
    EXPECT_EQ(thrown_by_wait(rt), "once");
  }
  runtime rt{env, options()};
  int mine = env.rank();
  int theirs = -1;
  rt.recv("value", out(theirs), peer);
  rt.send("value", in(mine), peer);
  rt.wait();
  EXPECT_EQ(theirs, peer);
}

TEST_P(failure_policies, a_message_of_another_size_is_an_error_of_wait) {
  runtime rt{env, options()};
  std::vector<int> edge(10, 1);
  std::vector<int> ghost(12, -1);
  rt.send("edge", in(edge), peer, 3);  // first: after the failure it would be dropped
  rt.recv("ghost", out(ghost), peer, 3);
  EXPECT_EQ(thrown_by_wait(rt), "receive 'ghost' of 48 bytes from rank " + std::to_string(peer) +
                                    ", tag 3: the message sent has 40 bytes");
  env.barrier();
}

TEST_P(failure_policies, one_rank_may_fail_when_the_other_needs_nothing_from_it) {
  runtime rt{env, options()};
  int x = 0;
  if (env.rank() == 0) {
    rt.task("throws", [] { throw std::runtime_error("only here"); });
    EXPECT_EQ(thrown_by_wait(rt), "only here");
  } else {
    rt.task(
        "add", [](int& n) { ++n; }, inout(x));
    rt.wait();
    EXPECT_EQ(x, 1);
  }
  env.barrier();
}

TEST_P(failure_policies, the_ledger_balances_after_a_failure) {
  runtime rt{env, options()};
  int x = 0;
  rt.recv("never sent", out(x), peer);
  rt.task("throws", [] { throw std::runtime_error("once"); });
  EXPECT_EQ(thrown_by_wait(rt), "once");
  env.barrier();
  // Long enough that the microsecond between the readings of two clocks is nothing.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const auto& e : rt.ledger()) {
    EXPECT_LT(e.balance_error(), 0.01)
        << "worker " << e.worker << ": " << e.compute_s << " + " << e.posting_s << " + "
        << e.exposed_s << " + " << e.overhead_s << " + " << e.idle_s << " = " << e.wall_s;
  }
}

}  // namespace
}  // namespace plait::test
