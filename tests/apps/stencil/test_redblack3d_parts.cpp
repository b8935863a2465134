// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "redblack3d/kernel.hpp"
#include "redblack3d/policy.hpp"
#include "redblack3d/problem.hpp"
#include "redblack3d/shares.hpp"
#include "redblack3d/team.hpp"
#include "support/refusal.hpp"

namespace {

using namespace redblack3d;
using plait::test::refusal;

std::string name_of(const char* text) {
  return parse_policy(text).name();
}

std::string complaint(const char* text) {
  const std::string all = refusal([&] { (void)parse_policies(text); });
  EXPECT_EQ(all.find('\n'), std::string::npos);
  return all.substr(0, all.find("; a policy is HAND, MT(k)"));
}

TEST(policy, is_written_as_the_paper_writes_it) {
  for (const char* text : {"HAND", "MT(1)+!OLAP", "MT(8)+!OLAP", "MT(7)+OLAP", "MT(7)+OLAP+XTRA",
                           "MT(7)+OLAP+XTRA+IRR(44:50)", "MT(4)+OLAP+XTRA+FACES", "MT(2)+!OLAP+DYN",
                           "MT(2)+OLAP+XTRA+DYN", "TASK", "TASK+MT(2)", "TASK+XTRA", "IDEAL"})
    EXPECT_EQ(name_of(text), text);
}

TEST(policy, may_be_written_in_other_ways) {
  EXPECT_EQ(name_of("MT(4)"), "MT(4)+!OLAP");
  EXPECT_EQ(name_of(" MT(1) + !OLAP "), "MT(1)+!OLAP");
  EXPECT_EQ(name_of("IRR(44,50) +XTRA+OLAP+MT( 7 )"), "MT(7)+OLAP+XTRA+IRR(44:50)");
  EXPECT_EQ(name_of("MT(2)+TASK"), "TASK+MT(2)");
}

TEST(policy, holds_what_its_words_say) {
  const policy p = parse_policy("MT(7)+OLAP+XTRA+IRR(44:50)");
  EXPECT_EQ(p.what, policy::kind::multi_tier);
  EXPECT_EQ(p.threads, 7);
  EXPECT_TRUE(p.overlap);
  EXPECT_TRUE(p.proxy);
  EXPECT_EQ(p.share, policy::sharing::irregular);
  EXPECT_EQ(p.first_weight, 44);
  EXPECT_EQ(p.second_weight, 50);
  EXPECT_EQ(parse_policy("TASK").threads, 0);
}

TEST(policy, of_a_single_tier_has_a_process_for_each_processor) {
  for (const char* text : {"HAND", "IDEAL", "MT(1)", "MT(1)+OLAP"})
    EXPECT_TRUE(parse_policy(text).single_tier()) << text;
  for (const char* text :
       {"MT(1)+OLAP+XTRA", "MT(1)+DYN", "MT(2)", "MT(2)+OLAP+XTRA+IRR(1:2)", "TASK", "TASK+MT(1)"})
    EXPECT_FALSE(parse_policy(text).single_tier()) << text;
}

TEST(policy, of_a_list_may_have_commas_of_its_own) {
  const std::vector<policy> all = parse_policies("HAND,MT(2)+IRR(1,3), MT(2)+OLAP");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].name(), "MT(2)+!OLAP+IRR(1:3)");
  EXPECT_EQ(refusal([] { (void)parse_policies("MT(1),HAND,MT(1)+!OLAP"); }),
            "policy MT(1)+!OLAP is given twice");
}

