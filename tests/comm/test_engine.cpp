// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>
#include <plait/core/error.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"
#include "support/neighbours.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

class engine_policies : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  [[nodiscard]] engine_options options() const { return {.policy = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(engine, engine_policies,
                         ::testing::Values(progress::automatic, progress::dedicated,
                                           progress::sleeping, progress::workers, progress::none),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(engine_policies, a_ring_passes_values_around) {
  const neighbours r(env);
  engine e(env, options());
  for (int round = 0; round < 20; ++round) {
    messages list;
    message& from_left = receive(list, r.left, 7, 24);
    send(list, r.right, 7, pattern(key(r.rank, 7, round), 24));
    post_all(e, list);
    wait_for_all(e, list);
    ASSERT_EQ(from_left.data, pattern(key(r.left, 7, round), 24)) << "round " << round;
  }
  EXPECT_TRUE(e.idle());
  EXPECT_EQ(e.statistics().operations, 40U);
}

// Who is told of the last completion may ask at once, or end the engine (that is, ask later).
TEST(engine, is_idle_when_the_last_message_has_completed_whoever_started_it) {
  struct probe : message {
    using message::message;
    engine* asked = nullptr;
    std::atomic<bool> entered{false};
    std::atomic<bool> may_end{false};
    std::atomic<bool> was_idle{false};
  };
  environment& env = test_environment();
  const neighbours r(env);
  engine e(env, {.policy = progress::dedicated});
  const auto data = pattern(1, 8);
  probe in(operation::kind::receive, r.left, 1, std::vector<unsigned char>(8));
  in.completed = [](operation& op, const std::exception_ptr&) noexcept {
    auto& self = static_cast<probe&>(op);
    self.entered = true;
    while (!self.may_end) std::this_thread::yield();
    self.completions = 1;
  };
  messages first;
  send(first, r.right, 1, data);
  probe last(operation::kind::send, r.right, 2, data);  // MPI copies it: complete when started
  last.asked = &e;
  last.completed = [](operation& op, const std::exception_ptr&) noexcept {
    auto& self = static_cast<probe&>(op);
    self.was_idle = self.asked->idle();
    self.completions = 1;
  };
  e.enqueue(in);
  e.enqueue(first.front());
  e.enqueue(last);
  e.post(first.front());
  while (!first.front().done()) std::this_thread::yield();
  e.post(in);
  while (!in.entered) std::this_thread::yield();
  e.post(last);  // the proxy has the token and starts it
  in.may_end = true;
  while (!last.done()) std::this_thread::yield();
  EXPECT_TRUE(last.was_idle);
  messages drop;
  receive(drop, r.left, 2, 8);
  post_all(e, drop);
  wait_for_all(e, drop);
}

/// What one more waits for is no reason to ask for all the others: many would take the square of
/// their number.
TEST(engine, those_that_wait_are_not_asked_when_one_more_waits) {
  struct waiting : awaited {
    int* asked = nullptr;
    const bool* over = nullptr;
    int* ended = nullptr;
  };
  environment& env = test_environment();
  engine e(env, {.policy = progress::none});
  int asked = 0;
  int ended = 0;
  bool over = false;
  std::vector<waiting> all(100);
  for (waiting& one : all) {
    one.finished = [](awaited& self) {
      auto& me = static_cast<waiting&>(self);
      ++*me.asked;
      return *me.over;
    };
    one.completed = [](awaited& self) noexcept { ++*static_cast<waiting&>(self).ended; };
    one.asked = &asked;
    one.over = &over;
    one.ended = &ended;
    e.watch(one);
  }
  EXPECT_EQ(asked, 0);
  (void)e.poll();
  EXPECT_EQ(asked, 100);
  EXPECT_EQ(ended, 0);
  over = true;
  (void)e.poll();
  EXPECT_EQ(ended, 100);
  EXPECT_TRUE(e.idle());
}

TEST_P(engine_policies, sizes_from_nothing_to_4_MiB_arrive_whole) {
  const neighbours r(env);
  engine e(env, options());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4095},
                                 std::size_t{65537}, std::size_t{1} << 20, std::size_t{4} << 20}) {
    messages list;
    message& from_left = receive(list, r.left, 0, size);
    send(list, r.right, 0, pattern(key(r.rank, 0, 1), size));
    post_all(e, list);
    wait_for_all(e, list);
    EXPECT_EQ(from_left.failure_text(), "none") << size << " bytes";
    EXPECT_TRUE(from_left.data == pattern(key(r.left, 0, 1), size)) << size << " bytes";
  }
}

