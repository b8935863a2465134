// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <plait/plait.hpp>
#include <unistd.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace jacobi3d {
namespace {

// The widest vectors this build may use, for stores that bypass the cache.
#if defined(__AVX512F__)
using lanes = __m512d;
lanes load(const double* from) {
  return _mm512_loadu_pd(from);
}
lanes all(double value) {
  return _mm512_set1_pd(value);
}
void stream(double* to, lanes value) {
  _mm512_stream_pd(to, value);
}
#elif defined(__AVX__)
using lanes = __m256d;
lanes load(const double* from) {
  return _mm256_loadu_pd(from);
}
lanes all(double value) {
  return _mm256_set1_pd(value);
}
void stream(double* to, lanes value) {
  _mm256_stream_pd(to, value);
}
#elif defined(__SSE2__)
using lanes = __m128d;
lanes load(const double* from) {
  return _mm_loadu_pd(from);
}
lanes all(double value) {
  return _mm_set1_pd(value);
}
void stream(double* to, lanes value) {
  _mm_stream_pd(to, value);
}
#else
#define JACOBI3D_NO_STREAMING
using lanes = double;
lanes load(const double* from) {
  return *from;
}
lanes all(double value) {
  return value;
}
void stream(double* to, lanes value) {
  *to = value;
}
#endif
constexpr auto lane_count = static_cast<std::int64_t>(sizeof(lanes) / sizeof(double));

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

// One order of additions for every way to compute a cell; the build forbids contraction.  So
// neither vectors nor the place of a box change a bit.
template <class Value>
Value relaxed(Value left, Value right, Value front, Value back, Value below, Value above, Value b,
              Value sixth) {
  return (left + right + front + back + below + above + b) * sixth;
}

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

// Writing past the cache saves reading v before it is overwritten, a quarter of the traffic
// (512x512x32 cells: 1.5 to 1.7 ns a cell instead of 1.9), but loses where the next step would find
// v in the cache.
bool worth_streaming(const field& shape) {
  const std::int64_t bytes =
      3 * shape.stride_z() * shape.size()[axis::z] * static_cast<std::int64_t>(sizeof(double));
  return bytes > 8 * tile_bytes();
}

template <void (*Row)(const double*, const double*, double*, std::int64_t, strides)>
void relax_tiled(const field& u, const field& b, field& v, const box& cells) {
  const std::int64_t rows = tile_rows(u);
  for (std::int64_t tile = cells.low[axis::y]; tile < cells.high[axis::y]; tile += rows) {
    const std::int64_t end = std::min(tile + rows, cells.high[axis::y]);
    for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; ++z)
      for (std::int64_t y = tile; y < end; ++y)
        Row(u.at(cells.low[axis::x], y, z), b.at(cells.low[axis::x], y, z),
            v.at(cells.low[axis::x], y, z), cells.high[axis::x] - cells.low[axis::x],
            {u.stride_y(), u.stride_z()});
  }
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c,
           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
}

void triad_streaming(double* __restrict a, const double* __restrict b, const double* __restrict c,
                     std::size_t count) {
  // Planes start on a cache line and are whole lines long.
  for (std::size_t i = 0; i < count; i += lane_count)
    stream(a + i, load(b + i) + all(3.0) * load(c + i));
  finish_streaming();
}

}  // namespace

// Half of the second-level cache is left to b, v and everything else.
std::int64_t tile_bytes() {
  static const std::int64_t value = [] {
    const std::int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::clamp<std::int64_t>(l2 > 0 ? l2 / 2 : 256 << 10, 64 << 10, 1 << 20);
  }();
  return value;
}

std::int64_t tile_rows(const field& shape) {
  const std::int64_t row_bytes = shape.stride_y() * static_cast<std::int64_t>(sizeof(double));
  return std::max<std::int64_t>(4, tile_bytes() / (3 * row_bytes));
}

void relax(const field& u, const field& b, field& v, const box& cells, stores how) {
  if (how == stores::by_size && worth_streaming(u)) {
    relax_tiled<relax_row_streaming>(u, b, v, cells);
    finish_streaming();
  } else {
    relax_tiled<relax_row>(u, b, v, cells);
  }
}

double stream_triad_bytes_per_s(field& a, const field& b, const field& c, int repeats) {
  const std::int64_t planes = a.size()[axis::z];
  const std::span<double> target = a.planes(0, planes);
  const double bytes = bytes_per_cell * static_cast<double>(target.size());
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    for (auto* form : {triad, triad_streaming}) {
      const plait::ticks start = plait::now_ticks();
      form(target.data(), b.planes(0, planes).data(), c.planes(0, planes).data(), target.size());
      best = std::max(best, bytes / plait::ticks_to_seconds(plait::now_ticks() - start));
    }
  }
  return best;
}

}  // namespace jacobi3d
