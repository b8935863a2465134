// SPDX-License-Identifier: BSD-3-Clause
// Promises 2, 3, 4 and 6 for messages as tasks.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"
#include "support/neighbours.hpp"

namespace plait::test {
namespace {

void spin_us(long microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void expect_balance(const runtime& rt, const std::string& what) {
  for (const auto& e : rt.ledger()) {
    EXPECT_LT(e.balance_error(), 0.01)
        << what << ", worker " << e.worker << ": " << e.compute_s << " + " << e.posting_s << " + "
        << e.exposed_s << " + " << e.overhead_s << " + " << e.idle_s << " = " << e.wall_s;
  }
}

class configurations : public ::testing::TestWithParam<std::tuple<progress, int, std::size_t>> {
 protected:
  environment& env = test_environment();
  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers, in_flight] = GetParam();
    return {.engine = {.policy = policy}, .tasks = {.workers = workers, .in_flight = in_flight}};
  }
};
INSTANTIATE_TEST_SUITE_P(messages, configurations,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(1U, 2U, 4096U)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param)) + "_in_flight_" +
                                  std::to_string(std::get<2>(one.param));
                         });

TEST_P(configurations, recv_then_send_on_every_rank_does_not_deadlock) {
  const neighbours n(env);
  runtime rt{env, options()};
  std::vector<double> mine(50'000);
  std::vector<double> theirs(50'000, -1);
  for (int round = 0; round < 3; ++round) {
    rt.task(
        "fill", [](std::span<double> x, double value) { std::fill(x.begin(), x.end(), value); },
        out(std::span(mine)), n.rank + 10.0 * round);
    rt.recv("ghost", out(theirs), n.left);
    rt.send("edge", in(mine), n.right);
    rt.task(
        "check",
        [](std::span<const double> x, double value) {
          EXPECT_EQ(std::count(x.begin(), x.end(), value), 50'000);
        },
        in(std::span(theirs)), n.left + 10.0 * round);
  }
  rt.wait();
  EXPECT_LE(rt.peak_tasks(), options().tasks.in_flight);
}

// A token goes round the ring: every rank adds its rank + 1 each time.
TEST_P(configurations, a_value_that_goes_round_the_ring_gives_the_closed_form) {
  const neighbours n(env);
  constexpr int rounds = 15;
  runtime rt{env, options()};
  long value = 0;
  long incoming = 0;  // not `value`: a send to oneself may complete only when its receive is posted
  for (int round = 0; round < rounds; ++round) {
    // Rank 0 begins the first round with nothing received; the others wait for it.
    if (round > 0 || n.rank > 0) {
      rt.recv("token", out(incoming), n.left);
      rt.task(
          "take", [](long arrived, long& v) { v = arrived; }, in(incoming), out(value));
    }
    rt.task(
        "add", [](long& v, int rank) { v += rank + 1; }, inout(value), n.rank);
    if (round + 1 < rounds || n.rank + 1 < env.size()) rt.send("token", in(value), n.right);
  }
  rt.wait();
  const long ranks = env.size();
  const long full = ranks * (ranks + 1) / 2;
  const long r = n.rank;
  EXPECT_EQ(value, (rounds - 1) * full + (r + 1) * (r + 2) / 2);
}

TEST_P(configurations, the_ledger_balances) {
  const neighbours n(env);
  runtime rt{env, options()};
  rt.reset_ledger();
  std::vector<int> edge(1000);
  std::vector<int> ghost(1000);
  for (int round = 0; round < 10; ++round) {
    rt.recv("ghost", out(ghost), n.left);
    rt.send("edge", in(edge), n.right);
    rt.task("interior", [] { spin_us(300); });
    rt.task(
        "rim", [](const std::vector<int>&, std::vector<int>&) { spin_us(100); }, in(ghost),
        inout(edge));
  }
  rt.wait();
  expect_balance(rt, "ten rounds");
}

class matching : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
};
INSTANTIATE_TEST_SUITE_P(messages, matching, ::testing::ValuesIn(all_policies),
                         [](const auto& one) { return std::string(to_string(one.param)); });

// 200 messages on one tag: three times as many as may run out of order without waiting.
TEST_P(matching, the_kth_send_meets_the_kth_receive_whatever_becomes_ready_first) {
  constexpr std::size_t count = 200;
  const neighbours n(env);
  for (const int workers : {1, 3}) {
    runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = workers}}};
    std::mt19937 random(static_cast<unsigned>(n.rank) * 7 + static_cast<unsigned>(workers));
    std::vector<long> outgoing(count, -1);
    std::vector<long> incoming(count, -1);
    std::vector<int> gates(count);
    // Each buffer becomes ready after a task of random length and random priority.
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order) {
      const long duration = static_cast<long>(random() % 40);
      rt.task(
            "produce",
            [duration, k](long& x, int rank) {
              spin_us(duration);
              x = rank * 1000 + static_cast<long>(k);
            },
            out(outgoing[k]), n.rank)
          .priority(static_cast<priority>(random() % 3));
      const long other = static_cast<long>(random() % 40);
      rt.task(
          "make room", [other](long& x) { spin_us(other), x = -2; }, out(incoming[k]));
    }
    for (std::size_t k = 0; k < count; ++k) {
      rt.recv("number", out(incoming[k]), n.left, 5);
      rt.send("number", in(outgoing[k]), n.right, 5);
    }
    rt.wait();
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(incoming[k], n.left * 1000 + static_cast<long>(k))
          << "message " << k << " with " << workers << " workers";
    }
  }
}

