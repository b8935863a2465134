// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <string>

#include <plait/array/block_memory.hpp>
#include <plait/core/error.hpp>
#include <plait/core/point.hpp>
#include <sys/mman.h>

namespace plait {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t page_bytes = 4096;
constexpr std::size_t huge_page = std::size_t{1} << 21;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}

// How far into a page a block begins.  A load has to wait for an earlier store that agrees with it
// in the lowest twelve bits of the address ("4K aliasing"): were all arrays aligned alike, every
// load from u would wait for the store to v before it.  512x512x32 doubles, 7-point stencil, one
// core: 1.48 ns a cell instead of 2.25, from the second-level cache 0.6 instead of 3.5.  So a third
// of a page between three arrays; more of them go into the gaps.
std::int64_t stagger_bytes(int place) {
  constexpr std::array<std::int64_t, 4> gaps{0, 10, 5, 15};
  return line_bytes * (21 * (place % 3) + gaps[static_cast<std::size_t>(place / 3 % 4)]);
}

// The fewest elements that fill whole cache lines.  Of odd sizes that would be many: such rows
// start anywhere.
std::int64_t elements_of_line(std::int64_t size) {
  const std::int64_t line = line_bytes / std::gcd(line_bytes, size);
  return line * size > 8 * line_bytes ? 1 : line;
}

}  // namespace

block_memory::numbers block_memory::strides_of(const numbers& cells, const numbers& ghosts,
                                               std::size_t element_bytes) noexcept {
  const auto size = static_cast<std::int64_t>(element_bytes);
  const std::int64_t line = elements_of_line(size);
  numbers strides{1};
  std::int64_t below = cells[0] + 2 * ghosts[0];
  for (std::size_t a = 1; a < most_axes; ++a) {
    // Rows or planes that start at the same offset in a page compete for the same cache sets.
    strides[a] = round_up(below, line) + (a > 1 ? line : 0);
    if (strides[a] * size % page_bytes == 0) strides[a] += line;
    below = strides[a] * (cells[a] + 2 * ghosts[a]);
  }
  return strides;
}

block_memory::block_memory(const numbers& cells, const numbers& ghosts, std::size_t element_bytes,
                           int place) {
  PLAIT_EXPECTS(std::ranges::all_of(cells, [](auto n) { return n >= 1; }) &&
                    std::ranges::all_of(ghosts, [](auto w) { return w >= 0; }) && place >= 0,
                "cells " + detail::joined(cells.data(), most_axes, "x") + ", ghosts " +
                    detail::joined(ghosts.data(), most_axes, "x") + ", place " +
                    std::to_string(place));
  const auto size = static_cast<std::int64_t>(element_bytes);
  strides_ = strides_of(cells, ghosts, element_bytes);
  // The ghosts at both ends of a row lie in the padding before the next one: its own high ones and
  // the next row's low ones.
  const std::int64_t lead = round_up(ghosts[0], elements_of_line(size));
  std::int64_t origin = lead;
  for (std::size_t a = 1; a < most_axes; ++a) origin += ghosts[a] * strides_[a];
  const std::size_t last = most_axes - 1;
  const std::int64_t below = strides_[last] * (cells[last] + 2 * ghosts[last]);
  const std::int64_t begin = stagger_bytes(place);
  bytes_ = static_cast<std::size_t>(begin + (lead + below) * size);
  // On a page, for the place in it to be the one chosen; what is smaller than one cannot alias
  // much.
  const std::size_t alignment = bytes_ >= huge_page    ? huge_page
                                : bytes_ >= page_bytes ? std::size_t{page_bytes}
                                                       : std::size_t{line_bytes};
  bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes_)));
  if (memory_ == nullptr) throw std::bad_alloc();
  // A stencil walks several rows at once; advisory, and a machine without them is only slower.
  if (alignment == huge_page) madvise(memory_.get(), bytes_, MADV_HUGEPAGE);
  first_ = memory_.get() + begin + origin * size;
  set_zero();
}

void block_memory::set_zero() noexcept {
  std::memset(memory_.get(), 0, bytes_);
}

int next_place() noexcept {
  static std::atomic<int> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) % 12;
}

std::ptrdiff_t detail::place_of(int id, std::span<const int> sorted) noexcept {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), id);
  return found != sorted.end() && *found == id ? found - sorted.begin() : -1;
}

}  // namespace plait
