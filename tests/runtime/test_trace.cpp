// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/runtime/runtime.hpp>
#include <plait/trace/arrow.hpp>
#include <plait/trace/chrome_trace.hpp>
#include <plait/trace/critical_path.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

class trace_policies : public ::testing::TestWithParam<progress> {
 protected:
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
};
INSTANTIATE_TEST_SUITE_P(trace, trace_policies, ::testing::ValuesIn(all_policies),
                         [](const auto& one) { return std::string(to_string(one.param)); });

void spin_us(long microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct halo {
  std::vector<int> edge = std::vector<int>(100);
  std::vector<int> ghost = std::vector<int>(100);
};

void submit_round(runtime& rt, halo& h, int left, int right) {
  rt.recv("receive", out(h.ghost), left);
  rt.send("send", in(h.edge), right);
  rt.task("interior", [] { spin_us(50); });
  rt.task(
      "rim", [](const std::vector<int>&, std::vector<int>&) { spin_us(20); }, in(h.ghost),
      inout(h.edge));
}

void run_rounds(runtime& rt, int left, int right, int rounds) {
  halo h;
  for (int i = 0; i < rounds; ++i) submit_round(rt, h, left, right);
  rt.wait();
}

void replay_rounds(runtime& rt, int left, int right, int rounds) {
  halo h;
  graph round = rt.record([&] { submit_round(rt, h, left, right); });
  rt.replay(round, static_cast<std::uint64_t>(rounds)).wait();
}

std::map<std::string, int> counts(const std::vector<trace_event>& events) {
  std::map<std::string, int> by_name;
  for (const auto& e : events) ++by_name[e.name];
  return by_name;
}

TEST_P(trace_policies, every_task_and_every_message_is_one_event) {
  for (const int workers : {1, 3}) {
    runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = workers}}};
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

TEST_P(trace_policies, events_have_the_lane_and_the_kind_of_what_happened) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
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
      if (e.name == "interior" || e.name == "rim" || e.name == programs_own) {
        EXPECT_EQ(e.kind, event_kind::compute);
      } else {
        EXPECT_EQ(e.name, to_string(e.kind));
      }
    }
  }
}

TEST_P(trace_policies, tasks_of_a_resource_have_a_lane_of_their_own) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  const resource io = rt.resource("io");
  rt.start_trace();
  const resource gpu = rt.resource("gpu", 2);
  int x = 0;
  const auto add = [](int& value) { ++value; };
  for (int i = 0; i < 10; ++i) {
    rt.task("write", add, inout(x)).target(io);
    rt.task("launch", add, inout(x)).target(gpu);
    rt.task("compute", add, inout(x));
  }
  rt.wait();
  std::map<std::string, int> seen;
  for (const auto& e : rt.stop_trace()) {
    const std::map<std::string, std::string> lanes{
        {"compute", "worker "}, {"write", "resource io"}, {"launch", "resource gpu "}};
    const auto lane = lanes.find(e.name);
    if (lane != lanes.end()) {
      EXPECT_TRUE(e.lane.starts_with(lane->second)) << e.lane;
    }
    ++seen[e.name];
  }
  EXPECT_EQ(seen["write"] + seen["launch"] + seen["compute"], 30);
  EXPECT_EQ(x, 30);
}

TEST_P(trace_policies, the_tasks_of_one_worker_do_not_overlap) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 3}}};
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

TEST_P(trace_policies, a_rim_task_begins_after_its_message_has_arrived) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
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

/// Each event that something released began after that had ended; returns how many there are.
int check_releases(const std::vector<trace_event>& events) {
  int released = 0;
  std::set<std::size_t> found;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::dependence) continue;
    EXPECT_LE(events[arrow.from].end_s, events[arrow.to].begin_s)
        << events[arrow.from].name << " released " << events[arrow.to].name;
    found.insert(arrow.to);
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].released_by == 0) continue;
    ++released;
    EXPECT_TRUE(found.contains(i)) << events[i].name << " was released by " << events[i].released_by
                                   << ", which is not in the trace";
  }
  return released;
}

