// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of a cell of a rim, by the orientation of its face.  Faces across x have rows
// as long as the ghosts are wide, each on cache lines of its own.  [Baden, Shalit 2001,
// section 4.2: a factor of 20]
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <plait/plait.hpp>

namespace {

struct block {
  explicit block(std::int64_t n)
      : cells(plait::decompose<3>({.global = n, .ghosts = 1}, 1)), u(cells, 0), v(cells, 0) {}
  plait::decomposition<3> cells;
  plait::block_array<double, 3> u;
  plait::block_array<double, 3> v;
};

void seven_point(plait::view<const double, 3> from, plait::view<double, 3> to,
                 const plait::box<3>& cells) {
  const std::ptrdiff_t sy = from.stride(plait::axis::y);
  const std::ptrdiff_t sz = from.stride(plait::axis::z);
  const std::int64_t count = cells.extent(plait::axis::x);
  for_each_row(cells, [&](const plait::point<3>& first) {
    const double* __restrict u = from.at(first);
    double* __restrict v = to.at(first);
    for (std::int64_t x = 0; x < count; ++x)
      v[x] = (u[x - 1] + u[x + 1] + u[x - sy] + u[x + sy] + u[x - sz] + u[x + sz]) * (1.0 / 6.0);
  });
}

// A face of an n³ block, `width` cells thick.  Between two visits the whole block is swept, as in a
// program: how much of the face is still in a cache is what it is there.
void face(benchmark::State& state, plait::axis across) {
  const std::int64_t n = state.range(0);
  const auto data = std::make_unique<block>(n);
  const plait::box<3> whole = data->cells.block(0);
  const plait::box<3> cells = layers_inside(whole, across, plait::side::low, state.range(1));
  const auto& from = data->u;
  double seconds = 0;
  std::int64_t visits = 0;
  for (auto _ : state) {
    seven_point(from.block(0), data->v.block(0), whole);
    const plait::ticks start = plait::now_ticks();
    seven_point(from.block(0), data->v.block(0), cells);
    benchmark::ClobberMemory();
    const double time = plait::ticks_to_seconds(plait::now_ticks() - start);
    state.SetIterationTime(time);
    seconds += time;
    ++visits;
  }
  state.counters["ns_per_cell"] = 1e9 * seconds / static_cast<double>(visits * cells.size());
  state.counters["cells"] = static_cast<double>(cells.size());
}

void shapes(benchmark::internal::Benchmark* one) {
  one->ArgsProduct({{128, 256, 400}, {1, 2}})
      ->ArgNames({"n", "width"})
      ->UseManualTime()
      ->Iterations(20)
      ->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(face, across_x, plait::axis::x)->Apply(shapes);
BENCHMARK_CAPTURE(face, across_y, plait::axis::y)->Apply(shapes);
BENCHMARK_CAPTURE(face, across_z, plait::axis::z)->Apply(shapes);

}  // namespace