TEST(policy, nonsense_is_refused_in_one_line_with_the_grammar) {
  for (const auto& [text, why] : {
           std::pair{"", "policy '': a word is missing"},
           {"HAND,", "policy '': a word is missing"},
           {"MT(2)++OLAP", "policy 'MT(2)++OLAP': a word is missing"},
           {"OLAP", "policy 'OLAP': it says neither HAND, MT(k), TASK nor IDEAL"},
           {"DYN", "policy 'DYN': it says neither HAND, MT(k), TASK nor IDEAL"},
           {"HAND+OLAP", "policy 'HAND+OLAP': nothing goes with HAND"},
           {"HAND+MT(2)", "policy 'HAND+MT(2)': nothing goes with HAND"},
           {"IDEAL+XTRA", "policy 'IDEAL+XTRA': nothing goes with IDEAL"},
           {"HAND+IDEAL", "policy 'HAND+IDEAL': nothing goes with HAND"},
           {"HAND+HAND", "policy 'HAND+HAND': HAND is given twice"},
           {"MT", "policy 'MT': MT wants its threads, as in MT(4)"},
           {"MT()", "policy 'MT()': '' in MT is no number from 1 to 1024"},
           {"MT(0)", "policy 'MT(0)': '0' in MT is no number from 1 to 1024"},
           {"MT(-1)", "policy 'MT(-1)': '-1' in MT is no number from 1 to 1024"},
           {"MT(2x)", "policy 'MT(2x)': '2x' in MT is no number from 1 to 1024"},
           {"MT(9999999999)",
            "policy 'MT(9999999999)': '9999999999' in MT is no number from 1 to 1024"},
           {"MT(2", "policy 'MT(2': 'MT(2' does not end with a parenthesis"},
           {"MT(2)+MT(3)", "policy 'MT(2)+MT(3)': MT is given twice"},
           {"MT(2)+XTRA", "policy 'MT(2)+XTRA': XTRA is of use to OLAP only"},
           {"MT(2)+FACES", "policy 'MT(2)+FACES': FACES is of use to OLAP only"},
           {"MT(2)+OLAP+FACES+DYN",
            "policy 'MT(2)+OLAP+FACES+DYN': FACES and DYN exclude each other"},
           {"TASK+FACES", "policy 'TASK+FACES': TASK shares the work by itself, without FACES"},
           {"MT(2)+!OLAP+XTRA", "policy 'MT(2)+!OLAP+XTRA': XTRA is of use to OLAP only"},
           {"MT(2)+OLAP+!OLAP", "policy 'MT(2)+OLAP+!OLAP': OLAP and !OLAP exclude each other"},
           {"MT(2)+IRR", "policy 'MT(2)+IRR': IRR wants the weights of two sets, as in IRR(44:50)"},
           {"MT(2)+IRR(3)",
            "policy 'MT(2)+IRR(3)': IRR wants the weights of two sets, as in IRR(44:50)"},
           {"MT(2)+IRR(1:2:3)",
            "policy 'MT(2)+IRR(1:2:3)': '2:3' in IRR is no number from 1 to 1000000"},
           {"MT(2)+IRR(0:1)", "policy 'MT(2)+IRR(0:1)': '0' in IRR is no number from 1 to 1000000"},
           {"MT(1)+IRR(1:2)",
            "policy 'MT(1)+IRR(1:2)': IRR divides threads into two sets, so MT(k) needs k > 1"},
           {"MT(2)+IRR(1:2)+IRR(1:2)", "policy 'MT(2)+IRR(1:2)+IRR(1:2)': IRR is given twice"},
           {"MT(2)+IRR(1:2)+DYN", "policy 'MT(2)+IRR(1:2)+DYN': IRR and DYN exclude each other"},
           {"TASK+OLAP", "policy 'TASK+OLAP': TASK overlaps by what tasks declare, without OLAP"},
           {"TASK+DYN", "policy 'TASK+DYN': TASK shares the work by itself, without IRR or DYN"},
           {"hand", "policy 'hand': unknown word 'hand'"},
           {"XMT(3)", "policy 'XMT(3)': unknown word 'XMT'"},
       })
    EXPECT_EQ(complaint(text), why);
}

policy of_threads(int threads) {
  return {.what = policy::kind::multi_tier, .threads = threads};
}

policy irregular(int threads, int first, int second) {
  policy result = of_threads(threads);
  result.share = policy::sharing::irregular;
  result.first_weight = first;
  result.second_weight = second;
  return result;
}

TEST(shares, irr_44_50_gives_four_threads_236_of_504_planes) {
  const domain whole({8, 4, 504}, boundary::dirichlet, 1);
  const auto all = tiers_of(whole, irregular(7, 44, 50)).shares(0, plait::block_part::whole);
  EXPECT_EQ(all[3].front().high[plait::axis::z], 236);  // 504 * 44 / 94, to the nearest plane
  EXPECT_EQ(all[0].front().high[plait::axis::z], 59);
  EXPECT_EQ(all[4].front(), box({0, 0, 236}, {4, 4, 326}));
  EXPECT_EQ(all[6].front().high[plait::axis::z], 504);
}

/// The cells of IRR's first set of threads.
std::int64_t first_set(std::array<std::int64_t, 3> cells, const policy& how) {
  const domain whole(cells, boundary::dirichlet, 1);
  const auto all = tiers_of(whole, how).shares(0, plait::block_part::whole);
  std::int64_t result = 0;
  for (std::size_t i = 0; i < (all.size() + 1) / 2; ++i)
    for (const box& own : all[i]) result += own.size();
  return result;
}