TEST_P(engine_policies, many_tags_do_not_mix_in_whatever_order_they_are_posted) {
  constexpr int tags = 200;
  const neighbours r(env);
  engine e(env, options());
  messages receives;
  messages sends;
  for (int t = 0; t < tags; ++t) e.enqueue(receive(receives, r.left, t * 37, 8));
  for (int t = tags; t-- > 0;)
    e.enqueue(send(sends, r.right, t * 37, pattern(key(r.rank, t, 0), 8)));
  for (message& m : receives) e.post(m);
  for (message& m : sends) e.post(m);
  wait_for_all(e, sends);
  wait_for_all(e, receives);
  for (int t = 0; t < tags; ++t) {
    EXPECT_EQ(receives[static_cast<std::size_t>(t)].data, pattern(key(r.left, t, 0), 8)) << t;
  }
}

// More than twice as many as there are residues, so that the order within one is exercised too.
TEST_P(engine_policies, of_many_receives_any_is_found_by_who_polls_without_pause) {
  const neighbours r(env);
  engine e(env, options());
  constexpr int count = 150;
  messages receives;
  for (int tag = 0; tag < count; ++tag) receive(receives, r.left, tag, 16);
  post_all(e, receives);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  for (const int tag : order) {
    messages one;
    send(one, r.right, tag, pattern(key(r.rank, tag, 0), 16));
    post_all(e, one);
    const message& wanted = receives[static_cast<std::size_t>(tag)];
    while (!wanted.done() || !one.front().done()) (void)e.poll(true);
    ASSERT_EQ(wanted.data, pattern(key(r.left, tag, 0), 16)) << "tag " << tag;
  }
}

TEST_P(engine_policies, the_kth_send_meets_the_kth_receive_in_whatever_order_they_are_posted) {
  constexpr int count = 200;
  const neighbours r(env);
  engine e(env, options());
  for (const bool reverse : {true, false}) {
    messages receives;
    messages sends;
    for (int k = 0; k < count; ++k) {
      e.enqueue(receive(receives, r.left, 3, 16));
      e.enqueue(send(sends, r.right, 3, pattern(key(r.rank, 3, k), 16)));
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937 random(static_cast<unsigned>(r.rank));
    if (reverse) {
      std::reverse(order.begin(), order.end());
    } else {
      std::shuffle(order.begin(), order.end(), random);
    }
    for (const std::size_t k : order) e.post(sends[k]);
    if (!reverse) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order) e.post(receives[k]);
    wait_for_all(e, sends);
    wait_for_all(e, receives);
    for (int k = 0; k < count; ++k) {
      ASSERT_EQ(receives[static_cast<std::size_t>(k)].data, pattern(key(r.left, 3, k), 16))
          << "message " << k;
    }
  }
}

TEST_P(engine_policies, disturbance_changes_nothing_but_the_order_of_events) {
  constexpr int count = 150;
  const neighbours r(env);
  engine_options o = options();
  o.disturb = {.seed = 11, .probability = 0.5, .longest_delay_s = 2e-4};
  engine e(env, o);
  messages receives;
  messages sends;
  for (int k = 0; k < count; ++k) {
    e.enqueue(receive(receives, r.left, k % 2, 16));
    e.enqueue(send(sends, r.right, k % 2, pattern(key(r.rank, k % 2, k), 16)));
  }
  for (std::size_t k = 0; k < count; ++k) {
    e.post(sends[k]);
    e.post(receives[k]);
  }
  wait_for_all(e, sends);
  wait_for_all(e, receives);
  for (int k = 0; k < count; ++k) {
    const message& m = receives[static_cast<std::size_t>(k)];
    ASSERT_EQ(m.data, pattern(key(r.left, k % 2, k), 16)) << "message " << k;
    ASSERT_EQ(m.completions, 1);
  }
}

