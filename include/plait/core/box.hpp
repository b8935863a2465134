// SPDX-License-Identifier: BSD-3-Clause
/// Boxes of cells and their calculus.  Sets that are no boxes are regions (region.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <plait/core/error.hpp>
#include <plait/core/extremes.hpp>
#include <plait/core/point.hpp>

namespace plait {

/// Holds the cells from `low` to before `high`, along every axis.  Empty if `high` is not above
/// `low` along one axis.  A box is a set, so all empty boxes are equal.
template <int D, space S = space::global>
struct box {
  point<D, S> low;
  point<D, S> high;

  constexpr box() noexcept = default;
  constexpr box(const point<D, S>& from, const point<D, S>& to) noexcept : low(from), high(to) {}
  /// Returns the box of this size whose low corner is the zero point.
  constexpr explicit box(const extents<D>& size) noexcept : high(point<D, S>() + size) {}

  [[nodiscard]] constexpr bool empty() const noexcept {
    for (const axis a : axes<D>)
      if (low[a] >= high[a]) return true;
    return false;
  }
  /// Cells along an axis; 0 in an empty box.
  [[nodiscard]] constexpr std::int64_t extent(axis a) const noexcept {
    return empty() ? 0 : high[a] - low[a];
  }
  [[nodiscard]] constexpr extents<D> extent() const noexcept {
    return empty() ? extents<D>() : high - low;
  }
  /// Returns the number of cells.
  [[nodiscard]] constexpr std::int64_t size() const noexcept { return extent().product(); }
  /// Returns the number of rows along x.
  [[nodiscard]] constexpr std::int64_t rows() const noexcept {
    return empty() ? 0 : size() / (high[axis::x] - low[axis::x]);
  }

  [[nodiscard]] constexpr bool contains(const point<D, S>& p) const noexcept {
    for (const axis a : axes<D>)
      if (p[a] < low[a] || p[a] >= high[a]) return false;
    return true;
  }
  /// Returns whether all cells of `other` are in this box.
  [[nodiscard]] constexpr bool contains(const box& other) const noexcept {
    if (other.empty()) return true;
    for (const axis a : axes<D>)
      if (other.low[a] < low[a] || other.high[a] > high[a]) return false;
    return true;
  }

  friend constexpr bool operator==(const box& a, const box& b) noexcept {
    return (a.low == b.low && a.high == b.high) || (a.empty() && b.empty());
  }
};

template <int D, space S>
[[nodiscard]] constexpr box<D, S> intersect(const box<D, S>& a, const box<D, S>& b) noexcept {
  box<D, S> result;
  for (const axis along : axes<D>) {
    result.low[along] = detail::larger(a.low[along], b.low[along]);
    result.high[along] = detail::smaller(a.high[along], b.high[along]);
  }
  return result;
}

/// Returns whether the boxes share a cell.
template <int D, space S>
[[nodiscard]] constexpr bool overlap(const box<D, S>& a, const box<D, S>& b) noexcept {
  return !intersect(a, b).empty();
}

/// Returns the smallest box with all cells of both.
template <int D, space S>
[[nodiscard]] constexpr box<D, S> bounds(const box<D, S>& a, const box<D, S>& b) noexcept {
  if (a.empty()) return b;
  if (b.empty()) return a;
  box<D, S> result;
  for (const axis along : axes<D>) {
    result.low[along] = detail::smaller(a.low[along], b.low[along]);
    result.high[along] = detail::larger(a.high[along], b.high[along]);
  }
  return result;
}

template <int D, space S>
[[nodiscard]] constexpr box<D, S> shift(const box<D, S>& b, const extents<D>& distance) noexcept {
  return {b.low + distance, b.high + distance};
}

/// Returns all cells at most this far from the box along each axis, on its low and its high side.
/// Nothing grows from an empty box.  Precondition: no width is negative.
template <int D, space S>
[[nodiscard]] constexpr box<D, S> grow(const box<D, S>& b, const extents<D>& low,
                                       const extents<D>& high) {
  PLAIT_EXPECTS(!low.is_negative() && !high.is_negative(),
                "widths " + to_string(low) + ", " + to_string(high));
  if (b.empty()) return {};
  return {b.low - low, b.high + high};
}
template <int D, space S>
[[nodiscard]] constexpr box<D, S> grow(const box<D, S>& b, const extents<D>& widths = 1) {
  return grow(b, widths, widths);
}
template <int D, space S>
[[nodiscard]] constexpr box<D, S> grow(const box<D, S>& b, axis a, side s, std::int64_t width) {
  extents<D> widths;
  widths[a] = width;
  return s == side::low ? grow(b, widths, extents<D>()) : grow(b, extents<D>(), widths);
}

/// Holds the boxes that a star-shaped stencil (5 points in two dimensions, 7 in three) reads for
/// the cells of a box: the cells grown along one axis at a time.  A range of these boxes, one an
/// axis.  Every box has the cells.
template <int D, space S = space::global>
class box_star {
 public:
  constexpr box_star(const box<D, S>& cells, std::int64_t width)
      : around_(grow(cells, extents<D>(width))), width_(width) {
    for (const axis a : axes<D>) {
      extents<D> widths;
      widths[a] = width;
      boxes_[static_cast<std::size_t>(index_of(a))] = grow(cells, widths);
    }
  }

