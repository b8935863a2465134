// SPDX-License-Identifier: BSD-3-Clause
/// Any finite set of cells, kept as disjoint boxes, and the calculus of such sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/box.hpp>

namespace plait {

/// A set of cells.  Compiled for 1 to 4 dimensions and both kinds of index.
template <int D, space S = space::global>
class region {
 public:
  using box_type = box<D, S>;

  region() = default;
  region(const box_type& b) {
    if (!b.empty()) boxes_.push_back(b);
  }
  /// All cells of all boxes, which may overlap and be empty.  Cost: quadratic in their number.
  explicit region(std::span<const box_type> boxes);

  /// Disjoint, none empty; how the set is cut into them is not specified, but rows are long: cuts
  /// across x come last.
  [[nodiscard]] const std::vector<box_type>& boxes() const noexcept { return boxes_; }
  [[nodiscard]] bool empty() const noexcept { return boxes_.empty(); }
  /// Returns the number of cells.
  [[nodiscard]] std::int64_t size() const noexcept;
  [[nodiscard]] bool contains(const point<D, S>& p) const noexcept;
  /// Returns the smallest box with all cells.
  [[nodiscard]] box_type bounds() const noexcept;

  /// Returns whether both regions have the same cells, however they are cut.
  [[nodiscard]] bool equals(const region& other) const;
  friend bool operator==(const region& a, const region& b) { return a.equals(b); }

 private:
  void join_neighbours();

  template <int E, space R>
  friend region<E, R> intersect(const region<E, R>&, const region<E, R>&);
  template <int E, space R>
  friend region<E, R> unite(const region<E, R>&, const region<E, R>&);
  template <int E, space R>
  friend region<E, R> subtract(const region<E, R>&, const region<E, R>&);
  template <int E, space R>
  friend region<E, R> shift(const region<E, R>&, const extents<E>&);

  std::vector<box_type> boxes_;
};

// Cost of what follows: the product of the numbers of boxes.

template <int D, space S>
[[nodiscard]] region<D, S> intersect(const region<D, S>& a, const region<D, S>& b);
template <int D, space S>
[[nodiscard]] region<D, S> unite(const region<D, S>& a, const region<D, S>& b);
/// Returns the cells of `a` that are not in `b`.
template <int D, space S>
[[nodiscard]] region<D, S> subtract(const region<D, S>& a, const region<D, S>& b);
template <int D, space S>
[[nodiscard]] region<D, S> shift(const region<D, S>& r, const extents<D>& distance);

/// Returns the cells of `a` that are not in `b`: at most 2 D boxes.
template <int D, space S>
[[nodiscard]] region<D, S> subtract(const box<D, S>& a, const box<D, S>& b) {
  return subtract(region<D, S>(a), region<D, S>(b));
}
template <int D, space S>
[[nodiscard]] region<D, S> unite(const box<D, S>& a, const box<D, S>& b) {
  return unite(region<D, S>(a), region<D, S>(b));
}
/// Returns the cells of `within` that are not in `r`.
template <int D, space S>
[[nodiscard]] region<D, S> complement(const region<D, S>& r, const box<D, S>& within) {
  return subtract(region<D, S>(within), r);
}

/// Returns all cells at most `low` below and `high` above a cell of `r`, along each axis.
/// Precondition: no width is negative.
template <int D, space S>
[[nodiscard]] region<D, S> grow(const region<D, S>& r, const extents<D>& low,
                                const extents<D>& high);
template <int D, space S>
[[nodiscard]] region<D, S> grow(const region<D, S>& r, const extents<D>& widths = 1) {
  return grow(r, widths, widths);
}

/// Returns the cells that stay in `r` when moved by up to `low` downwards and `high` upwards along
/// each axis.  Precondition: no width is negative.
template <int D, space S>
[[nodiscard]] region<D, S> shrink(const region<D, S>& r, const extents<D>& low,
                                  const extents<D>& high);
template <int D, space S>
[[nodiscard]] region<D, S> shrink(const region<D, S>& r, const extents<D>& widths = 1) {
  return shrink(r, widths, widths);
}

}  // namespace plait
