// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <plait/plait.hpp>

#include "common/kernel_words.cl"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace jacobi3d {
namespace {

// The widest vectors this build may use, for stores that bypass the cache.
#if defined(__AVX512F__)
using lanes = __m512d;
void stream(double* to, lanes value) {
  _mm512_stream_pd(to, value);
}
#elif defined(__AVX__)
using lanes = __m256d;
void stream(double* to, lanes value) {
  _mm256_stream_pd(to, value);
}
#elif defined(__SSE2__)
using lanes = __m128d;
void stream(double* to, lanes value) {
  _mm_stream_pd(to, value);
}
#else
#define JACOBI3D_NO_STREAMING
using lanes = double;
void stream(double* to, lanes value) {
  *to = value;
}
#endif
constexpr auto lane_count = static_cast<std::int64_t>(sizeof(lanes) / sizeof(double));

lanes load(const double* from) {
  lanes result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

lanes all(double value) {
  return value + lanes{};
}

// Streaming stores are ordered with nothing; whoever is told next that the box is done must see
// them.
void finish_streaming() {
#if !defined(JACOBI3D_NO_STREAMING)
  _mm_sfence();
#endif
}

std::int64_t lanes_until_aligned(const double* where, std::int64_t at_most) {
  const auto misplaced =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(where) / sizeof(double)) %
      lane_count;
  return std::min((lane_count - misplaced) % lane_count, at_most);
}

#include "device/relax_cells.cl"

constexpr double sixth = 1.0 / 6.0;

struct strides {
  std::int64_t y;
  std::int64_t z;
};

void relax_row(const double* __restrict u, const double* __restrict b, double* __restrict v,
               std::int64_t cells, strides s) {
  for (std::int64_t x = 0; x < cells; ++x)
    v[x] = relaxed(u[x - 1], u[x + 1], u[x - s.y], u[x + s.y], u[x - s.z], u[x + s.z], b[x], sixth);
}

void relax_row_streaming(const double* __restrict u, const double* __restrict b,
                         double* __restrict v, std::int64_t cells, strides s) {
  const std::int64_t head = lanes_until_aligned(v, cells);
  relax_row(u, b, v, head, s);
  std::int64_t x = head;
  for (; x + lane_count <= cells; x += lane_count)
    stream(v + x, relaxed(load(u + x - 1), load(u + x + 1), load(u + x - s.y), load(u + x + s.y),
                          load(u + x - s.z), load(u + x + s.z), load(b + x), all(sixth)));
  relax_row(u + x, b + x, v + x, cells - x, s);
}

template <void (*Row)(const double*, const double*, double*, std::int64_t, strides)>
void relax_tiled(const const_cells& u, const const_cells& b, const cells& v) {
  const box& own = v.cells();
  const std::int64_t x = own.low[axis::x];
  const std::int64_t rows = plait::stencil::tile_rows(u);
  for (std::int64_t tile = own.low[axis::y]; tile < own.high[axis::y]; tile += rows) {
    const std::int64_t end = std::min(tile + rows, own.high[axis::y]);
    for (std::int64_t z = own.low[axis::z]; z < own.high[axis::z]; ++z)
      for (std::int64_t y = tile; y < end; ++y)
        Row(&u(x, y, z), &b(x, y, z), &v(x, y, z), own.high[axis::x] - x,
            {u.stride(axis::y), u.stride(axis::z)});
  }
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c,
           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
}

void triad_streaming(double* __restrict a, const double* __restrict b, const double* __restrict c,
                     std::size_t count) {
  // They start on a cache line and are whole lines long.
  for (std::size_t i = 0; i < count; i += lane_count)
    stream(a + i, load(b + i) + all(3.0) * load(c + i));
  finish_streaming();
}

}  // namespace

// Writing past the cache saves reading v before it is overwritten, a quarter of the traffic
// (512x512x32 cells: 1.5 to 1.7 ns a cell instead of 1.9), but loses where the next step would find
// v in the cache.
stores stores_for(const box& block) {
  const std::int64_t bytes = 3 * block.size() * static_cast<std::int64_t>(sizeof(double));
  return bytes > 8 * plait::stencil::tile_bytes() ? stores::streamed : stores::cached;
}

void relax(const_cells u, const_cells b, cells v, stores how) {
  if (how == stores::streamed) {
    relax_tiled<relax_row_streaming>(u, b, v);
    finish_streaming();
  } else {
    relax_tiled<relax_row>(u, b, v);
  }
}

void relax_one_by_one(const_cells u, const_cells b, cells v) {
  const box& own = v.cells();
  const plait::point<3>& first = own.low;
  const auto n = own.extent();
  for_each_cell(own, [&](const plait::point<3>& cell) {
    const auto item = [&](axis a) { return static_cast<std::size_t>(cell[a] - first[a]); };
    relax_cells(u.at(first), b.at(first), v.at(first), u.stride(axis::y), u.stride(axis::z),
                n[axis::x], n[axis::y], n[axis::z], {item(axis::x), item(axis::y), item(axis::z)});
  });
}

double stream_triad_bytes_per_s(const cells& a, const const_cells& b, const const_cells& c,
                                int repeats) {
  constexpr std::ptrdiff_t line = 64 / sizeof(double);
  const box& own = a.cells();
  double* const first = a.at(own.low);
  const std::ptrdiff_t distance = a.at(own.high - plait::extents<3>(1)) + 1 - first;
  const auto values = static_cast<std::size_t>(distance / line * line);
  const double bytes = bytes_per_cell * static_cast<double>(values);
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    for (auto* form : {triad, triad_streaming}) {
      const plait::ticks start = plait::now_ticks();
      form(first, b.at(own.low), c.at(own.low), values);
      best = std::max(best, bytes / plait::ticks_to_seconds(plait::now_ticks() - start));
    }
  }
  return best;
}

}  // namespace jacobi3d
