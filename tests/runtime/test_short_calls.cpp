// SPDX-License-Identifier: BSD-3-Clause
// Collective calls of a few bytes that repeat: each is one task, and may end while it is submitted.
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class short_call_policies : public ::testing::TestWithParam<std::tuple<progress, int>> {
 protected:
  environment& env = test_environment();
  const std::int64_t rank = env.rank();
  const std::int64_t ranks = env.size();
  const std::int64_t sum_of_ranks = ranks * (ranks - 1) / 2;
  [[nodiscard]] runtime_options options() const {
    return {.engine = {.policy = std::get<0>(GetParam())},
            .tasks = {.workers = std::get<1>(GetParam())}};
  }
};
INSTANTIATE_TEST_SUITE_P(short_calls, short_call_policies,
                         ::testing::Combine(::testing::ValuesIn(all_policies),
                                            ::testing::Values(1, 3)),
                         [](const auto& one) {
                           return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
                                  std::to_string(std::get<1>(one.param));
                         });

void doze(std::int64_t us) {
  std::this_thread::sleep_for(std::chrono::microseconds(us));
}

/// More calls on one value than are kept for it, between tasks on the same value.
TEST_P(short_call_policies, calls_on_one_value_follow_each_other_and_its_tasks) {
  runtime rt{env, options()};
  constexpr std::int64_t steps = 100;
  std::int64_t value = 0;
  std::int64_t seen = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    rt.task(
        "own",
        [r = rank, step](std::int64_t& v) {
          if ((r + step) % 16 == 0) doze(50);
          v = r * (step + 1);
        },
        out(value));
    rt.allreduce("total", inout(value));
    rt.task(
        "check",
        [expected = sum_of_ranks * (step + 1)](const std::int64_t& v, std::int64_t& right) {
          right += v == expected ? 1 : 0;
        },
        in(value), inout(seen));
    const int root = static_cast<int>(step % ranks);
    if (rank == root) {
      rt.task(
          "root's", [step](std::int64_t& v) { v = -step; }, out(value));
    }
    rt.bcast("word", inout(value), root);
    rt.task(
        "check",
        [step](const std::int64_t& v, std::int64_t& right) { right += v == -step ? 1 : 0; },
        in(value), inout(seen));
  }
  rt.wait();
  EXPECT_EQ(seen, 2 * steps);
}

/// Values of which more are in turn than calls are remembered, and none is waited for.
TEST_P(short_call_policies, calls_on_many_values_overtake_each_other) {
  runtime rt{env, options()};
  constexpr std::size_t values = 50;
  std::vector<std::int64_t> x(values);
  std::vector<std::int64_t> sums(values);
  std::vector<std::int64_t> prefixes(values);
  for (std::int64_t round = 1; round <= 3; ++round) {
    for (std::size_t repeat = 0; repeat < 2; ++repeat) {  // a call is known from its second time on
      for (std::size_t i = 0; i < values; ++i) {
        rt.task(
            "own",
            [r = rank, round, i](std::int64_t& v) {
              if ((static_cast<std::size_t>(r) + i) % 32 == 0) doze(20);
              v = r * round + static_cast<std::int64_t>(i);
            },
            out(x[i]));
        for (int again = 0; again < 2; ++again) {
          rt.allreduce("sum", in(x[i]), out(sums[i]));
          rt.scan("prefix", in(x[i]), out(prefixes[i]));
        }
        rt.barrier("all", inout(x[i]));
        rt.barrier("all", inout(x[i]));
      }
    }
    rt.wait();
    for (std::size_t i = 0; i < values; ++i) {
      const auto each = static_cast<std::int64_t>(i);
      ASSERT_EQ(sums[i], sum_of_ranks * round + ranks * each) << "value " << i;
      ASSERT_EQ(prefixes[i], rank * (rank + 1) / 2 * round + (rank + 1) * each) << "value " << i;
    }
  }
}

/// The last rank's value comes late: those who read the sum wait, others do not.
TEST_P(short_call_policies, a_call_that_waits_for_a_late_rank_keeps_nobody_else) {
  runtime rt{env, options()};
  std::int64_t late = 0;
  std::int64_t other = 0;
  std::int64_t other_sum = 0;
  for (std::int64_t step = 0; step < 8; ++step) {
    rt.task(
        "late",
        [is_last = rank + 1 == ranks, step](std::int64_t& v) {
          if (is_last) doze(2000);
          v = step;
        },
        out(late));
    rt.allreduce("late sum", inout(late));
    rt.task(
        "other", [step](std::int64_t& v) { v = -step; }, out(other));
    rt.reduce("other sum", in(other), out(other_sum), 0);
  }
  rt.wait();
  EXPECT_EQ(late, 7 * ranks);
  EXPECT_EQ(other_sum, rank == 0 ? -7 * ranks : 0);
}