  [[nodiscard]] constexpr auto begin() const noexcept { return boxes_.begin(); }
  [[nodiscard]] constexpr auto end() const noexcept { return boxes_.end(); }
  [[nodiscard]] constexpr const box<D, S>& operator[](std::size_t a) const { return boxes_[a]; }
  /// Returns the smallest box with all of them, edges and corners included.
  [[nodiscard]] constexpr const box<D, S>& around() const noexcept { return around_; }
  [[nodiscard]] constexpr std::int64_t width() const noexcept { return width_; }

 private:
  std::array<box<D, S>, D> boxes_;
  box<D, S> around_;
  std::int64_t width_;
};

/// Returns the star of a box.  Precondition: width >= 0.
///
///     rt.task("relax", five_point, in(u[star(cells)]), out(v[cells]));
template <int D, space S>
[[nodiscard]] constexpr box_star<D, S> star(const box<D, S>& b, std::int64_t width = 1) {
  return {b, width};
}

/// Returns the cells that are more than this far from the box's low and high ends.  Precondition:
/// no width is negative.
template <int D, space S>
[[nodiscard]] constexpr box<D, S> shrink(const box<D, S>& b, const extents<D>& low,
                                         const extents<D>& high) {
  PLAIT_EXPECTS(!low.is_negative() && !high.is_negative(),
                "widths " + to_string(low) + ", " + to_string(high));
  return {b.low + low, b.high - high};
}
template <int D, space S>
[[nodiscard]] constexpr box<D, S> shrink(const box<D, S>& b, const extents<D>& widths = 1) {
  return shrink(b, widths, widths);
}
template <int D, space S>
[[nodiscard]] constexpr box<D, S> shrink(const box<D, S>& b, axis a, side s, std::int64_t width) {
  extents<D> widths;
  widths[a] = width;
  return s == side::low ? shrink(b, widths, extents<D>()) : shrink(b, extents<D>(), widths);
}

/// Returns the `width` outermost layers of cells of `b` on a side, or all of it if it has fewer;
/// and the `width` layers that lie before them, outside of `b`.  Precondition: width >= 0.
template <int D, space S>
[[nodiscard]] constexpr box<D, S> layers_inside(const box<D, S>& b, axis a, side s,
                                                std::int64_t width) {
  box<D, S> result = b;
  const std::int64_t depth = detail::smaller(width, b.extent(a));
  if (s == side::low) result.high[a] = b.low[a] + depth;
  if (s == side::high) result.low[a] = b.high[a] - depth;
  return result;
}
template <int D, space S>
[[nodiscard]] constexpr box<D, S> layers_outside(const box<D, S>& b, axis a, side s,
                                                 std::int64_t width) {
  if (b.empty()) return {};
  box<D, S> result = b;
  if (s == side::low) {
    result.high[a] = b.low[a];
    result.low[a] = b.low[a] - width;
  } else {
    result.low[a] = b.high[a];
    result.high[a] = b.high[a] + width;
  }
  return result;
}

/// Returns the cells of a global box counted from `corner`, as a local box.
template <int D>
[[nodiscard]] constexpr box<D, space::local> to_local(const box<D>& b,
                                                      const point<D>& corner) noexcept {
  return {to_local(b.low, corner), to_local(b.high, corner)};
}
template <int D>
[[nodiscard]] constexpr box<D> to_global(const box<D, space::local>& b,
                                         const point<D>& corner) noexcept {
  return {to_global(b.low, corner), to_global(b.high, corner)};
}

/// Calls `visit(first)` with the first cell of every row, in the order of memory; a row has
/// `b.extent(axis::x)` cells.
template <int D, space S, class Visit>
constexpr void for_each_row(const box<D, S>& b, Visit&& visit) {
  if (b.empty()) return;
  point<D, S> at = b.low;
  while (true) {
    visit(static_cast<const point<D, S>&>(at));
    std::size_t a = 1;
    for (; a < D; ++a) {
      if (++at.along[a] < b.high.along[a]) break;
      at.along[a] = b.low.along[a];
    }
    if (a >= D) return;
  }
}

/// Calls `visit(cell)` for every cell, in the order of memory.
template <int D, space S, class Visit>
constexpr void for_each_cell(const box<D, S>& b, Visit&& visit) {
  for_each_row(b, [&](point<D, S> at) {
    for (; at[axis::x] < b.high[axis::x]; ++at[axis::x]) visit(static_cast<const point<D, S>&>(at));
  });
}

/// Returns text such as "(0, 0) to (8, 4)": from the first cell to behind the last.
template <int D, space S>
[[nodiscard]] std::string to_string(const box<D, S>& b) {
  return to_string(b.low) + " to " + to_string(b.high);
}

}  // namespace plait
