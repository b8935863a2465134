// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/row_blocks.hpp"
#include "points.hpp"
#include "problem.hpp"
#include "support/refusal.hpp"
#include "workload.hpp"

namespace {

using namespace ft_probe;
using ft_probe::index;  // and not the one of <strings.h>
using plait::test::refusal;

TEST(blocks, of_rows_lie_at_the_receiver_by_sender) {
  const row_blocks shape = row_blocks::of_rows("--rows", 8, 4, 3);
  EXPECT_EQ(shape.rows_of(1), 8);
  index sum = 0;
  for (int to = 0; to < 3; ++to) {
    EXPECT_EQ(shape.rows_to(to), 3 * shape.sent(0, to).size());
    EXPECT_EQ(shape.place(2, to), 2 * shape.sent(0, to).size());
    sum += shape.rows_to(to);
  }
  EXPECT_EQ(sum, 24);
  EXPECT_EQ(shape.largest_block(), 3);
}

TEST(blocks, of_a_grid_are_the_rows_whose_y_the_receiver_has) {
  const row_blocks shape = row_blocks::of_grid("--grid", {60, 45, 35}, 4);
  EXPECT_EQ(shape.length(), 60);
  index all = 0;
  for (int rank = 0; rank < 4; ++rank) {
    all += shape.rows_of(rank);
    EXPECT_EQ(shape.rows_of(rank) % 45, 0);
    EXPECT_EQ(shape.rows_to(rank) % 35, 0);
  }
  EXPECT_EQ(all, 45 * 35);
}

TEST(blocks, are_sent_a_piece_of_each_in_turn_from_the_next_ranks_to_the_own) {
  const row_blocks shape = row_blocks::of_rows("--rows", 7, 4, 3);  // 2, 2 and 3 rows
  std::string order;
  spectral::for_pieces_in_turn(shape, 1, 3, [&](int peer, const range& rows) {
    order += std::to_string(peer) + ":" + std::to_string(rows.low) + " ";
    EXPECT_EQ(rows.size(), 1);
  });
  EXPECT_EQ(order, "2:4 0:0 1:2 2:5 0:1 1:3 2:6 ");
}

TEST(blocks, with_fewer_rows_or_planes_than_ranks_are_refused) {
  EXPECT_EQ(refusal([] { (void)row_blocks::of_rows("--rows", 3, 8, 4); }),
            "--rows is 3; 4 ranks need at least 4 rows");
  EXPECT_NE(refusal([] { (void)row_blocks::of_grid("--grid", {9, 5, 3}, 4); }), "");
}

TEST(points, cut_blocks_into_x_over_p_messages) {
  const row_blocks shape = row_blocks::of_rows("--rows", 64, 4, 2);
  const std::vector<point> all = parse_points("--messages", "exchange,slabs,8,9,pencils");
  EXPECT_FALSE(all[0].overlapped);
  const std::vector<index> messages{2, 2, 8, 10, 64};
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].messages_of(shape), messages[i]);
}

TEST(points, that_are_no_points_are_refused) {
  for (const char* text : {"", "slab", "8x", "0", "slabs,slabs", "-3"})
    EXPECT_NE(refusal([&] { (void)parse_points("--messages", text); }), "") << text;
  const row_blocks shape = row_blocks::of_rows("--rows", 64, 4, 4);
  for (const char* text : {"3", "65"})
    EXPECT_NE(refusal([&] { check_points("--messages", parse_points("", text), shape); }), "");
}

TEST(a_workload, has_about_the_operations_that_are_asked_for) {
  for (const double scale : {0.25, 0.5, 0.75, 1.3, 4.6})
    EXPECT_NEAR(workload_of(512, scale).scale(), scale, 0.02) << scale;
  EXPECT_EQ(workload_of(512, 0).transformed(), 0);
  EXPECT_EQ(workload_of(512, 1).times, 1);
  EXPECT_EQ(workload_of(512, 1).part, 0);
  EXPECT_EQ(workload_of(512, 4).times, 4);
  EXPECT_EQ(workload_of(1, 2).times, 2);
}

/// Everything in one process: of one rank, all rows stay.
finding run_alone(problem& p, const row_blocks& shape, const workload& work) {
  p.reset(shape, work);
  p.transform({0, shape.rows_of(0)});
  p.copy_own({0, shape.rows_of(0)});
  return p.check(true);
}

TEST(a_transformed_row, is_one_spike_and_what_is_beyond_stays) {
  const std::array shapes{row_blocks::of_rows("--rows", 7, 60, 1),
                          row_blocks::of_grid("--grid", {31, 5, 3}, 1)};
  problem p(shapes, 0, spectral::planning::estimated);
  for (const row_blocks& shape : shapes)
    for (const double scale : {0.0, 0.5, 1.0, 2.4}) {
      const finding found = run_alone(p, shape, workload_of(shape.length(), scale));
      EXPECT_EQ(found.complaint, "") << scale;
      EXPECT_LE(found.max_error, found.bound);
    }
}

TEST(a_check, finds_what_did_not_come_what_came_twice_and_what_was_not_transformed) {
  const std::array shapes{row_blocks::of_rows("--rows", 7, 60, 1)};
  problem p(shapes, 0, spectral::planning::estimated);
  const workload work = workload_of(60, 1);
  p.reset(shapes[0], work);
  p.transform({0, 7});
  p.copy_own({0, 6});
  EXPECT_NE(p.check(true).complaint, "") << "row 6 did not come";
  p.copy_own({0, 7});
  EXPECT_EQ(p.check(true).complaint, "");
  std::ranges::copy(p.outgoing({2, 3}), p.incoming(0, {3, 4}).begin());
  EXPECT_NE(p.check(true).complaint, "") << "row 2 came in place of row 3";
  p.reset(shapes[0], work);
  p.transform({0, 6});
  p.copy_own({0, 7});
  EXPECT_NE(p.check(true).complaint, "") << "row 6 is not transformed";
}

}  // namespace