TEST_P(engine_policies, threads_may_post_at_once) {
  constexpr int threads = 3;
  constexpr int each = 60;
  const neighbours r(env);
  engine e(env, options());
  messages receives;
  messages sends;
  for (int k = 0; k < threads * each; ++k) {
    e.enqueue(receive(receives, r.left, k % 5, 8));
    e.enqueue(send(sends, r.right, k % 5, pattern(key(r.rank, 5, k), 8)));
  }
  std::vector<std::thread> posters;
  for (std::size_t t = 0; t < threads; ++t) {
    posters.emplace_back([&, t] {
      for (std::size_t k = t; k < threads * each; k += threads) {
        e.post(receives[k]);
        e.post(sends[k]);
      }
    });
  }
  for (auto& t : posters) t.join();
  wait_for_all(e, sends);
  wait_for_all(e, receives);
  for (int k = 0; k < threads * each; ++k) {
    ASSERT_EQ(receives[static_cast<std::size_t>(k)].data, pattern(key(r.left, 5, k), 8)) << k;
  }
  EXPECT_TRUE(e.idle());
}

TEST_P(engine_policies, flight_time_passes_only_while_something_is_in_flight) {
  const neighbours r(env);
  engine e(env, options());
  EXPECT_EQ(e.in_flight_until(now_ticks()), 0);
  messages list;
  receive(list, r.left, 0, 8);
  send(list, r.right, 0, pattern(1, 8));
  post_all(e, list);
  wait_for_all(e, list);
  env.barrier();
  // The proxy that completed the last one may still be landing.
  while (e.in_flight_until(now_ticks()) != e.in_flight_until(now_ticks() + seconds_to_ticks(1))) {
    std::this_thread::yield();
  }
  const ticks before = e.in_flight_until(now_ticks());
  EXPECT_EQ(e.in_flight_until(now_ticks()), before);
}

TEST_P(engine_policies, two_engines_do_not_hear_each_other) {
  const neighbours r(env);
  engine a(env, options());
  engine b(env, options());
  messages of_a;
  messages of_b;
  receive(of_a, r.left, 0, 8);
  send(of_a, r.right, 0, pattern(1, 8));
  receive(of_b, r.left, 0, 8);
  send(of_b, r.right, 0, pattern(2, 8));
  for (message& m : of_a) a.enqueue(m);
  for (message& m : of_b) b.enqueue(m);
  for (message& m : of_b) b.post(m);
  for (message& m : of_a) a.post(m);
  wait_for_all(a, of_a);
  wait_for_all(b, of_b);
  EXPECT_EQ(of_a[0].data, pattern(1, 8));
  EXPECT_EQ(of_b[0].data, pattern(2, 8));
}

TEST_P(engine_policies, the_policy_in_force_is_told) {
  engine e(env, options());
  const auto& c = e.chosen();
  EXPECT_FALSE(c.reason.empty());
  if (GetParam() == progress::automatic) {
    EXPECT_NE(c.reason.find("worker"), std::string::npos) << c.reason;
  } else {
    EXPECT_EQ(c.name, to_string(GetParam()));
  }
  EXPECT_EQ(c.proxy, GetParam() == progress::dedicated || GetParam() == progress::sleeping ||
                         GetParam() == progress::automatic);
}

TEST_P(engine_policies, a_message_smaller_than_its_receive_is_an_error_that_names_both_sizes) {
  const neighbours r(env);
  engine e(env, options());
  messages list;
  message& from_left = receive(list, r.left, 9, 100);
  send(list, r.right, 9, pattern(1, 60));
  post_all(e, list);
  wait_for_all(e, list);
  EXPECT_EQ(from_left.failure_text(), "receive of 100 bytes from rank " + std::to_string(r.left) +
                                          ", tag 9: the message sent has 60 bytes");
  EXPECT_EQ(list[1].failure_text(), "none");
}

TEST_P(engine_policies, a_message_larger_than_its_receive_is_an_error_that_says_so) {
  const neighbours r(env);
  if (r.left == r.rank) return;  // Open MPI 4.1 cuts messages to oneself without a word
  engine e(env, options());
  messages list;
  message& from_left = receive(list, r.left, 9, 60);
  send(list, r.right, 9, pattern(1, 100));
  post_all(e, list);
  wait_for_all(e, list);
  const std::string text = from_left.failure_text();
  EXPECT_EQ(text.find("receive of 60 bytes from rank " + std::to_string(r.left) + ", tag 9: "), 0U)
      << text;
  EXPECT_NE(text.find("larger"), std::string::npos) << text;
}

