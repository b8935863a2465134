// SPDX-License-Identifier: BSD-3-Clause
// Messages whose length is fixed when they start.
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/core/no_rank.hpp>
#include <plait/runtime/runtime.hpp>

#include "failure_of.hpp"
#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

constexpr std::size_t most = 50;

class counted_messages : public ::testing::TestWithParam<std::tuple<progress, int, persistence>> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  std::vector<double> leaving = std::vector<double>(most);
  std::vector<double> coming = std::vector<double>(most);
  std::size_t leaving_count = 77;
  std::size_t coming_count = 77;

  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers, persistent] = GetParam();
    return {.engine = {.policy = policy, .persistent_requests = persistent},
            .tasks = {.workers = workers}};
  }
};
INSTANTIATE_TEST_SUITE_P(
    policies, counted_messages,
    ::testing::Combine(::testing::ValuesIn(all_policies), ::testing::Values(1, 3),
                       ::testing::Values(persistence::where_faster, persistence::always)),
    [](const auto& one) {
      return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
             std::to_string(std::get<1>(one.param)) +
             (std::get<2>(one.param) == persistence::always ? "_persistent" : "");
    });

/// How many elements a rank sends in a step: none and all of them, too.
[[nodiscard]] std::size_t count_of(int rank, int step) {
  return static_cast<std::size_t>(rank * 7 + step * 13) % (most + 1);
}

TEST_P(counted_messages, bring_as_many_elements_as_a_task_has_chosen) {
  runtime rt{env, options()};
  int step = -1;
  std::size_t right_steps = 0;
  const auto one_step = [&] {
    rt.task(
        "choose",
        [rank = env.rank()](std::span<double> data, std::size_t& count, int& at) {
          count = count_of(rank, ++at);
          for (std::size_t i = 0; i < count; ++i) data[i] = rank * 1000 + at + 0.5 * double(i);
        },
        out(std::span(leaving)), out(leaving_count), inout(step));
    rt.recv("coming", counted(out(std::span(coming)), out(coming_count)), left);
    rt.send("leaving", counted(in(std::span(leaving)), in(leaving_count)), right);
    rt.task(
        "check",
        [from = left](std::span<const double> data, const std::size_t& count, const int& at,
                      std::size_t& good) {
          bool all = count == count_of(from, at);
          for (std::size_t i = 0; i < count; ++i)
            all = all && data[i] == from * 1000 + at + 0.5 * double(i);
          if (all) ++good;
        },
        in(std::span(coming)), in(coming_count), in(step), inout(right_steps));
  };
  for (int i = 0; i < 60; ++i) one_step();
  rt.wait();
  EXPECT_EQ(right_steps, 60U);
  graph steps = rt.record(one_step);
  rt.replay(steps, 60);
  rt.replay(steps, 7).wait();
  EXPECT_EQ(right_steps, 127U);
}

TEST_P(counted_messages, meet_messages_of_a_fixed_length) {
  runtime rt{env, options()};
  leaving.assign(most, 3.0);
  rt.send("fixed", in(std::span(leaving).first(20)), right);
  rt.recv("any", counted(out(std::span(coming)), out(coming_count)), left);
  rt.wait();
  EXPECT_EQ(coming_count, 20U);
  leaving_count = 10;
  std::vector<double> ten(10, 0.0);
  rt.send("counted", counted(in(std::span(leaving)), in(leaving_count)), right);
  rt.recv("fixed", out(std::span(ten)), left);
  rt.wait();
  EXPECT_EQ(ten, std::vector<double>(10, 3.0));
}

TEST_P(counted_messages, from_nobody_have_no_elements) {
  runtime rt{env, options()};
  rt.send("to nobody", counted(in(std::span(leaving)), in(leaving_count)), no_rank);
  rt.recv("from nobody", counted(out(std::span(coming)), out(coming_count)), no_rank);
  rt.wait();
  EXPECT_EQ(coming_count, 0U);
}

TEST_P(counted_messages, a_count_beyond_the_buffer_is_an_error_of_the_sender) {
  runtime rt{env, options()};
  leaving_count = most + 1;
  rt.send("too much", counted(in(std::span(leaving)), in(leaving_count)), right, 3);
  EXPECT_EQ(failure_of(rt), "send 'too much' to rank " + std::to_string(right) +
                                ", tag 3: its count says 51 elements, its buffer has 50");
}

TEST_P(counted_messages, a_longer_message_is_an_error_of_the_receiver) {
  runtime rt{env, options()};
  rt.send("long", in(std::span(leaving).first(20)), right);
  rt.recv("short", counted(out(std::span(coming).first(10)), out(coming_count)), left);
  const std::string text = failure_of(rt);
  EXPECT_NE(text.find("receive 'short' of at most 80 bytes from rank"), std::string::npos) << text;
  EXPECT_NE(text.find("the message sent is larger"), std::string::npos) << text;
}

TEST_P(counted_messages, a_part_of_an_element_is_an_error_of_the_receiver) {
  runtime rt{env, options()};
  std::vector<char> odd(13);
  rt.send("odd", in(odd), right);
  rt.recv("whole", counted(out(std::span(coming)), out(coming_count)), left, 0);
  EXPECT_EQ(failure_of(rt), "receive 'whole' from rank " + std::to_string(left) +
                                ", tag 0: the message sent has 13 bytes, an element has 8");
}

}  // namespace
}  // namespace plait::test
