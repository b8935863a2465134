// SPDX-License-Identifier: BSD-3-Clause
// Cells from one random decomposition to another, and to one rank.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <plait/array/block_cyclic.hpp>

#include "array_moves_test.hpp"

namespace plait::test {
namespace {

/// A domain cut again and again at random places, its blocks dealt to ranks.
template <int D>
[[nodiscard]] decomposition<D> random_blocks(std::mt19937& random, const extents<D>& global,
                                             int ranks) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  std::vector<box<D>> boxes{box<D>(global)};
  const std::int64_t wanted = ranks + up_to(2 * ranks);
  while (static_cast<std::int64_t>(boxes.size()) < wanted) {
    box<D>& one = boxes[static_cast<std::size_t>(up_to(std::ssize(boxes) - 1))];
    const auto a = static_cast<axis>(up_to(D - 1));
    if (one.extent(a) < 2) continue;
    box<D> rest = one;
    one.high[a] = rest.low[a] = one.low[a] + 1 + up_to(one.extent(a) - 2);
    boxes.push_back(rest);
  }
  std::vector<owned_block<D>> blocks;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    // The first to one rank each, so that every rank has some.
    const auto rank =
        b < static_cast<std::size_t>(ranks) ? static_cast<std::int64_t>(b) : up_to(ranks - 1);
    blocks.push_back({boxes[b], static_cast<int>(rank)});
  }
  decomposition_options<D> options;
  options.global = global;
  options.ghosts = up_to(2);
  return decomposition<D>(options, blocks);
}

