// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include <gtest/gtest.h>

#include "measure/load/slow_worker.hpp"
#include "measure/load/time_spent.hpp"
#include "support/refusal.hpp"

namespace {

using plait::measure::slowness;

TEST(slow_worker, threads_are_numbered_as_they_come_by_anew_for_each_run) {
  for (int run = 0; run < 2; ++run) {
    slowness slow({.worker = 1, .factor = 3});
    EXPECT_EQ(slow.number(), 0);
    std::thread([&] {
      EXPECT_EQ(slow.number(), 1);
      EXPECT_EQ(slow.number(), 1);
    }).join();
    std::thread([&] { EXPECT_EQ(slow.number(), 2); }).join();
    EXPECT_EQ(slow.number(), 0);
  }
}

TEST(slow_worker, is_a_number_and_a_factor) {
  const auto parsed = plait::measure::parse_slow_worker("--slow", "2:1.5");
  EXPECT_EQ(parsed.worker, 2);
  EXPECT_EQ(parsed.factor, 1.5);
  for (const char* text : {"", "1", "1:", ":2", "-1:2", "1:0.5", "1:2x"})
    EXPECT_NE(plait::test::refusal([&] {
                (void)plait::measure::parse_slow_worker("--slow", text);
              }).find("--slow is '"),
              std::string::npos)
        << text;
}

TEST(slow_worker, takes_so_many_times_as_long) {
  slowness slow({.worker = 1, .factor = 3});
  const auto taken = [&](int worker) {
    const plait::ticks start = plait::now_ticks();
    plait::ticks alone = 0;
    slow.run(worker, [&] {
      for (volatile int i = 0; i < 100000;) i = i + 1;
      alone = plait::now_ticks() - start;
    });
    return static_cast<double>(plait::now_ticks() - start) / static_cast<double>(alone);
  };
  EXPECT_GE(taken(1), 2.9);
  EXPECT_GE(taken(0), 1);
}

TEST(time_spent, adds_up) {
  plait::measure::time_spent spent;
  EXPECT_EQ(spent.seconds(), 0);
  for (int i = 0; i < 3; ++i) {
    const double before = spent.seconds();
    spent.measure([] {
      for (volatile int k = 0; k < 10000;) k = k + 1;
    });
    EXPECT_GT(spent.seconds(), before);
  }
}

}  // namespace
