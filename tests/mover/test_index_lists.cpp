// SPDX-License-Identifier: BSD-3-Clause
// Elements fetched by their indices, and contributions brought back, from any owners.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <plait/array/block_cyclic.hpp>
#include <plait/mover/index_lists.hpp>

#include "array_moves_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

constexpr int steps = 3;

[[nodiscard]] std::int64_t up_to(std::mt19937& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(0, most)(random);
}

/// Owners of each kind; of the last two some ranks may have nothing.
[[nodiscard]] decomposition<1> owners_of(int number, std::int64_t cells, int ranks) {
  if (number % 3 == 0) return decompose<1>({.global = cells, .ghosts = number % 2}, ranks);
  if (number % 3 == 1) return decompose(block_cyclic<1>({.global = cells, .block = 3}, ranks));
  std::vector<owned_block<1>> blocks;  // the upper half first, in pieces
  const std::int64_t middle = cells / 2;
  blocks.push_back({box<1>(point<1>(middle), point<1>(middle + 5)), ranks - 1});
  blocks.push_back({box<1>(point<1>(middle + 5), point<1>(cells)), 0});
  blocks.push_back({box<1>(point<1>(0), point<1>(middle)), ranks / 2});
  return decomposition<1>({.global = cells}, blocks);
}

using index_list = std::vector<point<1>>;

/// Of all ranks: empty ones, long ones with repetitions, and runs.
[[nodiscard]] std::vector<index_list> random_lists(std::mt19937& random, std::int64_t cells,
                                                   int ranks) {
  std::vector<index_list> lists(static_cast<std::size_t>(ranks));
  for (index_list& list : lists) {
    const std::int64_t kind = up_to(random, 4);
    const std::int64_t count = kind == 0 ? 0 : kind == 1 ? 3 * cells : up_to(random, 40);
    for (std::int64_t k = 0; k < count; ++k) {
      const bool next = !list.empty() && up_to(random, 2) == 0;
      const std::int64_t index =
          next ? (list.back()[axis::x] + 1) % cells : up_to(random, cells - 1);
      list.push_back(point<1>(index));
    }
  }
  return lists;
}

[[nodiscard]] double element(const point<1>& cell, int step) {
  return 0.1 + static_cast<double>(1000 * step + cell[axis::x]);
}

[[nodiscard]] double contribution(int rank, std::size_t place, int step) {
  // Sums of such numbers depend on their order.
  const auto k = static_cast<double>(place + 1);
  return (rank % 2 == 0 ? 1 : -1) / (3.0 * k + rank) + 1e8 * static_cast<double>(step) / k;
}

/// Runs `before`, the move and `after` for each step, as `how` says.  Both take the step, and are
/// tasks with these accesses where the move is one.
template <class Before, class After>
void run_steps(drivers& d, drive how, const move_plan& plan, const Before& before,
               const After& after) {
  if (how == drive::start_and_wait || how == drive::xtra) {
    mover move{plan, how == drive::xtra ? d.xtra : d.olap};
    for (int step = 0; step < steps; ++step) {
      before(step);
      move.start();
      while (step == 1 && !move.test()) {
      }
      move.wait();
      after(step);
    }
    return;
  }
  for (int step = 0; step < steps; ++step) {
    before(step);
    if (how == drive::replay) {
      graph once = d.rt.record([&] { d.rt.move(plan); });
      d.rt.replay(once, 1);
    } else {
      d.rt.move(plan);
    }
    d.rt.wait();
    after(step);
  }
}

