// SPDX-License-Identifier: BSD-3-Clause
// Sweeps of a stencil, on raw pointers or on views, for count_instructions.py to count:
//     counted_stencils NAME     one of the names below; `nothing` prepares and does not sweep
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <plait/array/block_array.hpp>

namespace {

using plait::axis;
using plait::block_array;
using plait::box;
using plait::view;

template <class T>
[[gnu::noinline]] void five_on_pointers(const T* u, T* v, std::int64_t nx, std::int64_t ny,
                                        std::ptrdiff_t sy) {
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      const std::ptrdiff_t i = x + y * sy;
      v[i] = u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] - 4 * u[i];
    }
}

template <class T>
[[gnu::noinline]] void five_on_views(view<const T, 2> u, view<T, 2> v, box<2> cells) {
  for (std::int64_t y = cells.low[axis::y]; y < cells.high[axis::y]; ++y)
    for (std::int64_t x = cells.low[axis::x]; x < cells.high[axis::x]; ++x)
      v(x, y) = u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) - 4 * u(x, y);
}

template <class T>
[[gnu::noinline]] void seven_on_pointers(const T* u, T* v, const std::int64_t (&n)[3],
                                         std::ptrdiff_t sy, std::ptrdiff_t sz) {
  for (std::int64_t z = 0; z < n[2]; ++z)
    for (std::int64_t y = 0; y < n[1]; ++y)
      for (std::int64_t x = 0; x < n[0]; ++x) {
        const std::ptrdiff_t i = x + y * sy + z * sz;
        v[i] = u[i - 1] + u[i + 1] + u[i - sy] + u[i + sy] + u[i - sz] + u[i + sz] - 6 * u[i];
      }
}

template <class T>
[[gnu::noinline]] void seven_on_views(view<const T, 3> u, view<T, 3> v, box<3> cells) {
  for (std::int64_t z = cells.low[axis::z]; z < cells.high[axis::z]; ++z)
    for (std::int64_t y = cells.low[axis::y]; y < cells.high[axis::y]; ++y)
      for (std::int64_t x = cells.low[axis::x]; x < cells.high[axis::x]; ++x)
        v(x, y, z) = u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) + u(x, y + 1, z) +
                     u(x, y, z - 1) + u(x, y, z + 1) - 6 * u(x, y, z);
}

constexpr int sweeps = 10;

// Rows of 501 cells: within a row both run the same instructions; before each, the compiler
// prepares seven streams for a stencil on views and one for pointers, up to 50 instructions more.
// The same arrays whatever is swept.
template <class T>
bool sweep(const char* name, const char* pointers5, const char* views5, const char* pointers7,
           const char* views7) {
  const auto is = [&](const char* one) { return std::strcmp(name, one) == 0; };
  const auto plane = plait::decompose<2>({.global = {501, 40}, .ghosts = 1}, 1);
  const auto block = plait::decompose<3>({.global = {501, 12, 8}, .ghosts = 1}, 1);
  block_array<T, 2> u2(plane, 0);
  block_array<T, 2> v2(plane, 0);
  block_array<T, 3> u3(block, 0);
  block_array<T, 3> v3(block, 0);
  const view<T, 2> from2 = u2.block(0);
  const view<T, 2> to2 = v2.block(0);
  const view<T, 3> from3 = u3.block(0);
  const view<T, 3> to3 = v3.block(0);
  bool known = is("nothing");
  for (int i = 0; i < sweeps; ++i) {
    if (is(pointers5)) {
      five_on_pointers<T>(&from2(0, 0), &to2(0, 0), 501, 40, from2.stride(axis::y));
      known = true;
    } else if (is(views5)) {
      five_on_views<T>(from2, to2, plane.block(0));
      known = true;
    } else if (is(pointers7)) {
      seven_on_pointers<T>(&from3(0, 0, 0), &to3(0, 0, 0), {501, 12, 8}, from3.stride(axis::y),
                           from3.stride(axis::z));
      known = true;
    } else if (is(views7)) {
      seven_on_views<T>(from3, to3, block.block(0));
      known = true;
    }
  }
  return known;
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const bool doubles = sweep<double>(name, "pointers_2d", "views_2d", "pointers_3d", "views_3d");
  const bool numbers = sweep<std::int64_t>(name, "pointers_2d_int64", "views_2d_int64",
                                           "pointers_3d_int64", "views_3d_int64");
  if (doubles || numbers) return 0;
  std::fprintf(stderr, "counted_stencils: unknown sweep '%s'\n", name);
  return 2;
}