TEST_P(matching, sends_that_become_ready_in_reverse_order_are_matched_in_order) {
  constexpr std::size_t count = 200;
  const neighbours n(env);
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  std::vector<long> outgoing(count, -1);
  std::vector<long> incoming(count, -1);
  int chain = 0;
  for (std::size_t k = count; k-- > 0;) {
    rt.task(
        "produce", [k](int&, long& x) { x = static_cast<long>(k); }, inout(chain),
        out(outgoing[k]));
  }
  for (std::size_t k = 0; k < count; ++k) rt.send("number", in(outgoing[k]), n.right, 0);
  for (std::size_t k = 0; k < count; ++k) rt.recv("number", out(incoming[k]), n.left, 0);
  rt.wait();
  for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(incoming[k], static_cast<long>(k));
}

TEST_P(matching, tags_and_directions_are_matched_apart) {
  const neighbours n(env);
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  constexpr int tags = 30;
  std::vector<int> to_right(tags);
  std::vector<int> to_left(tags);
  std::vector<int> from_right(tags, -1);
  std::vector<int> from_left(tags, -1);
  for (int t = 0; t < tags; ++t) {
    const auto i = static_cast<std::size_t>(t);
    to_right[i] = n.rank * 100 + t;
    to_left[i] = n.rank * 100 + t + 50;
    rt.send("right", in(to_right[i]), n.right, t);
    rt.send("left", in(to_left[i]), n.left, t + tags);
  }
  for (int t = tags; t-- > 0;) {
    const auto i = static_cast<std::size_t>(t);
    rt.recv("from right", out(from_right[i]), n.right, t + tags);
    rt.recv("from left", out(from_left[i]), n.left, t);
  }
  rt.wait();
  for (int t = 0; t < tags; ++t) {
    const auto i = static_cast<std::size_t>(t);
    EXPECT_EQ(from_left[i], n.left * 100 + t);
    EXPECT_EQ(from_right[i], n.right * 100 + t + 50);
  }
}

TEST_P(matching, a_receive_waits_until_its_buffer_may_be_overwritten) {
  const neighbours n(env);
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  int buffer = 0;
  std::vector<int> seen(50, -1);
  int next = n.rank * 1000;
  for (int& s : seen) {
    rt.send("value", in(next), n.right);
    rt.task(
        "next", [](int& x) { ++x; }, inout(next));
    rt.recv("value", out(buffer), n.left);
    rt.task(
        "read", [](const int& b, int& to) { to = b; }, in(buffer), out(s));
  }
  rt.wait();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], n.left * 1000 + static_cast<int>(i));
  }
}

