// SPDX-License-Identifier: BSD-3-Clause
// Ghosts against a closed form of the global index, in random decompositions, by every way to drive
// a plan.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "array_moves_test.hpp"

namespace plait::test {
namespace {

enum class beyond : std::uint8_t { left, value, nearest, function };

template <int D>
struct ghost_case {
  decomposition_options<D> domain;
  ghost_options<double, D> ghosts;
  beyond boundary = beyond::left;
};

constexpr double at_the_boundary = -7;

template <int D>
[[nodiscard]] double boundary_value(const point<D>& cell) {
  double value = -100;
  for (const axis a : axes<D>) value = 10 * value + static_cast<double>(cell[a]);
  return value;
}

template <int D>
[[nodiscard]] ghost_case<D> random_case(std::mt19937& random) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  // Room for two blocks for each of 8 ranks along one axis.
  constexpr std::array<int, 4> smallest{17, 5, 4, 3};
  ghost_case<D> one;
  one.domain.blocks_per_rank.fill(1);
  for (const axis a : axes<D>) {
    const auto along = static_cast<std::size_t>(index_of(a));
    one.domain.global[a] = smallest[along] + up_to(6);
    one.domain.ghosts[a] = 1 + up_to(D < 4 ? 2 : 1);
    one.domain.periodic[along] = up_to(1) == 0;
  }
  if (up_to(2) > 0) one.domain.blocks_per_rank[0] = 2;
  if (D > 1) {  // the axes with few cells are not divided
    one.domain.grid.fill(1);
    one.domain.grid[0] = 0;
    if (up_to(1) == 0 && one.domain.blocks_per_rank[0] == 1) {
      one.domain.grid[0] = std::gcd(2, test_environment().size());
      one.domain.grid[1] = 0;
      one.domain.global[axis::y] += 8;
    }
  }
  one.ghosts.reach = up_to(1) == 0 ? ghost_reach::faces : ghost_reach::all;
  one.ghosts.message = up_to(1) == 0 ? messages_per::rank : messages_per::box;
  if (up_to(2) == 0) one.ghosts.widths = extents<D>(1);
  one.boundary = static_cast<beyond>(up_to(3));
  if (one.boundary == beyond::value) one.ghosts.boundary = at_the_boundary;
  if (one.boundary == beyond::nearest) one.ghosts.boundary = nearest_cell;
  if (one.boundary == beyond::function) one.ghosts.boundary = &boundary_value<D>;
  if (up_to(1) == 0) one.ghosts.cells_per_message = 1 + up_to(20);
  // What a rank has behind the boundary, all have.
  one.ghosts.gaps_travel = up_to(1) == 0;
  return one;
}

/// Returns the value of a cell of a block, or of its ghosts, after the move.
template <int D>
[[nodiscard]] double expected_value(const ghost_case<D>& one, const decomposition<D>& blocks,
                                    int id, const point<D>& cell, int step) {
  const box<D>& own = blocks.block(id);
  const box<D>& domain = blocks.global();
  const extents<D> widths = one.ghosts.widths.value_or(one.domain.ghosts);
  point<D> wrapped = cell;
  point<D> nearest = cell;
  int axes_outside = 0;
  for (const axis a : axes<D>) {
    if (cell[a] < own.low[a] || cell[a] >= own.high[a]) ++axes_outside;
    if (cell[a] < own.low[a] - widths[a] || cell[a] >= own.high[a] + widths[a]) return untouched;
    const std::int64_t n = domain.extent(a);
    if (blocks.periodic(a)) {
      wrapped[a] = ((cell[a] % n) + n) % n;
      nearest[a] = wrapped[a];
    } else {
      nearest[a] = std::clamp<std::int64_t>(cell[a], 0, n - 1);
    }
  }
  if (axes_outside > 1 && one.ghosts.reach == ghost_reach::faces) return untouched;
  if (domain.contains(wrapped)) return value_of(domain, wrapped, step);
  switch (one.boundary) {
    case beyond::left:
      return untouched;
    case beyond::value:
      return at_the_boundary;
    case beyond::nearest:
      return value_of(domain, nearest, step);
    case beyond::function:
      return boundary_value(cell);
  }
  return 0;
}

template <int D>
void ghosts_are_right(drivers& d, int cases) {
  std::mt19937 random(static_cast<unsigned>(D));
  for (int i = 0; i < cases; ++i) {
    const ghost_case<D> one = random_case<D>(random);
    const decomposition<D> blocks = decompose<D>(one.domain, d.env.size());
    block_array<double, D> u{blocks, d.env.rank()};
    const drive how = all_drives[i % 4];
    const std::string what =
        std::to_string(D) + "-D, case " + std::to_string(i) + ", drive " + std::to_string(i % 4);
    run_moves<D>(
        d, how, u, u, what, [&] { return ghosts_of(u, one.ghosts); },
        [&](int id, const point<D>& cell, int step) {
          return expected_value(one, blocks, id, cell, step);
        });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ghosts, leave_in_a_message_for_each_part) {
  const auto messages = [](std::int64_t cells) {
    const auto blocks = decompose<3>({.global = {6, 5, 16}, .grid = {1, 1, 0}, .ghosts = 1}, 2 * 4);
    block_array<double, 3> u{blocks, 3};
    return ghosts_of(u, {.cells_per_message = cells}).messages_sent();
  };
  EXPECT_EQ(messages(0), 2U);
  EXPECT_EQ(messages(30), 2U);
  EXPECT_EQ(messages(29), 4U) << "30 cells, 5 rows of 6: 4 rows and less in a message";
  EXPECT_EQ(messages(12), 6U);
  EXPECT_EQ(messages(1), 10U) << "rows are not cut";
}

TEST(ghosts, are_the_neighbours_cells_in_one_to_four_dimensions) {
  drivers d;
  ghosts_are_right<1>(d, 24);
  ghosts_are_right<2>(d, 32);
  ghosts_are_right<3>(d, 24);
  ghosts_are_right<4>(d, 8);
}

TEST(ghosts, refuses_more_layers_than_the_array_has) {
  const decomposition<2> blocks =
      decompose<2>({.global = {32, 32}, .ghosts = 1}, test_environment().size());
  block_array<double, 2> u{blocks, test_environment().rank()};
  try {
    (void)ghosts_of(u, {.widths = extents<2>(1, 2)});
    FAIL() << "must throw";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "ghosts: 2 layers along y; the array has 1");
  }
}

// Beside own cells a boundary ghost needs no message, at edges of the block neither, where other
// boundary ghosts beside it do.
TEST(ghosts, behind_the_boundary_beside_own_cells_are_there_when_start_returns) {
  drivers d;
  for (const ghost_reach reach : {ghost_reach::faces, ghost_reach::all}) {
    decomposition_options<3> options{.global = {6, 4 * d.env.size(), 5}, .ghosts = {2, 1, 1}};
    options.grid = {1, 0, 1};
    options.periodic[2] = true;
    const decomposition<3> blocks = decompose<3>(options, d.env.size());
    block_array<double, 3> u{blocks, d.env.rank()};
    const int id = d.env.rank();
    const box<3>& own = blocks.block(id);
    mover move{ghosts_of(u, {.reach = reach, .boundary = nearest_cell}), d.olap};
    fill<3>(u.block(id), own, blocks.global(), 0);
    move.start();
    for_each_cell(u.block(id).cells(), [&](const point<3>& cell) {
      point<3> nearest = cell;
      for (const axis a : {axis::x, axis::y}) {
        nearest[a] = std::clamp<std::int64_t>(cell[a], 0, blocks.global().high[a] - 1);
      }
      int axes_outside = 0;
      for (const axis a : axes<3>)
        axes_outside += cell[a] != std::clamp(cell[a], own.low[a], own.high[a] - 1);
      if (!own.contains(nearest) || (reach == ghost_reach::faces && axes_outside > 1)) return;
      EXPECT_EQ(u.block(id)[cell], value_of(blocks.global(), nearest, 0))
          << "rank " << id << ", cell " << to_string(cell);
    });
    move.wait();
  }
}

/// One block a rank in a row, and its cells at both ends.
struct row {
  explicit row(drivers& d)
      : blocks(decompose<1>({.global = 4 * d.env.size(), .ghosts = 1}, d.env.size())),
        u(blocks, d.env.rank()),
        ghosts(ghosts_of(u)) {
    const box<1>& own = blocks.block(d.env.rank());
    low = u.block(d.env.rank()).at(own.low);
    high = low + (own.extent(axis::x) - 1);
  }
  decomposition<1> blocks;
  block_array<double, 1> u;
  move_plan ghosts;
  double* low = nullptr;
  double* high = nullptr;
};

void copy_value(const double& from, double& to) {
  to = from;
}

// Rank 2 makes its low cell only when rank 1 has told it what came from rank 0.
TEST(ghosts, are_released_each_side_as_it_arrives) {
  drivers d;
  row r(d);
  const int rank = d.env.rank();
  double told = 0;
  if (rank == 0) *r.high = 42;
  if (rank == 2) {
    d.rt.recv("told", out(told), 1);
    d.rt.task("make", copy_value, in(told), out(*r.low));
  }
  d.rt.move(r.ghosts);
  if (rank == 1 && d.env.size() > 2) {
    d.rt.task("take", copy_value, in(*(r.low - 1)), out(told));
    d.rt.send("told", in(told), 2);
  }
  d.rt.wait();
  if (rank == 1) {
    EXPECT_EQ(*(r.low - 1), 42);
  }
}

// Rank 1 makes its high cell only when rank 0 has told it what its low cell is.
TEST(ghosts, leave_each_side_as_soon_as_it_is_final) {
  drivers d;
  row r(d);
  const int rank = d.env.rank();
  double told = 0;
  if (rank == 1) {
    *r.low = 43;
    d.rt.recv("told", out(told), 0);
    d.rt.task("make", copy_value, in(told), out(*r.high));
  }
  d.rt.move(r.ghosts);
  if (rank == 0 && d.env.size() > 1) {
    d.rt.task("take", copy_value, in(*(r.high + 1)), out(told));
    d.rt.send("told", in(told), 1);
  }
  d.rt.wait();
  if (rank == 0 && d.env.size() > 1) {
    EXPECT_EQ(*(r.high + 1), 43);
  }
}

TEST(ghosts, are_communication_in_the_trace) {
  drivers d;
  row r(d);
  d.rt.start_trace();
  d.rt.move(r.ghosts);
  d.rt.wait();
  std::vector<std::string> names;
  for (const trace_event& e : d.rt.stop_trace())
    if (e.kind == event_kind::message) names.push_back(e.name);
  std::vector<std::string> expected;
  for (const int peer : {d.env.rank() - 1, d.env.rank() + 1}) {
    if (peer < 0 || peer >= d.env.size()) continue;
    expected.push_back("ghosts from " + std::to_string(peer));
    expected.push_back("ghosts to " + std::to_string(peer));
  }
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(names, expected);
}

TEST(ghosts, that_do_not_come_are_named_in_the_stall_report) {
  drivers d;
  std::string report;
  row r(d);
  {
    runtime rt{d.env,
               {.tasks = {.workers = 1, .stall_report_s = 0.2},
                .stall_sink = [&](const auto& text) { report += text; }}};
    if (d.env.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
    rt.move(r.ghosts);
    rt.wait();
  }
  if (d.env.rank() == 0 && d.env.size() > 1) {
    EXPECT_NE(report.find("receive 'ghosts from 1' from rank 1"), std::string::npos) << report;
  }
}

}  // namespace
}  // namespace plait::test
