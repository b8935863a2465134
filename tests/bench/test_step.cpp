// SPDX-License-Identifier: BSD-3-Clause
// bench/progress: what a step's data find wrong, and how its work is cut.
#include <algorithm>

#include <gtest/gtest.h>
#include <step.hpp>

namespace plait::bench::progress_sweep {
namespace {

constexpr int steps = 3;

struct two_ranks {
  explicit two_ranks(const step_load& what)
      : grid(measure::initial_values(8)), zero(what, 0, grid), one(what, 1, grid) {}

  void make_step() {
    const std::size_t now = zero.state.step % 2;
    zero.incoming[now] = one.outgoing[now];
    one.incoming[now] = zero.outgoing[now];
  }
  void turn_both() {
    for (step_data* data : {&zero, &one}) {
      const std::size_t now = data->state.step % 2;
      turn(data->incoming[now], data->outgoing[1 - now], data->state);
    }
  }

  values grid;
  step_data zero;
  step_data one;
};

class messages : public testing::TestWithParam<std::size_t> {};

TEST_P(messages, that_came_as_they_were_written_are_right) {
  two_ranks ranks({.size_bytes = GetParam(), .flights = 2});
  for (int i = 0; i < steps; ++i) {
    ranks.make_step();
    ranks.turn_both();
  }
  EXPECT_NO_THROW(expect_right(ranks.zero, steps));
  EXPECT_NO_THROW(expect_right(ranks.one, steps));
  EXPECT_THROW(expect_right(ranks.one, steps + 1), error);
}

TEST_P(messages, of_an_earlier_step_are_found_in_the_step_that_reads_them) {
  two_ranks ranks({.size_bytes = GetParam(), .flights = 2});
  for (int i = 0; i < steps; ++i) {
    ranks.make_step();
    if (i == 1) ranks.one.incoming[1] = ranks.zero.outgoing[0];
    ranks.turn_both();
  }
  EXPECT_NO_THROW(expect_right(ranks.zero, steps));
  EXPECT_THROW(expect_right(ranks.one, steps), error);
}

TEST_P(messages, whose_last_word_is_late_are_found_in_the_step_that_reads_them) {
  two_ranks ranks({.size_bytes = GetParam(), .flights = 2});
  for (int i = 0; i < steps; ++i) {
    ranks.make_step();
    const std::uint64_t last = ranks.one.incoming[0].back();
    if (i == 0) ranks.one.incoming[0].back() = 0;
    ranks.turn_both();
    if (i == 0) ranks.one.incoming[0].back() = last;
  }
  EXPECT_EQ(ranks.one.state.wrong, 1);
  EXPECT_THROW(expect_right(ranks.one, steps), error);
}

TEST_P(messages, in_each_others_place_are_wrong) {
  two_ranks ranks({.size_bytes = GetParam(), .flights = 2});
  const auto half = static_cast<std::ptrdiff_t>(GetParam() / sizeof(std::uint64_t));
  ranks.make_step();
  std::rotate(ranks.one.incoming[0].begin(), ranks.one.incoming[0].begin() + half,
              ranks.one.incoming[0].end());
  ranks.turn_both();
  EXPECT_GT(ranks.one.state.wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(sizes, messages, testing::Values(8, 4096, 4104, 65536));

TEST(messages, with_one_wrong_word_in_the_middle_are_found_at_the_end) {
  two_ranks ranks({.size_bytes = 65536});
  for (int i = 0; i < steps; ++i) {
    ranks.make_step();
    ranks.turn_both();
  }
  ranks.zero.incoming[0][1001] ^= 1;
  EXPECT_THROW(expect_right(ranks.zero, steps), error);
}

TEST(pieces, have_all_the_work_and_lie_in_the_grid) {
  values grid = measure::initial_values(64);
  for (const int pieces : {1, 7, 100}) {
    for (const long units : {5L, 64L, 1000L}) {
      const step_data data({.size_bytes = 8, .units = units, .pieces = pieces}, 0, grid);
      long sum = 0;
      for (const piece_of_work& each : data.pieces) {
        sum += each.units;
        ASSERT_FALSE(each.on.empty());
        EXPECT_GE(each.on.data(), grid.data());
        EXPECT_LE(each.on.data() + each.on.size(), grid.data() + grid.size());
      }
      EXPECT_EQ(sum, units);
    }
  }
}

}  // namespace
}  // namespace plait::bench::progress_sweep
