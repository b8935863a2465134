// SPDX-License-Identifier: BSD-3-Clause
// A run of tasks: its steps, recorded or not, and its report.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "measure/compare/task_run.hpp"
#include "support/mpi_test.hpp"

namespace plait::measure {
namespace {

struct counter {
  long steps = 0;
  long submissions = 0;

  task_steps pairs(std::size_t tasks) {
    return {.steps = 2, .tasks = tasks, .submit = [this](runtime& rt, int count) {
              ++submissions;
              for (int i = 0; i < count; ++i)
                rt.task(
                    "step", [](long& done) { ++done; }, inout(steps));
            }};
  }
};

void do_steps(task_run& run, int steps, const step_range& kept = {}) {
  run.begin();
  run.advance(steps);
  run.end(kept);
}

TEST(task_run, does_whole_rounds_and_a_rest) {
  counter counted;
  task_run run(test::test_environment(), {.tasks = {.workers = 1}}, counted.pairs(2));
  do_steps(run, 7);
  EXPECT_EQ(counted.steps, 7);
  EXPECT_EQ(counted.submissions, 2) << "recorded once, and the rest submitted";
  (void)run.finish();
}

TEST(task_run, submits_each_time_what_does_not_fit) {
  counter counted;
  task_run run(test::test_environment(), {.tasks = {.workers = 1, .in_flight = 8}},
               counted.pairs(9));
  do_steps(run, 6);
  EXPECT_EQ(counted.steps, 6);
  EXPECT_EQ(counted.submissions, 3);
  (void)run.finish();
}

TEST(task_run, advances_until_the_program_has_enough) {
  counter counted;
  task_run run(test::test_environment(), {.tasks = {.workers = 1}}, counted.pairs(2));
  run.begin();
  while (counted.steps < 10) run.advance(4);
  run.end({});
  EXPECT_EQ(counted.steps, 12);
  (void)run.finish();
}

TEST(task_run, reports_ledger_policy_and_the_events_of_the_kept_steps) {
  counter counted;
  task_run run(test::test_environment(),
               {.engine = {.policy = progress::workers}, .tasks = {.workers = 1}},
               counted.pairs(2));
  do_steps(run, 10, {4, 6});
  const auto is_task = [](const trace_event& e) {
    return e.kind == event_kind::compute && e.name != programs_own;
  };
  std::size_t all = 0;
  const run_report report = run.finish([&](const auto& events) {
    all = static_cast<std::size_t>(std::ranges::count_if(events, is_task));
  });
  ASSERT_EQ(report.ledger.size(), 1u);
  EXPECT_GT(report.ledger[0].wall_s, 0);
  EXPECT_EQ(report.workers, 1);
  EXPECT_EQ(report.words.at("policy_chosen"), "workers");
  EXPECT_FALSE(report.proxy_cpu_s.has_value());
  EXPECT_TRUE(report.figures.contains("longest_unwatched_s"));
  const auto kept = static_cast<std::size_t>(std::ranges::count_if(report.events, is_task));
  EXPECT_EQ(all, 10u);
  EXPECT_EQ(kept, 2u);
}

}  // namespace
}  // namespace plait::measure
