// SPDX-License-Identifier: BSD-3-Clause
/// Finds which of many boxes share a cell with a given one, without looking at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/box.hpp>

namespace plait {

/// Finds boxes by their cells.  A binary tree over boxes, each node with the bounds of its subtree,
/// halved along the axis on which the boxes' centres lie farthest apart.  Does not change once it
/// is built.  Queries are thread-safe.  Cost: n log n to build; near enough log n and the boxes
/// found for a query of boxes that do not overlap each other.  Compiled for 1 to 4 dimensions.
template <int D>
class box_tree {
 public:
  box_tree() = default;
  /// Empty boxes are never found.
  explicit box_tree(std::span<const box<D>> boxes);

  /// Replaces `found` by the numbers of the boxes that share a cell with `b`, ascending.
  void find_overlapping(const box<D>& b, std::vector<int>& found) const;

 private:
  struct node {
    box<D> bounds;
    int first = 0;   ///< leaf: of its entries
    int count = 0;   ///< leaf: how many entries; else 0
    int second = 0;  ///< inner: its second child; the first one follows it
  };
  struct entry {
    box<D> cells;
    int number = 0;
  };
  void build(std::size_t first, std::size_t last);

  std::vector<node> nodes_;
  std::vector<entry> entries_;
};

}  // namespace plait
