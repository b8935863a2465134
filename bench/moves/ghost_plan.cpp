// SPDX-License-Identifier: BSD-3-Clause
// Measures the time to build the plan that fills the ghosts of an array, over the number of blocks.
// All blocks of one rank: every box becomes a copy.  One rank of many, a block each: what it sends
// and receives.  `geometry` is the part of it that finds out which cells go where.
//
// Starts as one process, without mpiexec, and communicates nothing.
#include <cstdint>

#include <benchmark/benchmark.h>
#include <plait/plait.hpp>

namespace {

using plait::ghost_reach;

/// Blocks of 4 x 4 x 4 cells, in a domain as much like a cube as can be.
[[nodiscard]] plait::decomposition<3> cube_of(int blocks, int ranks) {
  plait::decomposition_options<3> options;
  const plait::process_grid<3> grid = plait::process_grid<3>::choose(blocks);
  for (const plait::axis a : plait::axes<3>) options.global[a] = 4 * grid.extent(a);
  options.ghosts = 1;
  options.periodic = {true, true, true};
  if (ranks == 1) options.blocks_per_rank = grid.dims();
  return plait::decompose<3>(options, ranks);
}

void of_all_blocks(benchmark::State& state, ghost_reach reach) {
  const auto blocks = static_cast<int>(state.range(0));
  plait::block_array<double, 3> u{cube_of(blocks, 1), 0};
  std::size_t boxes = 0;
  for (auto _ : state) {
    const plait::move_plan plan = plait::ghosts_of(u, {.reach = reach});
    boxes = plan.boxes_copied();
  }
  state.SetComplexityN(blocks);
  state.counters["boxes"] = static_cast<double>(boxes);
}
BENCHMARK_CAPTURE(of_all_blocks, faces, ghost_reach::faces)
    ->RangeMultiplier(4)
    ->Range(64, 65536)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);
BENCHMARK_CAPTURE(of_all_blocks, corners, ghost_reach::all)
    ->RangeMultiplier(4)
    ->Range(64, 65536)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

void geometry(benchmark::State& state, ghost_reach reach) {
  const auto blocks = static_cast<int>(state.range(0));
  const plait::decomposition<3> tiles = cube_of(blocks, 1);
  for (auto _ : state) benchmark::DoNotOptimize(plait::ghost_copies(tiles, reach, 0));
  state.SetComplexityN(blocks);
}
BENCHMARK_CAPTURE(geometry, corners, ghost_reach::all)
    ->RangeMultiplier(4)
    ->Range(64, 65536)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

void of_one_rank(benchmark::State& state, ghost_reach reach) {
  const auto ranks = static_cast<int>(state.range(0));
  plait::block_array<double, 3> u{cube_of(ranks, ranks), ranks / 2};
  std::size_t messages = 0;
  for (auto _ : state) {
    const plait::move_plan plan = plait::ghosts_of(u, {.reach = reach});
    messages = plan.messages_sent();
  }
  state.counters["messages"] = static_cast<double>(messages);
}
BENCHMARK_CAPTURE(of_one_rank, corners, ghost_reach::all)
    ->RangeMultiplier(4)
    ->Range(64, 65536)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