// Small enough to be over when they have been started, if the library takes a copy.  On three ranks
// Open MPI is told not to: there a send goes on until its receive is posted.
TEST_P(matching, what_a_small_send_has_not_left_is_not_overwritten) {
  const neighbours n(env);
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  constexpr int rounds = 50;
  std::vector<int> next(200);
  std::vector<int> coming(200);
  const auto count_wrong = [](const std::vector<int>& came, int expected, long& wrong) {
    wrong += std::ranges::count_if(came, [&](int one) { return one != expected; });
  };
  long wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    rt.send("value", in(next), n.right);
    rt.task(
        "next", [](std::vector<int>& all, int value) { std::ranges::fill(all, value); },
        inout(next), round + 1);
    rt.task("delay", [] { spin_us(20); });
    rt.recv("value", out(coming), n.left);
    rt.task("count", count_wrong, in(coming), round, inout(wrong));
  }
  rt.wait();
  EXPECT_EQ(wrong, 0);
}

TEST_P(matching, messages_of_no_bytes_are_matched_too) {
  const neighbours n(env);
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 1}}};
  std::vector<int> nothing;
  int value = n.rank;
  int other = -1;
  rt.send("empty", in(nothing), n.right);
  rt.send("value", in(value), n.right);
  rt.recv("empty", out(nothing), n.left);
  rt.recv("value", out(other), n.left);
  rt.wait();
  EXPECT_EQ(other, n.left);
}

TEST(messages, peers_and_tags_out_of_range_are_refused_and_leave_the_runtime_usable) {
  environment& env = test_environment();
  const neighbours n(env);
  runtime rt{env, {.tasks = {.workers = 1}}};
  int x = n.rank;
  int y = -1;
  EXPECT_THROW(rt.send("far", in(x), env.size()), usage_error);
  EXPECT_THROW(rt.recv("far", out(y), -7), usage_error);  // -1 or -2 is MPI_PROC_NULL
  EXPECT_THROW(rt.send("tag", in(x), 0, -1), usage_error);
  EXPECT_THROW(rt.recv("tag", out(y), 0, 1 << 30), usage_error);
  rt.recv("right", out(y), n.left);
  rt.send("right", in(x), n.right);
  rt.wait();
  EXPECT_EQ(y, n.left);
}

TEST(messages, options_out_of_range_are_refused) {
  environment& env = test_environment();
  EXPECT_THROW(runtime(env, {.tasks = {.workers = -1}}), usage_error);
  EXPECT_THROW(runtime(env, {.tasks = {.workers = 1, .in_flight = std::size_t{1} << 30}}),
               usage_error);
  EXPECT_THROW(runtime(env, {.engine = {.worst_delay_s = 0}, .tasks = {.workers = 1}}),
               usage_error);
  EXPECT_THROW(runtime(env, {.engine = {.poll_every_s = -1}, .tasks = {.workers = 1}}),
               usage_error);
  env.barrier();
}

TEST(messages, zero_workers_is_this_ranks_share_of_the_cores) {
  environment& env = test_environment();
  runtime rt{env};
  EXPECT_GE(rt.workers(), 1);
  EXPECT_LE(rt.workers(),
            static_cast<int>(env.node_units()[static_cast<std::size_t>(env.node_rank())].size()));
}

TEST(messages, a_program_may_call_mpi_itself_under_the_token) {
  environment& env = test_environment();
  const neighbours n(env);
  runtime rt{env, {.tasks = {.workers = 2}}};
  std::vector<int> big(100'000, n.rank);
  std::vector<int> other(100'000, -1);
  rt.recv("big", out(other), n.left);
  rt.send("big", in(big), n.right);
  int sum = 0;
  {
    mpi_token_guard guard(env.token());
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, native(env));
  }
  rt.wait();
  EXPECT_EQ(sum, env.size());
  EXPECT_EQ(std::count(other.begin(), other.end(), n.left), 100'000);
}

TEST(messages, a_barrier_drives_what_is_in_flight) {
  environment& env = test_environment();
  const neighbours n(env);
  for (const progress policy : all_policies) {
    runtime rt{env, {.engine = {.policy = policy}, .tasks = {.workers = 1}}};
    std::vector<int> big(200'000, n.rank);
    std::vector<int> other(200'000, -1);
    rt.recv("big", out(other), n.left);
    rt.send("big", in(big), n.right);
    env.barrier();
    rt.wait();
    EXPECT_EQ(std::count(other.begin(), other.end(), n.left), 200'000) << to_string(policy);
  }
}

}  // namespace
}  // namespace plait::test