TEST(shares, irr_keeps_its_ratio_along_the_first_axis_that_allows_it) {
  const policy how = irregular(3, 1, 3);  // a quarter for two threads
  EXPECT_EQ(first_set({16, 8, 8}, how), 128);
  // Four planes are enough for three threads, but not for two of them in a quarter.
  EXPECT_EQ(first_set({16, 8, 4}, how), 64);
  EXPECT_EQ(first_set({16, 2, 4}, how), 16);
}

TEST(shares, irr_is_refused_for_all_blocks_where_one_does_not_allow_its_ratio) {
  const domain whole({10, 6, 11}, boundary::dirichlet, 3, {1, 1, 3});  // 5x6 by 4, 4 and 3 planes
  check_shares(whole, irregular(3, 2, 1));
  check_shares(whole, of_threads(100));
  EXPECT_EQ(
      refusal([&] { check_shares(whole, irregular(7, 1, 2)); }),
      "policy MT(7)+!OLAP+IRR(1:2), of either colour: 4 and 3 workers in the ratio 1:2 cannot "
      "share the 5x6x4 cells of block 0: no axis has planes enough for each worker");
  policy overlapping = irregular(6, 1, 1);
  overlapping.overlap = true;
  check_shares(whole, overlapping);  // along y
  EXPECT_EQ(refusal([] {
              const domain flat({8, 4, 8}, boundary::dirichlet, 2, {1, 2, 1});
              policy how = irregular(9, 1, 1);
              how.overlap = true;
              check_shares(flat, how);
            }),
            "policy MT(9)+OLAP+IRR(1:1), of either colour: 5 and 4 workers in the ratio 1:1 cannot "
            "share the 4x1x8 cells of the interior of block 0: no axis has planes enough for each "
            "worker");
}

TEST(team, every_thread_does_its_part_of_every_round) {
  team threads(4);
  std::vector<int> done(4, 0);
  for (int round = 0; round < 1000; ++round)
    threads.run([&](int thread) { ++done[static_cast<std::size_t>(thread)]; });
  EXPECT_EQ(done, std::vector<int>(4, 1000));
}

/// One process that is its own neighbour copies its ghosts.
void fill_own_ghosts(problem& p, colour c) {
  const plait::view<double, 3> u = p.data().u[index_of(c)];
  for (const auto& copy : plait::ghost_copies(p.whole().blocks(), plait::ghost_reach::faces, 0))
    plait::for_each_cell(copy.from,
                         [&](const plait::point<3>& cell) { u[cell + copy.distance] = u[cell]; });
}

void step(problem& p, const std::vector<box>& pieces) {
  for (const colour c : both_colours) {
    fill_own_ghosts(p, other(c));
    for (const box& one : pieces) relax(p.data(), c, one);
  }
}

class sweep : public ::testing::TestWithParam<std::pair<std::array<std::int64_t, 3>, boundary>> {};

TEST_P(sweep, gives_the_bits_of_a_serial_run_and_the_closed_form_however_it_is_cut) {
  problem p(domain(GetParam().first, GetParam().second, 1), 0);
  constexpr int steps = 9;
  p.keep_serial_reference(steps);
  for (const std::int64_t thickness : {1, 2, 100}) {
    std::vector<box> pieces;
    const box all = p.cells();
    for (std::int64_t z = all.high.along[2]; z > 0; z -= thickness) {
      box piece = all;
      piece.low.along[2] = std::max<std::int64_t>(0, z - thickness);
      piece.high.along[2] = z;
      box rest = piece;
      piece.high.along[0] = rest.low.along[0] = all.high.along[0] / 2;
      pieces.push_back(piece);  // may be empty
      pieces.push_back(rest);
    }
    p.reset(setting::distributed);
    for (int i = 0; i < steps; ++i) step(p, pieces);
    const verdict exact = p.check_against_reference();
    EXPECT_TRUE(exact.verified) << exact.complaint;
    const verdict close = p.check_closed_form(setting::distributed, steps);
    EXPECT_TRUE(close.verified) << close.complaint;
    EXPECT_GT(close.max_error, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    sizes, sweep,
    ::testing::Values(std::pair{std::array<std::int64_t, 3>{7, 5, 3}, boundary::dirichlet},
                      std::pair{std::array<std::int64_t, 3>{64, 11, 10}, boundary::dirichlet},
                      std::pair{std::array<std::int64_t, 3>{2, 6, 4}, boundary::periodic},
                      std::pair{std::array<std::int64_t, 3>{34, 8, 10}, boundary::periodic}));

TEST(problem, a_step_too_many_and_a_wrong_bit_are_noticed) {
  problem p(domain({9, 6, 5}, boundary::dirichlet, 1), 0);
  p.reset(setting::distributed);
  for (int i = 0; i < 4; ++i) step(p, {p.cells()});
  p.keep_as_reference();
  EXPECT_TRUE(p.check_closed_form(setting::distributed, 4).verified);
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 3).verified);
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 5).verified);
  double& cell = p.data().u[1](2, 3, 4);  // black, x = 2 * 2 + 0
  cell = std::nextafter(cell, 1.0);
  const verdict found = p.check_against_reference();
  EXPECT_FALSE(found.verified);
  EXPECT_NE(found.complaint.find("cell (4, 3, 4)"), std::string::npos) << found.complaint;
  EXPECT_TRUE(p.check_closed_form(setting::distributed, 4).verified);
  cell = std::nan("");
  EXPECT_FALSE(p.check_closed_form(setting::distributed, 4).verified);
}

