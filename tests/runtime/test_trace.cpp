// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class every_policy : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
};
INSTANTIATE_TEST_SUITE_P(trace, every_policy,
                         ::testing::Values(progress::automatic, progress::dedicated,
                                           progress::sleeping, progress::workers, progress::none),
                         [](const auto& one) { return std::string(to_string(one.param)); });

void spin_us(long microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Ten rounds of: receive, send, interior, rim.
void run_rounds(runtime& rt, int left, int right, int rounds) {
  std::vector<int> edge(100);
  std::vector<int> ghost(100);
  for (int i = 0; i < rounds; ++i) {
    rt.recv("receive", out(ghost), left);
    rt.send("send", in(edge), right);
    rt.task("interior", [] { spin_us(50); });
    rt.task(
        "rim", [](const std::vector<int>&, std::vector<int>&) { spin_us(20); }, in(ghost),
        inout(edge));
  }
  rt.wait();
}

std::map<std::string, int> counts(const std::vector<trace_event>& events) {
  std::map<std::string, int> by_name;
  for (const auto& e : events) ++by_name[e.name];
  return by_name;
}

TEST_P(every_policy, every_task_and_every_message_is_one_event) {
  for (const int workers : {1, 3}) {
    runtime rt{env, {.workers = workers, .policy = GetParam()}};
    run_rounds(rt, left, right, 2);  // not recorded
    rt.start_trace();
    run_rounds(rt, left, right, 10);
    const auto events = rt.stop_trace();
    auto by_name = counts(events);
    for (const char* name : {"receive", "send", "interior", "rim"}) {
      EXPECT_EQ(by_name[name], 10) << name << " with " << workers << " workers";
    }
    run_rounds(rt, left, right, 2);
    EXPECT_TRUE(rt.stop_trace().empty());
  }
}

TEST_P(every_policy, events_have_the_lane_and_the_kind_of_what_happened) {
  runtime rt{env, {.workers = 2, .policy = GetParam()}};
  rt.start_trace();
  run_rounds(rt, left, right, 10);
  for (const auto& e : rt.stop_trace()) {
    EXPECT_EQ(e.rank, env.rank());
    EXPECT_LE(e.begin_s, e.end_s) << e.name;
    if (e.name == "send" || e.name == "receive") {
      EXPECT_EQ(e.kind, event_kind::message);
      EXPECT_EQ(e.lane, "messages");
    } else {
      EXPECT_TRUE(e.lane == "worker 0" || e.lane == "worker 1") << e.lane;
      if (e.name == "interior" || e.name == "rim") {
        EXPECT_EQ(e.kind, event_kind::compute);
      } else {
        EXPECT_EQ(e.name, to_string(e.kind));
      }
    }
  }
}

TEST_P(every_policy, the_tasks_of_one_worker_do_not_overlap) {
  runtime rt{env, {.workers = 3, .policy = GetParam()}};
  rt.start_trace();
  run_rounds(rt, left, right, 20);
  std::map<std::string, double> end_of_lane;
  auto events = rt.stop_trace();
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; });
  for (const auto& e : events) {
    if (e.kind == event_kind::message) continue;
    double& end = end_of_lane[e.lane];
    EXPECT_GE(e.begin_s, end - 1e-9) << e.lane << ", " << e.name;
    end = std::max(end, e.end_s);
  }
}

TEST_P(every_policy, a_rim_task_begins_after_its_message_has_arrived) {
  runtime rt{env, {.workers = 2, .policy = GetParam()}};
  rt.start_trace();
  run_rounds(rt, left, right, 20);
  std::vector<double> arrived;
  std::vector<double> begun;
  for (const auto& e : rt.stop_trace()) {
    if (e.name == "receive") arrived.push_back(e.end_s);
    if (e.name == "rim") begun.push_back(e.begin_s);
  }
  // Both are in order: one buffer, one chain.
  std::sort(arrived.begin(), arrived.end());
  std::sort(begun.begin(), begun.end());
  ASSERT_EQ(arrived.size(), begun.size());
  for (std::size_t i = 0; i < begun.size(); ++i) EXPECT_GE(begun[i], arrived[i]) << "round " << i;
}

/// How far tasks and messages reach out of [begin_s, end_s].
double excess_s(const std::vector<trace_event>& events, double begin_s, double end_s) {
  double worst = 0;
  for (const auto& e : events) {
    if (e.kind != event_kind::compute && e.kind != event_kind::message) continue;
    worst = std::max({worst, begin_s - e.begin_s, e.end_s - end_s});
  }
  return worst;
}

TEST(trace, rank_0_collects_the_events_of_all_ranks_on_its_clock) {
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  runtime rt{env, {.workers = 2}};
  rt.start_trace();
  const double begin_s = ticks_to_seconds(now_ticks());
  env.barrier();
  run_rounds(rt, left, right, 10);
  env.barrier();
  const double end_s = ticks_to_seconds(now_ticks());
  const auto mine = rt.stop_trace();
  // Whatever rank it is from, everything happened between two barriers of rank 0.  On a busy
  // machine no round trip may be fast enough to compare clocks well: the best of several alignments
  // counts.
  double least_excess_s = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto all = collect_events(env, mine);
    if (env.rank() != 0) {
      EXPECT_TRUE(all.empty());
      continue;
    }
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; }));
    std::map<int, int> tasks;
    for (const auto& e : all) tasks[e.rank] += e.kind == event_kind::compute;
    for (int r = 0; r < env.size(); ++r) EXPECT_EQ(tasks[r], 20) << "rank " << r;
    least_excess_s = std::min(least_excess_s, excess_s(all, begin_s, end_s));
  }
  if (env.rank() == 0) {
    EXPECT_LT(least_excess_s, 1e-3);
  }
}

TEST(trace, a_runtime_may_end_while_it_records) {
  environment& env = test_environment();
  runtime rt{env, {.workers = 3}};
  rt.start_trace();
  rt.task("task", [] {});
}

}  // namespace
}  // namespace plait::test
