// SPDX-License-Identifier: BSD-3-Clause
// The processor's counters, or nanoseconds in their place, and what is told of them.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attach/books/instruction_counters.hpp"
#include "made_run.hpp"

namespace plait::attach {
namespace {

void compute(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) continue;
}

TEST(counters, count_the_work_of_their_thread) {
  instruction_counters clock;
  clock.open(true);
  if (!clock.are_open()) GTEST_SKIP() << "the kernel lets nobody count";
  const std::optional<counted_work> before = clock.read();
  compute(std::chrono::milliseconds(20));
  const std::optional<counted_work> after = clock.read();
  ASSERT_TRUE(before && after);
  const auto cycles = static_cast<double>(after->cycles - before->cycles);
  EXPECT_GT(cycles, 1e5);
  EXPECT_NEAR(static_cast<double>(after->instructions - before->instructions) / cycles, 1, 0.1);
}

TEST(counters, of_the_processor_go_on_where_there_are_any) {
  instruction_counters processor;
  processor.open(false);
  if (!processor.are_open()) GTEST_SKIP() << "no counters of a processor here";
  const std::optional<counted_work> before = processor.read();
  compute(std::chrono::milliseconds(5));
  const std::optional<counted_work> after = processor.read();
  ASSERT_TRUE(before && after);
  EXPECT_GT(after->instructions, before->instructions);
}

TEST(counters, are_told_of_ranks_and_of_all) {
  auto ranks = made_ranks(2, [](made_rank& on, int, int) {
    on.compute(10);
    on.reduce(1);
  });
  EXPECT_EQ(analyse(profiles_of(ranks)).instructions_per_cycle(), 0);
  ranks[0].header().cycles = 1000;
  ranks[0].header().instructions = 2000;
  ranks[1].header().cycles = 3000;
  ranks[1].header().instructions = 1500;
  const analysis run = analyse(profiles_of(ranks));
  EXPECT_EQ(run.ranks[0].instructions_per_cycle(), 2);
  EXPECT_EQ(run.ranks[1].instructions_per_cycle(), 0.5);
  EXPECT_EQ(run.instructions_per_cycle(), 0.875);
}

}  // namespace
}  // namespace plait::attach
