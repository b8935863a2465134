// SPDX-License-Identifier: BSD-3-Clause
// Copies that the program chooses: parts of ghosts, with and without what lies between rows.
#include <cstdint>
#include <string>
#include <vector>

#include "array_moves_test.hpp"

namespace plait::test {
namespace {

using copies = std::vector<block_copy<3>>;

[[nodiscard]] copies ghosts_of_own(const decomposition<3>& blocks) {
  return ghost_copies(blocks, ghost_reach::faces, test_environment().rank());
}

/// Ghosts beside a face that some of these copies fill are what their cells are; all others stay.
[[nodiscard]] expectation<3> filled_by(const copies& all, const box<3>& domain) {
  return [all, domain](int id, const point<3>& cell, int step) {
    for (const block_copy<3>& one : all)
      if (one.destination == id && one.to().contains(cell))
        return value_of(domain, cell - one.distance, step);
    return untouched;
  };
}

/// Expects that moves fill the ghosts in `all`, and leave all others and the block's own cells as
/// they are.
void moves_are_right(drivers& d, drive how, const decomposition<3>& blocks, const copies& all,
                     const copy_options& options) {
  block_array<double, 3> u{blocks, d.env.rank()};
  const expectation<3> ghosts = filled_by(all, blocks.global());
  run_moves<3>(
      d, how, u, u, "drive " + std::to_string(static_cast<int>(how)),
      [&] { return moving(u, all, options); },
      [&](int id, const point<3>& cell, int step) {
        if (blocks.block(id).contains(cell)) return value_of(blocks.global(), cell, step);
        return ghosts(id, cell, step);
      });
}

/// Rows with 2 ghosts between: of 300 cells they travel, of 20 they would be too much.
[[nodiscard]] decomposition<3> slabs(std::int64_t x, const std::array<int, 3>& grid) {
  const std::int64_t n = 3 * test_environment().size();
  return decompose<3>({.global = {x, n, n}, .grid = grid, .ghosts = 1}, test_environment().size());
}

TEST(moving, fills_the_ghosts_it_is_given_and_no_others) {
  drivers d;
  for (const drive how : {drive::start_and_wait, drive::xtra, drive::tasks, drive::replay})
    for (const std::int64_t x : {300, 20})
      for (const auto& grid : {std::array{1, 1, 0}, std::array{1, 0, 1}, std::array{0, 1, 1}}) {
        const decomposition<3> blocks = slabs(x, grid);
        copies some;
        for (block_copy<3> one : ghosts_of_own(blocks))
          for (const box<3>& part : cut_small(one.from, extents<3>(1000, 2, 1000))) {
            if (part.low[axis::y] % 4 == 0) continue;
            one.from = part;
            some.push_back(one);
          }
        for (const bool gaps : {false, true})
          moves_are_right(d, how, blocks, some, {.name = "parts", .gaps_travel = gaps});
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(moving, packs_nothing_where_gaps_travel) {
  const auto tasks_beside_messages = [](const decomposition<3>& blocks, bool gaps,
                                        std::int64_t left_out = 0) {
    block_array<double, 3> u{blocks, test_environment().rank()};
    copies all = ghosts_of_own(blocks);
    for (block_copy<3>& one : all) one.from.low[axis::x] += left_out;
    const move_plan plan = moving(u, all, {.name = "ghosts", .gaps_travel = gaps});
    return plan.tasks() - plan.messages_sent() - plan.messages_received();
  };
  const auto faces = ghosts_of_own(slabs(300, {1, 1, 0})).size();
  EXPECT_EQ(tasks_beside_messages(slabs(300, {1, 1, 0}), false), faces);
  EXPECT_EQ(tasks_beside_messages(slabs(300, {1, 1, 0}), true), 0U);
  // Too much of the message would be gaps; rows lie a plane apart; cells or ghosts that are filled
  // lie between.
  EXPECT_EQ(tasks_beside_messages(slabs(20, {1, 1, 0}), true), faces);
  EXPECT_EQ(tasks_beside_messages(slabs(300, {1, 0, 1}), true), faces);
  EXPECT_EQ(tasks_beside_messages(slabs(300, {1, 1, 0}), true, 1), faces);
  const decomposition<3> around = decompose<3>({.global = {300, 3, 3 * test_environment().size()},
                                                .grid = {1, 1, 0},
                                                .ghosts = 1,
                                                .periodic = {true, false, false}},
                                               test_environment().size());
  EXPECT_EQ(tasks_beside_messages(around, true), faces + 1);  // and copies within the rank
}

TEST(moving, carries_the_gaps_only_where_they_travel) {
  const decomposition<3> blocks = slabs(300, {1, 1, 0});
  block_array<double, 3> u{blocks, test_environment().rank()};
  const copies all = ghosts_of_own(blocks);
  const move_plan cells = moving(u, all, {});
  const move_plan with_gaps = moving(u, all, {.gaps_travel = true});
  const auto rows = static_cast<std::size_t>(blocks.global().extent(axis::y));
  const auto stride = static_cast<std::size_t>(u.block(u.local_blocks().front()).stride(axis::y));
  EXPECT_EQ(cells.bytes_sent(), cells.messages_sent() * rows * 300 * sizeof(double));
  EXPECT_EQ(with_gaps.bytes_sent(),
            cells.messages_sent() * ((rows - 1) * stride + 300) * sizeof(double));
  EXPECT_EQ(with_gaps.bytes_received(), with_gaps.bytes_sent());
}

}  // namespace
}  // namespace plait::test
