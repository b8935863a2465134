// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>
#include <plait/simulate/scale.hpp>

#include "stencil_program.hpp"

namespace plait::test {
namespace {

using namespace simulate;

[[nodiscard]] std::string refusal_of_scale(const auto& scaled) {
  try {
    static_cast<void>(scaled());
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(scale, finds_the_grid_of_a_program_that_names_every_rank) {
  for (const grid_extents grid : {grid_extents{1, 3, 4, 5}, {1, 5, 3, 4}, {1, 3, 3, 3}}) {
    const std::string text = goal_text(stencil_program(grid, 1, {8, 16, 24}));
    const program found = on_periodic_grid(parse_goal(text, "stencil"));
    EXPECT_EQ(found.templates.size(), 1);
    EXPECT_EQ(found.grid, grid);
    EXPECT_EQ(goal_text(found), text) << "operation by operation";
  }
}

TEST(scale, gives_it_other_extents) {
  const std::string text = goal_text(stencil_program({1, 3, 4, 5}, 1, {8, 16, 24}));
  const program found = on_periodic_grid(parse_goal(text, "stencil"));
  EXPECT_EQ(goal_text(with_grid(found, {1, 6, 3, 7})),
            goal_text(stencil_program({1, 6, 3, 7}, 1, {8, 16, 24})));
}

TEST(scale, refuses_what_has_no_grid) {
  const auto refusal = [](const char* text) {
    return refusal_of_scale([&] { return on_periodic_grid(parse_goal(text, "text")); });
  };
  EXPECT_EQ(refusal("num_ranks 3\nrank 0 {\nsend 1b to 1\nrecv 1b from 2\n}\n"
                    "rank 1 {\nsend 1b to 2\nrecv 1b from 0\n}\n"
                    "rank 2 {\nsend 1b to 1\nrecv 1b from 1\n}\n"),
            "rank 2: send 1b to 1 tag 0: no periodic grid has all ranks do the same");
  EXPECT_EQ(refusal("num_ranks 3\nrank 0 {\n}\nrank 1 {\ncalc 1\n}\nrank 2 {\n}\n"),
            "rank 1 has other operations or another order than rank 0");
  EXPECT_EQ(refusal("num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n"),
            "fewer than 3 ranks: their grid is not known");
  EXPECT_EQ(refusal("num_ranks 3\nrank 0 {\nrecv 1b from -1\n}\nrank 1 {\nrecv 1b from -1\n}\n"
                    "rank 2 {\nrecv 1b from -1\n}\n"),
            "recv 1b from -1 tag 0: its peer is no single rank");
  const program stencil = stencil_program({1, 3, 4, 5}, 1, {8, 16, 24});
  EXPECT_EQ(refusal_of_scale([&] {
              return with_grid(stencil, {1, 1, 8, 8});
            }),
            "the program's grid has 3 axes, 2 are given");
  EXPECT_EQ(refusal_of_scale([&] {
              return with_grid(stencil, {1, 8, 8, 2});
            }),
            "a step is as long as half of an axis");
  EXPECT_EQ(refusal_of_scale([&] {
              return with_grid(stencil, {1, 10000, 10000, 10000});
            }),
            "the grid has more than 1,000,000,000 ranks");
}

TEST(scale, runs_one_rank_for_all_that_are_alike) {
  const loggops_parameters networks[] = {
      {}, {7000, 900, 2500, 3, 1, 32768}, {40000, 5000, 0, 8, 0, 1000}, {100, 50, 2000, 0, 2, 16}};
  for (const grid_extents grid : {grid_extents{1, 3, 4, 5}, {1, 4, 4, 4}}) {
    for (const std::uint64_t size : {1, 1000, 100'000}) {
      const program all = stencil_program(grid, 5, {size, size, size});
      const program one = one_for_all(all);
      ASSERT_EQ(one.ranks(), 1);
      for (const loggops_parameters& network : networks) {
        const std::vector<std::uint64_t> times = run_loggops(all, network).finish_ns;
        const loggops_outcome alone = run_loggops(one, network);
        ASSERT_TRUE(alone.left.empty()) << alone.left.front();
        EXPECT_EQ(std::ranges::count(times, alone.finish_ns.front()), all.ranks())
            << "size " << size << ", L = " << network.L;
      }
    }
  }
}

TEST(scale, does_not_run_one_rank_for_those_that_are_not_alike) {
  program stencil = stencil_program({1, 3, 4, 5}, 1, {8, 16, 24});
  EXPECT_EQ(why_not_alike(stencil), "");
  const auto why = [&](auto change) {
    program changed = stencil;
    change(changed);
    return why_not_alike(changed);
  };
  EXPECT_EQ(why([](program& one) { one.pace.assign(60, 1); }), "ranks have paces of their own");
  EXPECT_EQ(why([](program& one) { one.templates.push_back(one.templates[0]); }),
            "ranks have different operations");
  EXPECT_EQ(
      why([](program& one) { one.templates[0].operations.back().duration = duration_rule::drawn; }),
      "durations are drawn for each rank");
  EXPECT_EQ(why([](program& one) { one.templates[0].operations[0].rule = peer_rule::rank; }),
            "peers are no steps in a grid: send 8b to 0 tag 0");
  EXPECT_EQ(why([](program& one) { one.templates[0].operations[1].tag = any; }),
            "a receive takes any tag: recv 8b from 20 tag -1");
  EXPECT_EQ(why([](program& one) {
              one.grid = {1, 2, 5, 6};
            }),
            "a step is as long as half of an axis");
}

}  // namespace
}  // namespace plait::test