TEST(domain, faces_that_no_message_can_hold_are_refused_before_there_is_data) {
  EXPECT_EQ(refusal([] {
              (void)domain({1 << 16, 1 << 16, 2}, boundary::dirichlet, 2, {1, 1, 2});
            }),
            "a face of 2149187584 values across z is more than one message can hold; use more "
            "processes along another axis");
  EXPECT_EQ(refusal([] {
              (void)domain({2, 65536, 65536}, boundary::periodic, 2, {1, 2, 1});
            }),
            "a face of 2147483648 values across x is more than one message can hold; use more "
            "processes along another axis");
  (void)domain({1 << 16, 1 << 16, 2}, boundary::dirichlet, 1);  // none of its faces is sent
}

TEST(domain, blocks_of_nodes_are_their_first_ranks) {
  const domain nodes({8, 4, 12}, boundary::periodic, 3, {1, 1, 3}, 2);
  const domain processes({8, 4, 12}, boundary::periodic, 3, {1, 1, 3});
  for (int node = 0; node < 3; ++node) {
    EXPECT_EQ(nodes.block(2 * node), processes.block(node));
    EXPECT_TRUE(nodes.blocks().blocks_of(2 * node + 1).empty());
  }
  EXPECT_EQ(nodes.grid(), processes.grid());
  const problem p(nodes, 4);
  EXPECT_EQ(p.cells(), box({0, 0, 8}, {4, 4, 12}));
}

TEST(domain, ranks_of_a_node_follow_each_other_in_its_block) {
  using grid = plait::process_grid<3>;
  const domain nodes({22, 9, 10}, boundary::dirichlet, 4, {1, 2, 2}, 3);
  const domain processes({22, 9, 10}, boundary::dirichlet, grid({1, 2, 2}), grid({1, 1, 3}));
  EXPECT_EQ(processes.grid(), grid({1, 2, 6}));
  for (int rank = 0; rank < 12; ++rank) {
    EXPECT_TRUE(nodes.block(rank - rank % 3).contains(processes.block(rank))) << rank;
    EXPECT_LE(processes.block(rank).size(), processes.block(0).size()) << rank;
  }
  EXPECT_EQ(refusal([&] {
              (void)domain({22, 9, 5}, boundary::dirichlet, grid({1, 2, 2}), grid({1, 1, 3}));
            }),
            "5 cells along z cannot be divided among 6 processes (grid 1x2x6); every block needs "
            "at least 1");
}

TEST(domain, one_cell_is_not_said_to_be_several) {
  EXPECT_EQ(refusal([] {
              (void)domain({4, 4, 1}, boundary::dirichlet, 2);
            }),
            "1 cell along z cannot be divided among 2 processes (grid 1x1x2); every block needs at "
            "least 1");
  EXPECT_EQ(refusal([] {
              (void)domain({4, 4, 1}, boundary::periodic, 1);
            }),
            "1 periodic cell along z cannot be coloured red and black; give an even number");
}

TEST(domain, odd_periodic_grids_and_too_many_processes_are_refused) {
  EXPECT_EQ(refusal([] {
              (void)domain({4, 5, 6}, boundary::periodic, 1);
            }),
            "5 periodic cells along y cannot be coloured red and black; give an even number");
  EXPECT_EQ(refusal([] {
              (void)domain({4, 9, 9}, boundary::dirichlet, 3, {3, 1, 1});
            }),
            "4 cells along x cannot be divided among 3 processes (grid 3x1x1); every block needs "
            "at least a pair of them");
}

}  // namespace
