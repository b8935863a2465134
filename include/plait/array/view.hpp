// SPDX-License-Identifier: BSD-3-Clause
/// The values of a box of cells in memory that another object owns, addressed by the cells' own
/// indices.
#pragma once

#include <array>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <plait/core/box.hpp>
#include <plait/core/strided_bytes.hpp>

namespace plait {

template <class T, int D, space S = space::global>
class star_view;

/// Cells lie x fastest, one after the other within a row; the distances between rows are any.  The
/// place of cell (0, …, 0) is computed once, so that an access costs what it costs with a raw
/// pointer and strides.  Constness is that of the elements, as with std::span: view<T> becomes
/// view<const T> and never the reverse.  Pass it by value.
template <class T, int D, space S = space::global>
class view {
 public:
  using element = T;

  view() = default;
  /// `first` is the place of `cells.low`; `strides` counts elements between neighbours, 1 along x.
  view(T* first, const box<D, S>& cells, const std::array<std::ptrdiff_t, D>& strides) noexcept
      : cells_(cells), strides_(strides) {
    assert(strides[0] == 1);
    zero_ = moved(first, -offset_of(cells.low));
  }
  template <class U>
  requires(std::same_as<const U, T> && !std::same_as<U, T>) view(const view<U, D, S>& other)
  noexcept : zero_(other.zero_), cells_(other.cells_), strides_(other.strides_) {}

  /// Returns the cells that the view shows.
  [[nodiscard]] const box<D, S>& cells() const noexcept { return cells_; }
  /// Elements between neighbours along an axis.
  [[nodiscard]] std::ptrdiff_t stride(axis a) const noexcept {
    return strides_[static_cast<std::size_t>(index_of(a))];
  }

  /// Returns the element of a cell, and its address.  Precondition: the cell is one of cells();
  /// checked with assert, since kernels call it.
  template <std::integral... N>
  requires(sizeof...(N) == D) [[nodiscard]] T& operator()(N... n) const noexcept {
    return (*this)[point<D, S>(n...)];
  }
  [[nodiscard]] T& operator[](const point<D, S>& p) const noexcept { return *at(p); }
  [[nodiscard]] T* at(const point<D, S>& p) const noexcept {
    assert(cells_.contains(p));
    return zero_ + offset_of(p);
  }

  /// Returns a view of these cells only.  Precondition: the cells are among cells().
  [[nodiscard]] view operator[](const box<D, S>& part) const {
    PLAIT_EXPECTS(cells_.contains(part), to_string(part) + " of " + to_string(cells_));
    view result(*this);
    result.cells_ = part;
    return result;
  }
  /// Returns a view of the boxes of a star, as a task names them.  Precondition: `part.around()`,
  /// the box around the star, lies in cells().
  [[nodiscard]] star_view<T, D, S> operator[](const box_star<D, S>& part) const {
    return {(*this)[part.around()], part.width()};
  }

  /// Returns the bytes of the cells, which a task names by in(v), out(v), inout(v) and
  /// commutative(v).
  [[nodiscard]] strided_bytes strided_memory() const noexcept {
    if (cells_.empty()) return {};
    const auto size = static_cast<std::int64_t>(sizeof(T));
    strided_bytes memory{.begin = reinterpret_cast<std::uintptr_t>(at(cells_.low)),
                         .row_bytes = static_cast<std::size_t>(extent_along(0) * size)};
    for (std::size_t a = 1; a < D; ++a) {
      memory.axes[a - 1] = {extent_along(a), strides_[a] * size};
    }
    return memory;
  }
  [[nodiscard]] view<const T, D, S> as_const() const noexcept { return *this; }

  /// Returns a view of all elements with their cells counted from `corner`.
  [[nodiscard]] view<T, D, space::local> local(const point<D>& corner) const noexcept
      requires(S == space::global) {
    return {moved(zero_, offset_of(cells_.low)), to_local(cells_, corner), strides_};
  }

 private:
  template <class, int, space>
  friend class view;

  [[nodiscard]] std::int64_t extent_along(std::size_t a) const noexcept {
    return static_cast<std::int64_t>(cells_.high.along[a] - cells_.low.along[a]);
  }
  [[nodiscard]] std::ptrdiff_t offset_of(const point<D, S>& p) const noexcept {
    std::ptrdiff_t result = p.along[0];
    for (std::size_t a = 1; a < D; ++a) result += p.along[a] * strides_[a];
    return result;
  }
  // Cell (0, …, 0) need not lie in the memory; pointers, unlike integers, must not leave theirs.
  [[nodiscard]] static T* moved(T* from, std::ptrdiff_t elements) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(from) +
                                static_cast<std::uintptr_t>(elements) * sizeof(T));
  }

  T* zero_ = nullptr;
  box<D, S> cells_;
  std::array<std::ptrdiff_t, D> strides_{1};
};

/// The elements of a star: what a task names by in(u[star(cells)]).  The task covers these cells
/// and no others; its function gets a view of the box around them, whose edges and corners it must
/// not touch.
template <class T, int D, space S>
class star_view {
 public:
  using element = T;

  /// The star of the cells that are more than `width` from the ends of `around`.
  star_view(const view<T, D, S>& around, std::int64_t width) noexcept
      : around_(around), width_(width) {}

  [[nodiscard]] view<T, D, S> passed() const noexcept { return around_; }
  [[nodiscard]] std::array<strided_bytes, D> strided_boxes() const noexcept {
    const box_star<D, S> cells(shrink(around_.cells(), extents<D>(width_)), width_);
    std::array<strided_bytes, D> all;
    for (std::size_t a = 0; a < D; ++a) all[a] = around_[cells[a]].strided_memory();
    return all;
  }
  [[nodiscard]] star_view<const T, D, S> as_const() const noexcept {
    return {around_.as_const(), width_};
  }

 private:
  view<T, D, S> around_;
  std::int64_t width_ = 0;
};

}  // namespace plait