TEST(index_lists, an_element_comes_from_its_owner_to_each_place_that_lists_it) {
  drivers d;
  std::mt19937 random(3);
  const int rank = d.env.rank();
  for (int i = 0; i < 24; ++i) {
    const std::int64_t cells = 20 + 300 * (i % 2);
    const auto lists = random_lists(random, cells, d.env.size());
    const index_list& mine = lists[static_cast<std::size_t>(rank)];
    block_array<double, 1> x{owners_of(i / 2, cells, d.env.size()), rank};
    const index_lists owned{d.env, x.blocks(), mine};
    std::vector<double> values(mine.size(), untouched);
    const move_plan plan = gathering(x, owned, values);
    EXPECT_LT(plan.messages_sent(), static_cast<std::size_t>(d.env.size())) << "one a neighbour";
    run_steps(
        d, all_drives[i % 4], plan,
        [&](int step) {
          for (const int id : x.local_blocks())
            for_each_cell(x.blocks().block(id),
                          [&](const point<1>& cell) { x.block(id)[cell] = element(cell, step); });
          d.env.barrier();
        },
        [&](int step) {
          for (std::size_t k = 0; k < mine.size(); ++k)
            ASSERT_EQ(values[k], element(mine[k], step))
                << "rank " << rank << ", case " << i << ", step " << step << ", place " << k
                << " of the list, cell " << to_string(mine[k]);
        });
    if (::testing::Test::HasFailure()) return;
  }
}

/// By hand: the owner's contributions, then those of rank 0, 1, ….
[[nodiscard]] double sum_at(const std::vector<index_list>& lists, const point<1>& cell, int owner,
                            int step, double before) {
  double sum = before;
  const auto add = [&](int rank) {
    const index_list& list = lists[static_cast<std::size_t>(rank)];
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k] == cell) sum += contribution(rank, k, step);
  };
  add(owner);
  for (int rank = 0; rank < std::ssize(lists); ++rank)
    if (rank != owner) add(rank);
  return sum;
}

TEST(index_lists, contributions_are_added_in_the_same_order_every_time) {
  drivers d;
  std::mt19937 random(4);
  const int rank = d.env.rank();
  for (int i = 0; i < 24; ++i) {
    const std::int64_t cells = 20 + 300 * (i % 2);
    const auto lists = random_lists(random, cells, d.env.size());
    const index_list& mine = lists[static_cast<std::size_t>(rank)];
    block_array<double, 1> y{owners_of(i / 2, cells, d.env.size()), rank};
    const index_lists owned{d.env, y.blocks(), mine};
    std::vector<double> given(mine.size());
    run_steps(
        d, all_drives[i % 4], scatter_adding(given, owned, y),
        [&](int step) {
          for (std::size_t k = 0; k < given.size(); ++k) given[k] = contribution(rank, k, step);
          for (const int id : y.local_blocks())
            for_each_cell(y.blocks().block(id),
                          [&](const point<1>& cell) { y.block(id)[cell] = element(cell, step); });
          d.env.barrier();
        },
        [&](int step) {
          for (const int id : y.local_blocks())
            for_each_cell(y.blocks().block(id), [&](const point<1>& cell) {
              ASSERT_EQ(y.block(id)[cell], sum_at(lists, cell, rank, step, element(cell, step)))
                  << "rank " << rank << ", case " << i << ", step " << step << ", cell "
                  << to_string(cell);
            });
        });
    if (::testing::Test::HasFailure()) return;
  }
}

void assign(const view<std::int64_t, 1>& x, const box<1>& own, std::int64_t& step) {
  for_each_cell(own, [&](const point<1>& cell) { x[cell] = 1000 * step + cell[axis::x]; });
  ++step;
}

TEST(index_lists, replays_whose_iterations_overlap_fetch_and_add_what_each_has) {
  constexpr int iterations = 20;
  drivers d;
  std::mt19937 random(5);
  const int rank = d.env.rank();
  const std::int64_t cells = 50;
  const auto lists = random_lists(random, cells, d.env.size());
  const index_list& mine = lists[static_cast<std::size_t>(rank)];
  const auto blocks = decompose(block_cyclic<1>({.global = cells, .block = 4}, d.env.size()));
  block_array<std::int64_t, 1> x{blocks, rank};
  block_array<std::int64_t, 1> y{blocks, rank};
  const index_lists owned{d.env, blocks, mine};
  std::vector<std::int64_t> values(mine.size());
  std::vector<std::int64_t> step(x.local_blocks().size());
  const move_plan fetch = gathering(x, owned, values);
  const move_plan give = scatter_adding(values, owned, y);
  graph round = d.rt.record([&] {
    for (std::size_t b = 0; b < step.size(); ++b) {
      const int id = x.local_blocks()[b];
      d.rt.task("assign", assign, out(x.block(id)), blocks.block(id), inout(step[b]));
    }
    d.rt.move(fetch);
    d.rt.move(give);
  });
  d.rt.replay(round, iterations).wait();
  for (const int id : y.local_blocks())
    for_each_cell(blocks.block(id), [&](const point<1>& cell) {
      std::int64_t listed = 0;
      for (const index_list& list : lists) listed += std::ranges::count(list, cell);
      const std::int64_t sum =
          1000 * (iterations * (iterations - 1) / 2) + iterations * cell[axis::x];
      ASSERT_EQ(y.block(id)[cell], listed * sum) << "rank " << rank << ", " << to_string(cell);
    });
}