TEST_P(trace_policies, what_released_a_task_or_a_message_ended_before_it_began) {
  for (const int workers : {1, 3}) {
    runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = workers}}};
    rt.start_trace();
    run_rounds(rt, left, right, 20);
    (void)check_releases(rt.stop_trace());
    rt.start_trace();
    replay_rounds(rt, left, right, 20);
    // Whatever runs again waits at least for itself in the iteration before.
    EXPECT_GE(check_releases(rt.stop_trace()), 4 * 19);
  }
}

TEST_P(trace_policies, a_rim_task_is_released_by_what_it_waited_for) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  rt.start_trace();
  replay_rounds(rt, left, right, 20);
  const auto events = rt.stop_trace();
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::dependence || events[arrow.to].name != "rim") continue;
    EXPECT_NE(events[arrow.from].name, "interior");
  }
}

TEST_P(trace_policies, every_task_has_its_own_id_and_a_replayed_one_its_iteration) {
  runtime rt{env, {.engine = {.policy = GetParam()}, .tasks = {.workers = 2}}};
  rt.start_trace();
  run_rounds(rt, left, right, 2);
  replay_rounds(rt, left, right, 10);
  std::set<std::uint64_t> ids;
  std::map<std::int64_t, int> in_iteration;
  for (const auto& e : rt.stop_trace()) {
    if (e.id == 0) continue;
    EXPECT_TRUE(ids.insert(e.id).second) << e.name << ", id " << e.id;
    ++in_iteration[e.iteration];
  }
  EXPECT_EQ(in_iteration[trace_event::not_replayed], 2 * 4);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(in_iteration[i], 4) << "iteration " << i;
}

/// How far tasks and messages reach out of [begin_s, end_s].  The program's own code begins with
/// the trace.
double excess_s(const std::vector<trace_event>& events, double begin_s, double end_s) {
  double worst = 0;
  for (const auto& e : events) {
    const bool is_task = e.kind == event_kind::compute && e.name != programs_own;
    if (!is_task && e.kind != event_kind::message) continue;
    worst = std::max({worst, begin_s - e.begin_s, e.end_s - end_s});
  }
  return worst;
}

TEST(trace, the_programs_own_code_is_computation_on_the_critical_path_as_in_the_ledger) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  rt.start_trace();
  int x = 0;
  for (int i = 0; i < 5; ++i) {
    rt.task(
        "short", [](int& n) { ++n; }, inout(x));
    rt.wait();
    spin_us(2000);  // the program's own
  }
  rt.wait();
  const auto events = rt.stop_trace();
  double compute_s = 0;
  double gaps_s = 0;
  for (const path_step& step : critical_path(events)) {
    const double length_s = step.end_s - step.begin_s;
    if (step.kind == event_kind::compute) compute_s += length_s;
    if (step.kind == event_kind::compute && step.name == programs_own) gaps_s += length_s;
  }
  EXPECT_GE(gaps_s, 4 * 2000e-6);
  EXPECT_GE(compute_s, gaps_s);
}

double now_s() {
  return ticks_to_seconds(now_ticks());
}

struct alignment {
  std::vector<trace_event> events;
  /// How far a rank's clock may be off.  Clocks are compared by the fastest of 30 round trips, of
  /// which 29 lie within the call; the error is half a round trip at most.  Clocks count in ticks.
  double error_s;
};

alignment collect(environment& env, const std::vector<trace_event>& mine) {
  const double started_s = now_s();
  auto events = collect_events(env, mine);
  return {std::move(events), (now_s() - started_s) / (2 * 29) + 2e-6};
}

TEST(trace, rank_0_collects_the_events_of_all_ranks_on_its_clock) {
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  runtime rt{env, {.tasks = {.workers = 2}}};
  rt.start_trace();
  // Before the first barrier and after the second: another rank may leave a barrier first.
  const double begin_s = now_s();
  env.barrier();
  run_rounds(rt, left, right, 10);
  env.barrier();
  const double end_s = now_s();
  const auto mine = rt.stop_trace();
  for (int i = 0; i < 10; ++i) {
    const auto [all, error_s] = collect(env, mine);
    if (env.rank() != 0) {
      EXPECT_TRUE(all.empty());
      continue;
    }
    EXPECT_LE(excess_s(all, begin_s, end_s), error_s);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                               [](const auto& a, const auto& b) { return a.begin_s < b.begin_s; }));
    std::map<int, int> tasks;
    for (const auto& e : all) {
      tasks[e.rank] += e.kind == event_kind::compute && e.name != programs_own;
    }
    for (int r = 0; r < env.size(); ++r) EXPECT_EQ(tasks[r], 20) << "rank " << r;
  }
}

