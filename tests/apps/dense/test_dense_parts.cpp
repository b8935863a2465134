// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_cyclic.hpp>
#include <plait/core/error.hpp>

#include "common/blas.hpp"
#include "common/dealt_axis.hpp"
#include "product.hpp"

namespace {

using plait::dense::dealt_axis;

TEST(dealt_axis, deals_as_block_cyclic_does) {
  for (const std::int64_t size : {1, 7, 12, 31})
    for (const std::int64_t block : {1, 3, 5, 40})
      for (const int places : {1, 2, 5}) {
        const dealt_axis axis{size, block, places};
        const plait::block_cyclic<1> deal({.global = plait::extents<1>(size),
                                           .block = plait::extents<1>(block),
                                           .grid = {places}},
                                          places);
        for (int place = 0; place < places; ++place)
          EXPECT_EQ(axis.count(place), deal.packed_extent(place)[plait::axis::x]);
        for (std::int64_t i = 0; i < size; ++i) {
          const plait::point<1> cell(i);
          EXPECT_EQ(axis.place_of(i), deal.rank_of(cell)) << size << ' ' << block << ' ' << i;
          EXPECT_EQ(axis.to_local(i), deal.to_packed(cell)[plait::axis::x]);
          EXPECT_EQ(axis.to_global(axis.to_local(i), axis.place_of(i)), i);
        }
      }
}

TEST(dealt_axis, counts_the_indices_below_any_end) {
  const dealt_axis axis{23, 4, 3};
  for (int place = 0; place < 3; ++place) {
    std::int64_t count = 0;
    for (std::int64_t end = 0; end <= 23; ++end) {
      EXPECT_EQ(axis.count_below(end, place), count) << place << ' ' << end;
      if (end < 23 && axis.place_of(end) == place) ++count;
    }
  }
}

TEST(dealt_axis, may_be_empty) {
  const dealt_axis axis = plait::dense::in_one_block_each(0, 3);
  for (int place = 0; place < 3; ++place) EXPECT_EQ(axis.count(place), 0);
}

TEST(summa_form, is_chosen_by_volume) {
  using summa::form, summa::op, summa::product;
  // A long k: partial sums of C are far smaller than panels of A and B.
  const product long_k{.m = 512, .n = 512, .k = 65536, .of_a = op::transposed};
  const summa::arrangement chosen = summa::choose(long_k, 2, {}, nullptr);
  EXPECT_EQ(chosen.stationary, form::stationary_b);
  EXPECT_EQ(chosen.grid.rows, 2);
  EXPECT_FALSE(chosen.transposes_a || chosen.transposes_b);
  // Half of C: 1 MiB to a process and none to the other; A and B would be 128 MiB.
  EXPECT_EQ(8 * summa::received_entries(long_k, form::stationary_b, {2, 1}), 1 << 20);
  EXPECT_EQ(
      8 * summa::received_entries({.m = 512, .n = 512, .k = 65536}, form::stationary_c, {1, 2}),
      std::int64_t{1} << 27);
  const product square{.m = 512, .n = 512, .k = 512};
  EXPECT_EQ(summa::choose(square, 4, {}, nullptr).stationary, form::stationary_c);
}

TEST(summa_steps, cover_the_axis_and_cross_no_block) {
  const summa::product what{.m = 20, .n = 30, .k = 41, .block = 0, .panel = 6};
  for (const auto stationary :
       {summa::form::stationary_c, summa::form::stationary_a, summa::form::stationary_b}) {
    const summa::arrangement where = summa::arrange(what, stationary, {3, 2});
    std::int64_t next = 0;
    for (const summa::step& s : summa::steps_of(what, where)) {
      EXPECT_EQ(s.first, next);
      EXPECT_LE(s.width, 6);
      next += s.width;
      if (s.row_root >= 0) {
        EXPECT_EQ(where.left.columns.place_of(s.first + s.width - 1), s.row_root);
      }
      if (s.column_root >= 0) {
        EXPECT_EQ(where.right.rows.place_of(s.first + s.width - 1), s.column_root);
      }
    }
    EXPECT_EQ(next, stationary == summa::form::stationary_c   ? 41
                    : stationary == summa::form::stationary_a ? 30
                                                              : 20);
  }
}

// Tasks of several workers multiply at once.  Each thread has values of its own, so that one sees
// what it packs in the place of another: OpenBLAS without locks (Debian's serial build) fails.
TEST(blas, multiplies_from_several_threads_at_once) {
  constexpr std::int64_t n = 24;
  constexpr int repeats = 20000;
  std::vector<std::vector<double>> results(4, std::vector<double>(n * n));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([t, &c = results[t]] {
      const std::vector<double> own(n * n, static_cast<double>(t + 1));
      for (int i = 0; i < repeats; ++i)
        plait::dense::multiply(plait::dense::op::none, plait::dense::op::none, {n, n, n}, 1.0,
                               {own.data(), n}, {own.data(), n}, 1.0, {c.data(), n});
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    for (const double value : results[t])
      ASSERT_EQ(value, static_cast<double>(repeats * n * (t + 1) * (t + 1))) << "thread " << t;
}

}  // namespace