TEST(index_lists, what_one_neighbour_sends_is_released_before_another_has_sent) {
  environment& env = test_environment();
  if (env.size() < 3) return;  // with one neighbour there is nothing to tell apart
  const int rank = env.rank();
  runtime rt{env, {.tasks = {.workers = 2}}};
  block_array<double, 1> x{decompose<1>({.global = 3 * env.size()}, env.size()), rank};
  x.block(rank)[point<1>(3 * rank)] = 1 + rank;
  x.block(rank)[point<1>(3 * rank + 2)] = 10 + rank;
  index_list needed;
  if (rank == 0)
    for (const std::int64_t index : {3, 6, 5, 8}) needed.push_back(point<1>(index));
  const index_lists lists{env, x.blocks(), needed};
  std::vector<double> values(needed.size());
  double token = 0;
  if (rank == 2) {
    rt.recv("token", out(token), 0);
    rt.task(
        "assign", [](const double& of, double& to) { to = of; }, in(token),
        inout(*x.block(2).at(point<1>(6))));
  }
  rt.move(gathering(x, lists, values));
  if (rank == 0) {  // from what rank 1 has sent alone
    rt.task(
        "use", [](const double& first, const double& second, double& sum) { sum = first + second; },
        in(values[0]), in(values[2]), out(token));
    rt.send("token", in(token), 2);
  }
  rt.wait();
  if (rank != 0) return;
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[2], 11);
  EXPECT_EQ(values[1], 13) << "what rank 2 was told";
  EXPECT_EQ(values[3], 12);
}

TEST(index_lists, lists_in_more_pieces_than_a_task_has_accesses_keep_what_lies_between) {
  drivers d;
  const int rank = d.env.rank();
  const int ranks = d.env.size();
  constexpr std::int64_t each = 1000;
  const auto blocks = decompose<1>({.global = each * ranks}, ranks);
  block_array<double, 1> x{blocks, rank};
  index_list needed;  // every second element of all ranks in turn
  for (std::int64_t k = 0; k < each; k += 2)
    for (int owner = 0; owner < ranks; ++owner) needed.push_back(point<1>(owner * each + k));
  const index_lists lists{d.env, blocks, needed};
  std::vector<double> values(needed.size());
  for_each_cell(blocks.block(rank), [&](const point<1>& cell) {
    x.block(rank)[cell] = static_cast<double>(cell[axis::x]);
  });
  d.rt.move(gathering(x, lists, values));
  d.rt.move(scatter_adding(values, lists, x));  // each element comes back from every rank
  d.rt.wait();
  for (std::size_t k = 0; k < needed.size(); ++k)
    ASSERT_EQ(values[k], static_cast<double>(needed[k][axis::x])) << "rank " << rank << ", " << k;
  for_each_cell(blocks.block(rank), [&](const point<1>& cell) {
    const int copies = cell[axis::x] % 2 == 0 ? 1 + ranks : 1;
    ASSERT_EQ(x.block(rank)[cell], static_cast<double>(copies * cell[axis::x])) << to_string(cell);
  });
}

