// SPDX-License-Identifier: BSD-3-Clause
// A stencil on views beside the same one on raw pointers and strides, in the same memory.
#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>
#include <plait/plait.hpp>

namespace {

constexpr double sixth = 1.0 / 6.0;

__attribute__((noinline)) void on_pointers(const double* u, double* v, std::int64_t n,
                                           std::ptrdiff_t sy, std::ptrdiff_t sz) {
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x) {
        const std::ptrdiff_t i = x + y * sy + z * sz;
        v[i] = (u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz]) * sixth;
      }
}

__attribute__((noinline)) void on_views(plait::view<const double, 3> u, plait::view<double, 3> v,
                                        plait::box<3> cells) {
  using plait::axis;
  for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; ++z)
    for (std::int64_t y = cells.low[axis::y]; y < cells.high[axis::y]; ++y)
      for (std::int64_t x = cells.low[axis::x]; x < cells.high[axis::x]; ++x)
        v(x, y, z) = (u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) + u(x, y + 1, z) +
                      u(x, y, z - 1) + u(x, y, z + 1)) *
                     sixth;
}

// Pointers to rows, taken from views.
__attribute__((noinline)) void on_rows(plait::view<const double, 3> u, plait::view<double, 3> v,
                                       plait::box<3> cells) {
  const std::ptrdiff_t sy = u.stride(plait::axis::y);
  const std::ptrdiff_t sz = u.stride(plait::axis::z);
  const std::int64_t count = cells.extent(plait::axis::x);
  for_each_row(cells, [&](const plait::point<3>& first) {
    const double* from = u.at(first);
    double* to = v.at(first);
    for (std::int64_t x = 0; x < count; ++x)
      to[x] =
          (from[x - 1] + from[x + 1] + from[x - sy] + from[x + sy] + from[x - sz] + from[x + sz]) *
          sixth;
  });
}

enum class kind { pointers, views, rows };

void stencil(benchmark::State& state, kind how) {
  const std::int64_t n = state.range(0);
  const auto blocks = plait::decompose<3>({.global = n, .ghosts = 1}, 1);
  plait::block_array<double, 3> u(blocks, 0);
  plait::block_array<double, 3> v(blocks, 0);
  const plait::view<double, 3> from = u.block(0);
  const plait::view<double, 3> to = v.block(0);
  for (auto _ : state) {
    if (how == kind::views)
      on_views(from, to, blocks.block(0));
    else if (how == kind::rows)
      on_rows(from, to, blocks.block(0));
    else
      on_pointers(&from(0, 0, 0), &to(0, 0, 0), n, from.stride(plait::axis::y),
                  from.stride(plait::axis::z));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n * n * n);
}

BENCHMARK_CAPTURE(stencil, pointers, kind::pointers)->Arg(16)->Arg(32)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(stencil, views, kind::views)->Arg(16)->Arg(32)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(stencil, rows, kind::rows)->Arg(16)->Arg(32)->Arg(64)->Arg(256);

}  // namespace