template <int D>
void cells_find_their_new_places(drivers& d, const extents<D>& global, int cases) {
  std::mt19937 random(static_cast<unsigned>(D));
  for (int i = 0; i < cases; ++i) {
    block_array<double, D> from{random_blocks<D>(random, global, d.env.size()), d.env.rank()};
    block_array<double, D> to{random_blocks<D>(random, global, d.env.size()), d.env.rank()};
    const move_options options{.name = "redistribute",
                               .message = i % 2 == 0 ? messages_per::rank : messages_per::box};
    run_moves<D>(
        d, all_drives[i / 2 % 4], from, to, std::to_string(D) + "-D, case " + std::to_string(i),
        [&] { return redistribution(from, to, options); },
        [&](int id, const point<D>& cell, int step) {
          return to.blocks().block(id).contains(cell) ? value_of(to.blocks().global(), cell, step)
                                                      : untouched;
        });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(redistribution, brings_every_cell_to_its_new_place) {
  drivers d;
  cells_find_their_new_places<1>(d, 41, 8);
  cells_find_their_new_places<2>(d, {13, 11}, 16);
  cells_find_their_new_places<3>(d, {7, 6, 5}, 16);
}

/// Blocks of any size dealt to a grid of all ranks or of some.
template <int D>
[[nodiscard]] decomposition<D> random_deal(std::mt19937& random, const extents<D>& global,
                                           int ranks) {
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  block_cyclic_options<D> options{.global = global, .block = 1};
  for (const axis a : axes<D>) options.block[a] = 1 + up_to(5);
  if (up_to(1) == 0) options.order = grid_order::row_major;
  if (ranks > 1 && up_to(2) == 0) {
    options.grid.fill(1);
    options.grid[0] = ranks - 1;  // the last rank has nothing
  }
  return decompose(block_cyclic<D>(options, ranks)).with_ghosts(up_to(1));
}

template <int D>
void cells_find_their_way_into_a_deal_and_out(drivers& d, const extents<D>& global, int cases) {
  std::mt19937 random(static_cast<unsigned>(10 + D));
  for (int i = 0; i < cases; ++i) {
    const bool into = i % 2 == 0;
    const auto dealt = random_deal<D>(random, global, d.env.size());
    const auto other = i % 3 == 0 ? decompose<D>({.global = global, .ghosts = 1}, d.env.size())
                                  : random_deal<D>(random, global, d.env.size());
    block_array<double, D> from{into ? other : dealt, d.env.rank()};
    block_array<double, D> to{into ? dealt : other, d.env.rank()};
    const move_options options{.name = "deal",
                               .message = i % 4 < 2 ? messages_per::rank : messages_per::box};
    run_moves<D>(
        d, all_drives[i / 2 % 4], from, to, std::to_string(D) + "-D, deal " + std::to_string(i),
        [&] { return redistribution(from, to, options); },
        [&](int id, const point<D>& cell, int step) {
          return to.blocks().block(id).contains(cell) ? value_of(to.blocks().global(), cell, step)
                                                      : untouched;
        });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(redistribution, brings_every_cell_into_a_block_cyclic_array_and_out_of_it) {
  drivers d;
  cells_find_their_way_into_a_deal_and_out<1>(d, 41, 12);
  cells_find_their_way_into_a_deal_and_out<2>(d, {13, 11}, 24);
  cells_find_their_way_into_a_deal_and_out<3>(d, {7, 8, 9}, 8);
}

TEST(redistribution, refuses_another_domain) {
  const int ranks = test_environment().size();
  const int rank = test_environment().rank();
  block_array<double, 1> from{decompose<1>({.global = 40}, ranks), rank};
  block_array<double, 1> to{decompose<1>({.global = 41}, ranks), rank};
  EXPECT_THROW((void)redistribution(from, to), usage_error);
}

TEST(gathering, brings_every_cell_to_one_rank) {
  drivers d;
  const extents<3> global{7, 9, 11};
  const int rank = d.env.rank();
  std::mt19937 random(5);
  for (int root = 0; root < d.env.size(); ++root) {
    block_array<double, 3> from{random_blocks<3>(random, global, d.env.size()), rank};
    const box<3> domain = from.blocks().global();
    for (const int id : from.local_blocks())
      fill<3>(from.block(id), from.blocks().block(id), domain, root);
    std::vector<double> all(rank == root ? static_cast<std::size_t>(domain.size()) : 0);
    const move_plan plan = gathering(from, root, std::span(all));
    if (root % 2 == 0) {
      d.rt.move(plan);
      d.rt.wait();
    } else {
      mover(plan, d.olap).run();
    }
    if (rank != root) continue;
    std::size_t at = 0;
    for_each_cell(domain, [&](const point<3>& cell) {
      ASSERT_EQ(all[at], value_of(domain, cell, root)) << to_string(cell) << " on " << root;
      ++at;
    });
  }
}

TEST(gathering, brings_a_block_cyclic_array_to_one_rank) {
  drivers d;
  std::mt19937 random(6);
  const int rank = d.env.rank();
  for (int root = 0; root < d.env.size(); ++root) {
    block_array<double, 2> from{random_deal<2>(random, {17, 9}, d.env.size()), rank};
    const box<2> domain = from.blocks().global();
    for (const int id : from.local_blocks())
      fill<2>(from.block(id), from.blocks().block(id), domain, root);
    std::vector<double> all(rank == root ? static_cast<std::size_t>(domain.size()) : 0);
    d.rt.move(gathering(from, root, std::span(all)));
    d.rt.wait();
    if (rank != root) continue;
    std::size_t at = 0;
    for_each_cell(domain, [&](const point<2>& cell) {
      ASSERT_EQ(all[at], value_of(domain, cell, root)) << to_string(cell) << " on " << root;
      ++at;
    });
  }
}

TEST(gathering, refuses_memory_of_another_size) {
  const int rank = test_environment().rank();
  block_array<double, 1> from{decompose<1>({.global = 40}, test_environment().size()), rank};
  std::vector<double> all(39);
  if (rank == 0) {
    EXPECT_THROW((void)gathering(from, 0, std::span(all)), usage_error);
  } else {
    EXPECT_EQ(gathering(from, 0, std::span(all)).messages_sent(), 1U);
  }
}

}  // namespace
}  // namespace plait::test