TEST(index_lists, elements_that_lie_side_by_side_are_sent_and_received_in_place) {
  environment& env = test_environment();
  const int rank = env.rank();
  block_array<std::array<char, 3>, 1> x{decompose<1>({.global = 4 * env.size()}, env.size()), rank};
  for_each_cell(x.blocks().block(rank), [&](const point<1>& cell) {
    x.block(rank)[cell] = {static_cast<char>('a' + cell[axis::x] % 26), 'b', 'c'};
  });
  index_list needed;  // the last two of the next rank, then the first of this one
  const std::int64_t next = (rank + 1) % env.size();
  for (const std::int64_t index : {4 * next + 2, 4 * next + 3, std::int64_t{4} * rank})
    needed.push_back(point<1>(index));
  const index_lists lists{env, x.blocks(), needed};
  std::vector<std::array<char, 3>> values(3);
  const move_plan plan = gathering(x, lists, values);
  if (env.size() > 1) {
    EXPECT_EQ(plan.tasks(), 3U) << "a send, a receive and a copy";
    EXPECT_EQ(plan.bytes_received(), 6U);
  }
  engine messages{env, {.policy = progress::none}};
  mover{plan, messages}.run();
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(values[k][0], 'a' + needed[k][axis::x] % 26) << rank << ", " << k;
}

TEST(index_lists, an_index_out_of_range_is_refused_on_all_ranks_with_its_rank) {
  environment& env = test_environment();
  const int last = env.size() - 1;
  const auto blocks = decompose<1>({.global = 10 * env.size()}, env.size());
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{10} * env.size()}) {
    index_list needed{point<1>(3), point<1>(0)};
    if (env.rank() == last) needed.push_back(point<1>(bad));
    EXPECT_EQ(refusal([&] { (void)index_lists(env, blocks, needed); }),
              "index lists: index " + std::to_string(bad) + ", number 2 of the list of rank " +
                  std::to_string(last) + ", is not in the array; its indices are 0 to " +
                  std::to_string(10 * env.size() - 1));
  }
}

TEST(index_lists, another_list_than_that_of_the_plan_is_named_with_its_rank_and_index) {
  environment& env = test_environment();
  const std::string rank = std::to_string(env.rank());
  const auto blocks = decompose<1>({.global = 10 * env.size()}, env.size());
  const index_list needed{point<1>(3), point<1>(0), point<1>(7)};
  const index_lists lists{env, blocks, needed};
  EXPECT_EQ(refusal([&] { lists.expect_same(needed); }), "accepted");
  const index_list other{point<1>(3), point<1>(5), point<1>(7)};
  EXPECT_EQ(refusal([&] { lists.expect_same(other); }),
            "index lists: index 5, number 1 of the list of rank " + rank +
                ", was 0 when the lists were made");
  const index_list shorter{point<1>(3), point<1>(0)};
  EXPECT_EQ(refusal([&] { lists.expect_same(shorter); }),
            "index lists: the list of rank " + rank +
                " has 2 indices; it had 3 when the lists were made");
}

TEST(index_lists, values_of_another_size_and_arrays_with_other_blocks_are_refused) {
  environment& env = test_environment();
  const auto blocks = decompose<1>({.global = 10 * env.size()}, env.size());
  const index_list needed{point<1>(3), point<1>(0)};
  const index_lists lists{env, blocks, needed};
  block_array<double, 1> x{blocks, env.rank()};
  std::vector<double> values(3);
  EXPECT_EQ(refusal([&] { (void)gathering(x, lists, values); }),
            "gather: 3 elements for the 2 indices that rank " + std::to_string(env.rank()) +
                " has listed");
  block_array<double, 1> other{decompose<1>({.global = 10 * env.size() + 1}, env.size()),
                               env.rank()};
  values.resize(2);
  EXPECT_EQ(refusal([&] { (void)scatter_adding(values, lists, other); }),
            "scatter-add: the array has other blocks than the owners of the index lists");
  if (env.size() > 1) return;
  EXPECT_EQ(refusal([&] { (void)index_lists(env, decompose<1>({.global = 4}, 2), needed); }),
            "index lists: blocks of rank 1 in a job of 1 rank");
}

}  // namespace
}  // namespace plait::test
