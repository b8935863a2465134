// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>

#include "generator.hpp"
#include "panel_broadcast.hpp"
#include "settings.hpp"

namespace hpl {
namespace {

TEST(generator, begins_with_the_published_recurrence) {
  std::uint64_t x = 100;
  generator entries(0);
  for (int i = 0; i < 100; ++i) {
    x = 6364136223846793005U * x + 1;
    EXPECT_EQ(entries.next(), 0.5 - static_cast<double>(x) * 0x1p-64) << i;
  }
}

TEST(generator, stands_at_any_entry) {
  generator all(0);
  for (std::uint64_t i = 0; i < 300; ++i) EXPECT_EQ(generator(i).next(), all.next()) << i;
}

/// Every rank carries out its list; a send never waits.  Returns how often each number has come.
std::vector<std::vector<int>> carry_out(broadcast how, int ranks, int root, std::int64_t count) {
  std::vector<std::vector<transfer>> lists;
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks));
  std::vector<std::vector<int>> has(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    lists.push_back(transfers_of(how, ranks, rank, root, count));
    has[static_cast<std::size_t>(rank)].assign(static_cast<std::size_t>(count), rank == root);
  }
  std::map<std::pair<int, int>, std::deque<transfer>> on_the_way;
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < ranks; ++rank) {
      auto& at = next[static_cast<std::size_t>(rank)];
      auto& mine = has[static_cast<std::size_t>(rank)];
      if (at == lists[static_cast<std::size_t>(rank)].size()) continue;
      const transfer& one = lists[static_cast<std::size_t>(rank)][at];
      if (one.sends) {
        for (std::int64_t i = one.first; i < one.first + one.count; ++i)
          EXPECT_EQ(mine[static_cast<std::size_t>(i)], 1) << "sent before it was there";
        on_the_way[{rank, one.peer}].push_back(one);
      } else {
        auto& coming = on_the_way[{one.peer, rank}];
        if (coming.empty()) continue;
        EXPECT_EQ(coming.front().first, one.first);
        EXPECT_EQ(coming.front().count, one.count);
        coming.pop_front();
        for (std::int64_t i = one.first; i < one.first + one.count; ++i)
          ++mine[static_cast<std::size_t>(i)];
      }
      ++at;
      moved = true;
    }
  }
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(next[static_cast<std::size_t>(rank)], lists[static_cast<std::size_t>(rank)].size())
        << "rank " << rank << " waits for ever";
  return has;
}

TEST(panel_broadcast, brings_every_number_to_every_process_once) {
  for (int how = 0; how < 6; ++how)
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (int root = 0; root < ranks; ++root)
        for (const std::int64_t count : {1, 5, 40})
          for (const auto& has : carry_out(static_cast<broadcast>(how), ranks, root, count))
            for (const int times : has)
              ASSERT_EQ(times, 1) << broadcast_names[static_cast<std::size_t>(how)] << ", " << ranks
                                  << " ranks, root " << root;
}

class file {
 public:
  explicit file(const std::string& text) { std::ofstream(path()) << text; }
  ~file() { std::remove(path().c_str()); }
  [[nodiscard]] static std::string path() { return ::testing::TempDir() + "/plait_test_HPL.dat"; }
};

std::string hpl_dat(const std::string& sizes) {
  return "HPLinpack benchmark input file\nInnovative Computing Laboratory\nHPL.out\n6\n" + sizes +
         "1 # of NBs\n64 NBs\n0 PMAP\n2 # of grids\n1 2 Ps\n2 1 Qs\n16.0 threshold\n1 # PFACT\n"
         "2 PFACTs\n2 # NBMIN\n4 8 NBMINs\n1 # NDIV\n2 NDIVs\n1 # RFACT\n1 RFACTs\n1 # BCAST\n"
         "4 BCASTs\n1 # DEPTH\n1 DEPTHs\n2 SWAP\n64 threshold\n0 L1\n0 U\n1 Equil\n8 align\n";
}

TEST(hpl_dat, is_read_as_all_combinations) {
  const file written(hpl_dat("2 # of Ns\n1000 2000 Ns\n"));
  const std::vector<settings> all = read_hpl_dat(file::path());
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].n, 1000);
  EXPECT_EQ(all[0].grid.columns, 2);
  EXPECT_EQ(all[0].nbmin, 4);
  EXPECT_EQ(all[1].nbmin, 8);
  EXPECT_EQ(all[7].n, 2000);
  EXPECT_EQ(all[7].grid.rows, 2);
  EXPECT_EQ(all[7].bcast, broadcast::spread);
  EXPECT_EQ(all[7].rfact, looking::crout);
  EXPECT_EQ(netlib_code(all[7]), "WR14C2R8");
}

TEST(hpl_dat, names_the_line_that_is_wrong) {
  const file written(hpl_dat("2 # of Ns\n1000 Ns\n"));
  try {
    (void)read_hpl_dat(file::path());
    FAIL() << "one size is missing";
  } catch (const plait::usage_error& error) {
    EXPECT_NE(std::string(error.what()).find("line 6"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hpl
