// SPDX-License-Identifier: BSD-3-Clause
// Measures the time that it takes to find out which cells go where, over the number of blocks.
#include <array>
#include <cstdint>

#include <benchmark/benchmark.h>
#include <plait/plait.hpp>

namespace {

// A cube of blocks of 32³ cells, as many ranks.
plait::decomposition<3> cube(std::int64_t blocks, const std::array<int, 3>& grid = {}) {
  const auto ranks = static_cast<int>(blocks);
  const auto dims = plait::process_grid<3>::choose(ranks).dims();
  return plait::decompose<3>({.global = {32 * dims[0], 32 * dims[1], 32 * dims[2]},
                              .grid = grid,
                              .ghosts = 1,
                              .periodic = {true, true, true}},
                             ranks);
}

void decompose(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(cube(state.range(0)));
  state.SetComplexityN(state.range(0));
}

void ghosts(benchmark::State& state, plait::ghost_reach reach) {
  const auto blocks = cube(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ghost_copies(blocks, reach));
  state.SetComplexityN(state.range(0));
}

void ghosts_of_one_rank(benchmark::State& state) {
  const auto blocks = cube(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        ghost_copies(blocks, plait::ghost_reach::all, static_cast<int>(state.range(0) / 2)));
}

// Blocks of 32³ cells to bars along x, and back: from pencils of one axis to those of another.
void redistribute(benchmark::State& state) {
  const auto from = cube(state.range(0));
  const auto dims = plait::process_grid<3>::choose(static_cast<int>(state.range(0))).dims();
  const auto to = cube(state.range(0), {1, dims[1] * dims[0], dims[2]});
  for (auto _ : state) benchmark::DoNotOptimize(redistribution_copies(from, to));
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark* one) {
  one->RangeMultiplier(4)->Range(64, 65536)->Unit(benchmark::kMillisecond);
}

BENCHMARK(decompose)->Apply(sizes)->Complexity(benchmark::oNLogN);
BENCHMARK_CAPTURE(ghosts, faces, plait::ghost_reach::faces)
    ->Apply(sizes)
    ->Complexity(benchmark::oNLogN);
BENCHMARK_CAPTURE(ghosts, all, plait::ghost_reach::all)
    ->Apply(sizes)
    ->Complexity(benchmark::oNLogN);
BENCHMARK(ghosts_of_one_rank)->Apply(sizes);
BENCHMARK(redistribute)->Apply(sizes)->Complexity(benchmark::oNLogN);

}  // namespace
