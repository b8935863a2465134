// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "network/noise/lost_time.hpp"
#include "network/noise/plan.hpp"

namespace {

using namespace std::chrono_literals;
using plait::network::noise::burst_plan;
using plait::network::noise::lost_time;
using plait::network::noise::moment;
using plait::network::noise::nanoseconds;
using plait::network::noise::parse_cores;
using plait::network::noise::parse_duration;
using plait::network::noise::plan;
using plait::network::noise::refused;
using plait::network::noise::window_of;

const moment start{};

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    (void)call();
  } catch (const refused& why) {
    return why.what();
  }
  return "not refused";
}

TEST(noise_plan, reads_durations_with_their_units) {
  EXPECT_EQ(parse_duration("--length", "25us"), 25us);
  EXPECT_EQ(parse_duration("--length", "2.5ms"), 2500us);
  EXPECT_EQ(parse_duration("--length", "1s"), 1s);
  for (const std::string word : {"", "5", "ms", "-1ms", "1ms ", "nan", "infs", "1e30s", "1m"})
    EXPECT_EQ(refusal_of([&] { return parse_duration("--length", word); }),
              "--length: '" + word + "' is no duration; write 25us, 2.5ms or 1s");
}

TEST(noise_plan, writes_durations_as_it_reads_them) {
  for (const std::string word : {"25us", "2.5ms", "999us", "1ms", "1.5s"})
    EXPECT_EQ(plait::network::noise::duration_text(parse_duration("", word)), word);
}

TEST(noise_plan, knows_the_cores_that_are_named) {
  const std::vector<int> allowed{0, 1, 2, 3, 7};
  EXPECT_EQ(parse_cores("all", allowed), allowed);
  EXPECT_EQ(parse_cores("1", allowed), (std::vector{1}));
  EXPECT_EQ(parse_cores("7,1-3", allowed), (std::vector{7, 1, 2, 3}));
  EXPECT_EQ(refusal_of([&] { return parse_cores("2-4", allowed); }),
            "--cores: core 4 cannot be used here; there are 0,1,2,3,7");
  EXPECT_EQ(refusal_of([&] { return parse_cores("1,0-1", allowed); }),
            "--cores: core 1 is named twice");
  for (const std::string word : {"x", "3-1", "-1", "1-", "1.5"})
    EXPECT_EQ(refusal_of([&] { return parse_cores(word, allowed); }),
              "--cores: '" + word + "' is no core; write 0,2-3 or all");
  EXPECT_EQ(refusal_of([&] { return parse_cores("", allowed); }),
            "--cores names no core; write 0,2-3 or all");
}

TEST(noise_plan, spreads_phases_over_the_period) {
  std::vector<nanoseconds> phases;
  for (const burst_plan& each : plan(90ms, 1ms, {4, 5, 9}, {})) phases.push_back(each.phase);
  EXPECT_EQ(phases, (std::vector<nanoseconds>{0ms, 30ms, 60ms}));
  EXPECT_EQ(plan(90ms, 1ms, {4, 5}, {3ms, 7ms})[1].phase, nanoseconds(7ms));
}

TEST(noise_plan, refuses_bursts_that_cannot_be_made) {
  const auto refusal = [](nanoseconds period, nanoseconds length, std::vector<nanoseconds> phases) {
    return refusal_of([&] { return plan(period, length, {0, 1}, phases); });
  };
  EXPECT_EQ(refusal(1ms, 1us, {}), "--length 1us: a burst takes at least 5us");
  EXPECT_EQ(refusal(11s, 1ms, {}), "--period 11s: the longest is 10s");
  EXPECT_EQ(refusal(1ms, 950us, {}),
            "--length 950us every 1ms: at most 90 % of a core can be taken");
  EXPECT_EQ(refusal(0ms, 1ms, {}), "--length 1ms every 0us: at most 90 % of a core can be taken");
  EXPECT_EQ(refusal(1ms, 10us, {0us}), "--phases: 1 for 2 cores");
  EXPECT_EQ(refusal(1ms, 10us, {0us, 1ms}), "--phases: 1ms is not below the period, 1ms");
}

TEST(lost_time, is_what_lies_between_looks_that_are_far_apart) {
  lost_time lost(start);
  EXPECT_EQ(lost.share(), 0);
  moment now = start;
  for (int look = 0; look < 75; ++look) lost.look(now += 1us);
  lost.look(now += 25us);  // somebody else
  EXPECT_DOUBLE_EQ(lost.share(), 0.25);
}

TEST(lost_time, is_counted_in_whole_periods_from_between_two_bursts) {
  const burst_plan each{.core = 0, .period = 100ms, .length = 10ms, .phase = 20ms};
  const auto window = window_of(each, start, 250ms);
  EXPECT_EQ(window.begin - start, 20ms - 45ms);
  EXPECT_EQ(window.end - window.begin, 300ms);
  EXPECT_EQ(window_of(each, start, 1us).end - window_of(each, start, 1us).begin, 100ms);
}

}  // namespace