/// A call that is waited for at once, one after another: with ranks that come late, in turns.
TEST_P(short_call_policies, calls_that_the_program_waits_for_one_by_one) {
  runtime rt{env, options()};
  std::int64_t value = 0;
  std::int64_t prefix = 0;
  std::int64_t seen = -1;
  for (std::int64_t step = 0; step < 200; ++step) {
    if (step % 20 == 7 && step % ranks == rank) doze(step % 40 == 7 ? 100 : 3000);
    value = rank + step;
    rt.allreduce("total", inout(value));
    rt.wait();
    ASSERT_EQ(value, sum_of_ranks + ranks * step) << "step " << step;
    rt.bcast("word", inout(value), static_cast<int>(step % ranks));
    rt.scan("prefix", in(value), out(prefix));  // before the first is over
    rt.wait();
    ASSERT_EQ(prefix, (rank + 1) * (sum_of_ranks + ranks * step)) << "step " << step;
    rt.allreduce("total", inout(value));
    rt.task(
        "see", [](const std::int64_t& from, std::int64_t& to) { to = from; }, in(value), out(seen));
    rt.wait();
    ASSERT_EQ(seen, ranks * (sum_of_ranks + ranks * step)) << "step " << step;
    rt.allreduce("total", inout(value));
    rt.wait_on(value);
    ASSERT_EQ(value, ranks * seen) << "step " << step;
    rt.barrier("all", inout(value));
    rt.wait();
  }
}

/// What begins behind a call that goes on: messages, and calls among the same ranks.
TEST_P(short_call_policies, messages_and_calls_behind_one_that_goes_on) {
  runtime rt{env, options()};
  const int right = static_cast<int>((rank + 1) % ranks);
  const int left = static_cast<int>((rank + ranks - 1) % ranks);
  std::int64_t sum = 0;
  std::int64_t other = 0;
  std::int64_t mine = 0;
  std::int64_t came = 0;
  for (std::int64_t step = 0; step < 100; ++step) {
    if (step % 10 == 3 && step % ranks == rank) doze(500);
    sum = rank;
    other = 2 * rank;
    mine = rank * 1000 + step;
    rt.allreduce("sum", inout(sum));
    rt.send("edge", in(mine), right, 3);
    rt.allreduce("other", inout(other));
    rt.recv("edge", out(came), left, 3);
    if (step % 2 == 0) rt.send("sum", in(sum), right, 4);
    std::int64_t his = -1;
    if (step % 2 == 0) rt.recv("sum", out(his), left, 4);
    rt.wait();
    ASSERT_EQ(sum, sum_of_ranks) << "step " << step;
    ASSERT_EQ(other, 2 * sum_of_ranks) << "step " << step;
    ASSERT_EQ(came, left * 1000 + step) << "step " << step;
    if (step % 2 == 0) {
      ASSERT_EQ(his, sum_of_ranks) << "step " << step;
    }
  }
}

TEST_P(short_call_policies, an_operation_that_throws_ends_the_runtime_with_the_calls_name) {
  if (ranks > 2) return;  // of more, some would wait for what others do not send any more
  std::string said = "nothing";
  {
    runtime rt{env, options()};
    std::int64_t value = 1;
    int calls = 0;
    const auto throws_at_last = [&calls](const std::int64_t& a, const std::int64_t& b) {
      if (calls == 4) throw std::runtime_error("no sum");
      return a + b;
    };
    try {
      for (calls = 0; calls < 5; ++calls) {
        rt.allreduce("total", inout(value), throws_at_last);
        rt.wait();
      }
    } catch (const std::exception&) {
      said = exception_text(std::current_exception());
    }
  }
  EXPECT_EQ(said, ranks == 1 ? "nothing" : "task 'total': no sum");
  env.barrier();
}

TEST_P(short_call_policies, a_task_that_fails_ends_the_calls_in_flight) {
  {
    runtime rt{env, options()};
    std::vector<std::int64_t> values(8, rank);
    for (int i = 0; i < 3; ++i) {
      for (auto& one : values) rt.allreduce("total", inout(one));
      rt.wait();
    }
    // Only some ranks call: these wait for nobody.
    if (rank == 0) {
      for (int i = 0; i < 2; ++i) {
        for (auto& one : values) rt.allreduce("total", inout(one));
      }
      rt.task("throws", [] { throw std::runtime_error("singular"); });
      EXPECT_THROW(rt.wait(), std::runtime_error);
      if (ranks > 1) {
        EXPECT_THROW(rt.allreduce("total", inout(values[0])), error);
      }
    }
  }
  env.barrier();
}

}  // namespace
}  // namespace plait::test
