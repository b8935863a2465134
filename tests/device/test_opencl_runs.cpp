// SPDX-License-Identifier: BSD-3-Clause
// What the ledger and a trace learn of a queue's commands, and how often a driver is asked.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/opencl/opencl_pace.hpp"
#include "device/opencl/opencl_runs.hpp"

namespace plait::test {
namespace {

using detail::opencl_command;
using detail::opencl_news;

/// Writes news as "+3" for what began at 3, and "-a:3-5" for the command of task a that ran from 3
/// to 5, or "-3-5" for several.
class runs_of_a_queue : public ::testing::Test {
 protected:
  using texts = std::vector<std::string>;

  void enqueue(ticks now, opencl_command one = {.task = "k"}) {
    one.number = ++last;
    runs.enqueued(one, now, news);
  }
  void end(std::uint64_t number, ticks now) { runs.ended(number, now, news); }
  void begin(std::uint64_t number, ticks now) { runs.began(number, now, news); }
  [[nodiscard]] texts told() {
    texts lines;
    for (const opencl_news& one : news) {
      if (one.kind == opencl_news::kinds::began) {
        lines.push_back("+" + std::to_string(one.now));
      } else {
        lines.push_back("-" + (one.task == nullptr ? "" : std::string(one.task) + ":") +
                        std::to_string(one.begin) + "-" + std::to_string(one.now));
      }
    }
    news.clear();
    return lines;
  }
  detail::opencl_runs runs;
  std::vector<opencl_news> news;
  std::uint64_t last = 0;
};

TEST_F(runs_of_a_queue, commands_in_a_row_begin_and_end_once) {
  enqueue(1);
  enqueue(2);
  enqueue(3);
  end(2, 10);
  EXPECT_EQ(told(), texts{"+1"});
  EXPECT_EQ(runs.done(), 2U);
  enqueue(11);
  end(3, 12);
  EXPECT_EQ(told(), texts{});
  end(4, 20);
  EXPECT_EQ(told(), texts{"-1-20"});
  enqueue(30);
  end(5, 31);
  EXPECT_EQ(told(), (texts{"+30", "-30-31"}));
}

TEST_F(runs_of_a_queue, drivers_may_tell_of_a_later_command_first) {
  for (ticks i = 1; i <= 3; ++i) enqueue(i, {.task = "k", .is_alone = true});
  end(2, 10);
  EXPECT_EQ(told(), (texts{"+1", "-k:1-10", "+10", "-k:10-10", "+10"}));
  end(1, 11);
  EXPECT_EQ(told(), texts{});
  EXPECT_EQ(runs.done(), 2U);
  end(3, 12);
  EXPECT_EQ(told(), texts{"-k:10-12"});
}

TEST_F(runs_of_a_queue, a_command_that_waits_ends_the_row_before_it_and_begins_when_told) {
  enqueue(1);
  enqueue(2);
  enqueue(3, {.task = "k", .waits = true});
  enqueue(4);
  EXPECT_EQ(told(), texts{"+1"});
  end(2, 10);
  EXPECT_EQ(told(), texts{"-1-10"});
  begin(3, 20);
  EXPECT_EQ(told(), texts{"+20"});
  end(3, 25);
  EXPECT_EQ(told(), texts{});
  end(4, 30);
  EXPECT_EQ(told(), texts{"-20-30"});
}

/// Callbacks of different commands come in any order, and that of the beginning perhaps never.
TEST_F(runs_of_a_queue, a_command_that_waits_has_begun_when_a_later_one_has_ended) {
  enqueue(1);
  enqueue(2, {.task = "k", .waits = true});
  enqueue(3);
  begin(2, 10);
  EXPECT_EQ(told(), (texts{"+1", "-1-10", "+10"}));
  EXPECT_EQ(runs.done(), 1U);
  enqueue(11, {.task = "k", .waits = true});
  enqueue(12);
  end(4, 20);
  EXPECT_EQ(told(), (texts{"-10-20", "+20"}));
  end(5, 21);
  begin(4, 22);
  EXPECT_EQ(told(), texts{"-20-21"});
}

TEST_F(runs_of_a_queue, an_observer_in_mid_flight_is_told_of_what_comes_then) {
  enqueue(1);
  enqueue(2);
  enqueue(3, {.task = "a", .is_alone = true});
  enqueue(4, {.task = "b", .is_alone = true});
  enqueue(5);
  enqueue(6);
  for (std::uint64_t i = 1; i <= 6; ++i) end(i, 10 * static_cast<ticks>(i));
  EXPECT_EQ(told(), (texts{"+1", "-1-20", "+20", "-a:20-30", "+30", "-b:30-40", "+40", "-40-60"}));
}

TEST_F(runs_of_a_queue, a_marker_is_no_time_of_the_ledger) {
  enqueue(1, {.task = "a", .is_alone = true});
  enqueue(2, {.task = nullptr, .is_alone = true});
  enqueue(3, {.task = "b", .is_alone = true});
  end(1, 10);
  end(2, 15);
  end(3, 20);
  EXPECT_EQ(told(), (texts{"+1", "-a:1-10", "+15", "-b:15-20"}));
}

TEST_F(runs_of_a_queue, after_a_failure_what_had_begun_has_ended) {
  enqueue(1);
  enqueue(2);
  enqueue(3, {.task = "k", .waits = true});
  runs.stop(10, news);
  EXPECT_EQ(told(), (texts{"+1", "-1-10"}));
  end(3, 11);
  EXPECT_EQ(told(), texts{});
}

TEST(opencl_pace, allows_a_burst_and_then_one_in_each_spacing) {
  constexpr ticks spacing = 100;
  detail::opencl_pace pace;
  const auto allowed_at = [&](ticks now, int times) {
    int allowed = 0;
    for (int i = 0; i < times; ++i) allowed += pace.is_time(now, spacing) ? 1 : 0;
    return allowed;
  };
  EXPECT_EQ(allowed_at(100'000, 1000), detail::opencl_pace::burst + 1);
  EXPECT_EQ(allowed_at(100'099, 1000), 0);
  EXPECT_EQ(allowed_at(100'100, 1000), 1);
  EXPECT_EQ(allowed_at(100'500, 1000), 4);
  EXPECT_EQ(allowed_at(200'000, 1000), detail::opencl_pace::burst + 1);
}

}  // namespace
}  // namespace plait::test