/// How much earlier a message seems to have arrived than it was sent, at worst; rank 0.
double contradiction_s(const std::vector<trace_event>& events, int messages) {
  double worst_s = 0;
  int found = 0;
  for (const trace_arrow& arrow : find_arrows(events)) {
    if (arrow.kind != arrow_kind::message) continue;
    const trace_event& send = events[arrow.from];
    const trace_event& receive = events[arrow.to];
    EXPECT_EQ(send.name, "send");
    EXPECT_EQ(receive.name, "receive");
    EXPECT_EQ(send.message->peer, receive.rank);
    EXPECT_EQ(receive.message->peer, send.rank);
    EXPECT_EQ(send.message->size_bytes, receive.message->size_bytes);
    worst_s = std::max(worst_s, send.begin_s - receive.end_s);
    ++found;
  }
  EXPECT_EQ(found, messages);
  return worst_s;
}

TEST(trace, every_receive_has_an_arrow_from_the_send_it_met) {
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  runtime rt{env, {.tasks = {.workers = 2}}};
  run_rounds(rt, left, right, 3);  // places in the order of matching that nobody traced
  rt.start_trace();
  run_rounds(rt, left, right, 10);
  replay_rounds(rt, left, right, 10);
  const auto mine = rt.stop_trace();
  for (int i = 0; i < 10; ++i) {
    const auto [all, error_s] = collect(env, mine);
    if (env.rank() == 0) {
      EXPECT_LE(contradiction_s(all, 20 * env.size()), 2 * error_s);
    }
  }
}

struct slice {
  double begin_us;
  double end_us;
};
using track = std::pair<int, int>;

/// Each flow event lies in a slice of its thread, and each flow has two ends.
void check_flows(const std::string& text, std::size_t expected) {
  const std::regex slice_line(
      R"re("ph":"X".*"pid":(\d+),"tid":(\d+).*"ts":([\d.]+),"dur":([\d.]+))re");
  const std::regex flow_line(
      R"re("ph":"([sf])".*"pid":(\d+),"tid":(\d+).*"id":(\d+),"ts":([\d.]+))re");
  std::map<track, std::vector<slice>> slices;
  std::map<int, std::string> ends;
  std::istringstream lines(text);
  std::smatch m;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, m, slice_line)) {
      const double begin_us = std::stod(m[3]);
      slices[{std::stoi(m[1]), std::stoi(m[2])}].push_back(
          {begin_us, begin_us + std::stod(m[4]) + 1e-6});
    } else if (std::regex_search(line, m, flow_line)) {
      ends[std::stoi(m[4])] += m[1];
      const double at_us = std::stod(m[5]);
      const auto& track_slices = slices[{std::stoi(m[2]), std::stoi(m[3])}];
      EXPECT_TRUE(std::ranges::any_of(track_slices, [&](const slice& s) {
        return s.begin_us <= at_us && at_us <= s.end_us;
      })) << line;
    }
  }
  EXPECT_EQ(ends.size(), expected);
  for (const auto& [id, phases] : ends) EXPECT_EQ(phases, "sf") << "flow " << id;
}

TEST(trace, a_file_has_a_flow_for_each_arrow_and_the_critical_path_of_all_ranks) {
  environment& env = test_environment();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  runtime rt{env, {.tasks = {.workers = 2}}};
  rt.start_trace();
  replay_rounds(rt, left, right, 10);
  traced_run run{"rounds", collect_events(env, rt.stop_trace()), {}};
  if (env.rank() != 0) return;
  run.path = critical_path(run.events);
  mark_critical(run.events, run.path);
  std::ostringstream text;
  write_chrome_trace(text, std::span(&run, 1));
  check_flows(text.str(), find_arrows(run.events).size());
  ASSERT_FALSE(run.path.empty());
  for (std::size_t i = 1; i < run.path.size(); ++i) {
    EXPECT_EQ(run.path[i - 1].end_s, run.path[i].begin_s) << "step " << i;
  }
}

TEST(trace, a_runtime_may_end_while_it_records) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 3}}};
  rt.start_trace();
  rt.task("task", [] {});
}

}  // namespace
}  // namespace plait::test
