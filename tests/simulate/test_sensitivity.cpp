// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/sensitivity.hpp>
#include <plait/simulate/what_if.hpp>

#include "random_program.hpp"

namespace plait::test {
namespace {

using namespace simulate;

/// Two ranks, three messages there and back, with work between.
[[nodiscard]] program ping_pong() {
  return parse_goal(
      "num_ranks 2\n"
      "rank 0 {\n"
      "a: send 101b to 1\nb: recv 101b from 1\nc: calc 7000\nb requires a\nc requires b\n}\n"
      "rank 1 {\n"
      "a: recv 101b from 0\nb: calc 5000\nc: send 101b to 0\nb requires a\nc requires b\n}\n",
      "ping_pong");
}

TEST(sensitivity, counts_what_a_closed_form_has) {
  const loggops_parameters network;
  const explanation found = explain(ping_pong(), network);
  EXPECT_EQ(found.terms, (path_terms{.L = 2, .o = 4, .G = 200, .computation_ns = 12000}));
  EXPECT_EQ(found.outcome.latest_ns(), 2 * 2500 + 4 * 1500 + 200 * 6 + 12000);
  EXPECT_EQ(found.last_rank, 0);
  ASSERT_FALSE(found.path.empty());
  EXPECT_EQ(found.path.front().begin_ns, 0);
  EXPECT_EQ(found.path.back().end_ns, found.outcome.latest_ns());
  for (std::size_t i = 1; i < found.path.size(); ++i)
    EXPECT_EQ(found.path[i].begin_ns, found.path[i - 1].end_ns) << "step " << i;
  EXPECT_EQ(limiter_of(found.terms, network), limiter::computation);
}

TEST(sensitivity, adds_up_to_the_time_of_every_program) {
  const loggops_parameters networks[] = {
      {}, {7000, 900, 2500, 3, 1, 32768}, {40000, 5000, 0, 8, 0, 1000}, {100, 50, 2000, 0, 2, 16}};
  int holds = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const program made =
        random_program(seed, {.any_source = seed % 4 == 1, .many_at_once = seed % 4 == 2});
    const loggops_parameters& network = networks[seed % std::size(networks)];
    const explanation found = explain(made, network);
    EXPECT_EQ(found.outcome.finish_ns, run_loggops(made, network).finish_ns) << seed;
    ASSERT_EQ(found.terms.time_ns(network), found.outcome.latest_ns()) << seed;
    const auto check = check_sensitivity(made, network, &loggops_parameters::L, found);
    EXPECT_EQ(check.lambda, found.terms.L);
    holds += check.jumps() ? 0 : 1;
  }
  EXPECT_GT(holds, 250) << "most sensitivities are derivatives";
}

TEST(sensitivity, sums_computation_by_name) {
  program made;
  made.template_of = {0};
  made.names = {"", "rim", "inner"};
  template_builder built;
  operation what;
  what.size = 10;
  what.name = 1;
  const std::uint32_t rim = built.add(what);
  what.size = 30;
  what.name = 2;
  built.require(built.add(what), rim);
  made.templates.push_back(built.build());
  made.iterations = 2;
  const explanation found = explain(made, {});
  ASSERT_EQ(found.computation.size(), 2);
  EXPECT_EQ(found.computation[0].name, "inner");
  EXPECT_EQ(found.computation[0].ns, 60);
  EXPECT_EQ(found.computation[1].ns, 20);
}

TEST(what_if, finds_what_a_closed_form_tolerates) {
  const program made = ping_pong();
  const std::uint64_t time = 24200;
  const auto latency = tolerated(made, {}, &loggops_parameters::L, 1.1);
  ASSERT_TRUE(latency.has_value());
  // T = 19200 + 2 L, which is to stay below 1.1 T(2500).
  EXPECT_NEAR(static_cast<double>(*latency), (1.1 * time - 19200) / 2, 5);
}

TEST(what_if, finds_where_another_part_takes_over) {
  const auto found = takes_over(ping_pong(), {}, &loggops_parameters::L, true);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->becomes, limiter::latency);
  EXPECT_NEAR(static_cast<double>(found->value), 6000, 70) << "2 L = 12000";
  EXPECT_FALSE(takes_over(ping_pong(), {}, &loggops_parameters::L, false).has_value());
  const auto bytes = takes_over(ping_pong(), {}, &loggops_parameters::G, true);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->becomes, limiter::bytes);
  EXPECT_NEAR(static_cast<double>(bytes->value), 61, 1);
}

TEST(what_if, says_where_a_sensitivity_does_not_hold) {
  sensitivity_check found{.lambda = 3, .one_more_ns = 3, .one_less_ns = 3};
  EXPECT_FALSE(found.jumps());
  EXPECT_EQ(found.why_not_trusted(), "");
  found.one_less_ns = -400;
  EXPECT_TRUE(found.jumps());
  found.at_95_percent = -0.034;
  EXPECT_EQ(found.why_not_trusted(),
            "5 % beside it the time is -3.4 % off what the sensitivity says");
}

TEST(sensitivity, refuses_a_linear_program_of_empty_messages) {
  EXPECT_THROW(static_cast<void>(linear_program(
                   parse_goal("num_ranks 1\nrank 0 {\nsend 0b to 0\n}\n", "text"), {})),
               usage_error);
  const std::string text = linear_program(ping_pong(), {});
  EXPECT_TRUE(text.starts_with("Minimize\n obj: makespan\nSubject To\n")) << text;
  EXPECT_NE(text.find(" latency = 2500\n"), std::string::npos);
}

}  // namespace
}  // namespace plait::test