std::string refusal(engine& e, operation::kind what, int peer, int tag) {
  message m(what, peer, tag, {});
  return test::refusal([&] { e.enqueue(m); });
}

TEST(engine, a_peer_or_tag_out_of_range_is_refused) {
  environment& env = test_environment();
  engine e(env, {.policy = progress::none});
  using kind = operation::kind;
  const std::string ranks = "ranks are 0 to " + std::to_string(env.size() - 1);
  EXPECT_EQ(refusal(e, kind::send, -1, 0), "send to rank -1; " + ranks);
  EXPECT_EQ(refusal(e, kind::receive, env.size(), 0),
            "receive from rank " + std::to_string(env.size()) + "; " + ranks);
  EXPECT_NE(refusal(e, kind::send, 0, -1).find("send: tag -1; tags are 0 to "), std::string::npos);
  EXPECT_NE(refusal(e, kind::send, 0, e.largest_tag() + 1).find("tags are 0 to "),
            std::string::npos);
  EXPECT_GE(e.largest_tag(), 511) << "MPI promises 32768 tags, of which 64 make one";
}

TEST(engine, the_largest_tag_works) {
  environment& env = test_environment();
  const neighbours r(env);
  engine e(env, {.policy = progress::none});
  messages list;
  message& from_left = receive(list, r.left, e.largest_tag(), 8);
  send(list, r.right, e.largest_tag(), pattern(3, 8));
  post_all(e, list);
  wait_for_all(e, list);
  EXPECT_EQ(from_left.data, pattern(3, 8));
}

TEST(engine, a_delay_that_is_not_positive_is_refused) {
  for (const double delay : {0.0, -1.0}) {
    EXPECT_THROW(engine(test_environment(), {.worst_delay_s = delay}), usage_error);
  }
  EXPECT_THROW(engine(test_environment(), {.poll_every_s = -1}), usage_error);
}

// Passes 8 bytes around the ring; nobody may look at the receive for so long before.
void expect_no_look_for(engine& e, const neighbours& r, std::chrono::milliseconds time) {
  messages receives;
  const message& from_left = receive(receives, r.left, 5, 8);
  post_all(e, receives);
  std::this_thread::sleep_for(time);
  EXPECT_EQ(e.statistics().polls, 0U);
  messages sends;
  send(sends, r.right, 5, pattern(3, 8));
  post_all(e, sends);
  while (!from_left.done() || !sends.front().done()) (void)e.poll();
  EXPECT_EQ(from_left.data, pattern(3, 8));
}

// Of an hour: the schedule would have looked 20 us after the post.
TEST(engine, at_a_fixed_interval_nobody_looks_earlier) {
  environment& env = test_environment();
  engine e(env, {.policy = progress::sleeping, .poll_every_s = 3600});
  EXPECT_NE(e.chosen().reason.find("within 3.6e+03 s"), std::string::npos) << e.chosen().reason;
  expect_no_look_for(e, neighbours(env), std::chrono::milliseconds(20));
}

// A proxy that begins meanwhile may find the receive posted and not started.
TEST(engine, at_a_fixed_interval_a_proxy_that_begins_does_not_look_either) {
  environment& env = test_environment();
  const neighbours r(env);
  for (int round = 0; round < 50; ++round) {
    engine e(env, {.policy = progress::sleeping, .poll_every_s = 3600});
    expect_no_look_for(e, r, std::chrono::milliseconds(1));
  }
}

TEST(engine, at_a_fixed_interval_the_proxy_completes_messages) {
  environment& env = test_environment();
  const neighbours r(env);
  engine e(env, {.policy = progress::sleeping, .worst_delay_s = 3600, .poll_every_s = 1e-3});
  messages list;
  message& from_left = receive(list, r.left, 5, 8);
  send(list, r.right, 5, pattern(3, 8));
  post_all(e, list);
  wait_for_all(e, list);
  EXPECT_EQ(from_left.data, pattern(3, 8));
}

}  // namespace
}  // namespace plait::test
