// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/program.hpp>

namespace plait::test {
namespace {

using namespace simulate;

[[nodiscard]] operation to(std::uint32_t peer, peer_rule rule) {
  operation what;
  what.kind = operation_kind::send;
  what.peer = peer;
  what.rule = rule;
  what.size = 8;
  return what;
}

[[nodiscard]] program of_grid(grid_extents grid) {
  program made;
  made.grid = grid;
  made.templates.emplace_back();
  made.template_of.assign(grid[0] * grid[1] * grid[2] * grid[3], 0);
  return made;
}

TEST(program, names_peers_by_rules) {
  program made = of_grid({1, 3, 4, 5});
  made.steps = {{0, 1, 0, 0}, {0, -1, 0, 0}, {0, 0, 0, -1}, {0, 0, -9, 2}};
  const auto number = [](int x, int y, int z) { return std::uint32_t(x * 20 + y * 5 + z); };
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 5; ++z) {
        const std::uint32_t rank = number(x, y, z);
        const auto step = [&](std::uint32_t which) {
          return peer_of(made, to(which, peer_rule::grid_step), rank);
        };
        EXPECT_EQ(step(0), number((x + 1) % 3, y, z));
        EXPECT_EQ(step(1), number((x + 2) % 3, y, z));
        EXPECT_EQ(step(2), number(x, y, (z + 4) % 5));
        EXPECT_EQ(step(3), number(x, (y + 3) % 4, (z + 2) % 5));
        EXPECT_EQ(peer_of(made, to(7, peer_rule::shift), rank), (rank + 7) % 60);
        EXPECT_EQ(peer_of(made, to(59, peer_rule::shift), rank), (rank + 59) % 60);
        EXPECT_EQ(peer_of(made, to(4, peer_rule::exclusive_or), rank), rank ^ 4);
        EXPECT_EQ(peer_of(made, to(4, peer_rule::rank), rank), 4);
      }
    }
  }
}

TEST(program, takes_durations_from_samples_in_turn_or_by_a_hash) {
  program made = of_grid({1, 1, 1, 3});
  made.samples = {{10, 20, 30}};
  made.pace = {1'000'000, 500'000, 2'500'000};
  operation what;
  what.size = 7;
  EXPECT_EQ(duration_of(made, what, 0, 0, 5), 7);
  EXPECT_EQ(duration_of(made, what, 0, 1, 5), 3);
  what.duration = duration_rule::listed;
  EXPECT_EQ(duration_of(made, what, 0, 0, 4), 20);
  EXPECT_EQ(duration_of(made, what, 0, 2, 4), 50);
  what.duration = duration_rule::drawn;
  int of_ten = 0;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::uint64_t drawn = duration_of(made, what, 2, 0, i);
    EXPECT_EQ(drawn, duration_of(made, what, 2, 0, i));
    of_ten += drawn == 10 ? 1 : 0;
  }
  EXPECT_NEAR(of_ten, 1000, 200);
}

TEST(program, is_unrolled_with_edges_to_the_next_iteration) {
  template_builder built;
  operation what;
  const std::uint32_t a = built.add(what);
  const std::uint32_t b = built.add(what);
  built.require(b, a);
  built.require(a, b, true);
  built.irequire(a, a, true);
  const rank_template once = built.build();
  EXPECT_EQ(once.unmet(false), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(once.unmet(true), (std::vector<std::uint32_t>{2, 1}));
  const rank_template all = unrolled(once, 3);
  ASSERT_EQ(all.size(), 6);
  EXPECT_EQ(all.unmet(false), (std::vector<std::uint32_t>{0, 1, 2, 1, 2, 1}));
  EXPECT_EQ(all.after_end.of(3).front(), dependent(4));
  EXPECT_TRUE(all.after_end.of(5).empty());
  EXPECT_EQ(all.after_start.of(2).front(), dependent(4));
  EXPECT_TRUE(all.after_start.of(4).empty());
}

[[nodiscard]] std::string refusal_of(const program& wrong) {
  try {
    check(wrong);
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(program, is_checked) {
  program made = of_grid({1, 1, 1, 3});
  made.templates[0].operations = {to(1, peer_rule::rank)};
  made.templates[0].after_end.begin = made.templates[0].after_start.begin = {0, 0};
  EXPECT_EQ(refusal_of(made), "accepted");
  const auto with = [&](auto change) {
    program wrong = made;
    change(wrong, wrong.templates[0].operations[0]);
    return refusal_of(wrong);
  };
  EXPECT_EQ(with([](program&, operation& one) { one.peer = 3; }),
            "template 0, operation 0: send 8b to 3 tag 0: there are 3 ranks");
  EXPECT_EQ(with([](program&, operation& one) { one = to(2, peer_rule::exclusive_or); }),
            "rank 1: send 8b to 3 tag 0: there are 3 ranks");
  EXPECT_EQ(with([](program&, operation& one) { one = to(0, peer_rule::grid_step); }),
            "template 0, operation 0: its step in the grid does not exist");
  EXPECT_EQ(with([](program&, operation& one) { one.peer = any; }),
            "template 0, operation 0: a send to any rank");
  EXPECT_EQ(with([](program&, operation& one) { one.name = 1; }),
            "template 0, operation 0: its name does not exist");
  EXPECT_EQ(with([](program& all, operation& one) {
              one.kind = operation_kind::calculation;
              one.duration = duration_rule::drawn;
              all.samples = {{}};
            }),
            "template 0, operation 0: there are no samples of its duration");
  EXPECT_EQ(with([](program& all, operation&) { all.template_of[2] = 1; }),
            "rank 2: there is no template 1");
  EXPECT_EQ(with([](program& all, operation&) {
              all.templates[0].after_end.edges = {dependent(1)};
              all.templates[0].after_end.begin = {0, 1};
            }),
            "template 0: an edge leads to operation 1 of 1");
  EXPECT_EQ(with([](program& all, operation&) { all.templates[0].after_end.begin = {0}; }),
            "template 0: its edges do not fit its operations");
  EXPECT_EQ(with([](program& all, operation&) { all.pace = {1}; }), "3 ranks have 1 paces");
  EXPECT_EQ(with([](program& all, operation&) { all.iterations = 0; }),
            "the program has no iteration");
  EXPECT_EQ(with([](program& all, operation&) {
              all.steps = {{}}, all.grid = {1, 1, 2, 2};
            }),
            "3 ranks do not fill the grid");
}

}  // namespace
}  // namespace plait::test
