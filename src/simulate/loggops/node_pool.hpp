// SPDX-License-Identifier: BSD-3-Clause
/// Elements of many short lists in one place, in pieces that never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plait::simulate {

/// Number of an element; 0 is none.
using node_number = std::uint32_t;

/// A list is the number of its last element, whose `next` is the first.  `Node` has a `next`.
template <class Node>
class node_pool {
 public:
  [[nodiscard]] Node& operator[](node_number at) { return pieces_[at >> bits][at & mask]; }
  [[nodiscard]] const Node& operator[](node_number at) const {
    return pieces_[at >> bits][at & mask];
  }

  void append(node_number& list, const Node& added) {
    const node_number at = take();
    Node& node = (*this)[at];
    node = added;
    if (list == 0) {
      node.next = at;
    } else {
      node.next = (*this)[list].next;
      (*this)[list].next = at;
    }
    list = at;
  }

  /// Returns the first element.  Precondition: the list has one.
  [[nodiscard]] Node& first(node_number list) { return (*this)[(*this)[list].next]; }
  [[nodiscard]] const Node& first(node_number list) const { return (*this)[(*this)[list].next]; }

  /// Takes the element behind `before`, which is the last one for the first.
  Node remove_behind(node_number& list, node_number before) {
    const node_number at = (*this)[before].next;
    const Node removed = (*this)[at];
    (*this)[before].next = removed.next;
    if (at == list) list = at == before ? 0 : before;
    (*this)[at].next = free_;
    free_ = at;
    return removed;
  }
  Node remove_first(node_number& list) { return remove_behind(list, list); }

  template <class Visit>
  void each(node_number list, const Visit& visit) const {
    if (list == 0) return;
    for (node_number at = (*this)[list].next;; at = (*this)[at].next) {
      visit((*this)[at]);
      if (at == list) return;
    }
  }

 private:
  static constexpr unsigned bits = 12;
  static constexpr node_number mask = (1U << bits) - 1;

  [[nodiscard]] node_number take() {
    if (free_ != 0) {
      const node_number at = free_;
      free_ = (*this)[at].next;
      return at;
    }
    if ((++used_ & mask) == 0 || pieces_.empty())
      pieces_.push_back(std::make_unique_for_overwrite<Node[]>(std::size_t{1} << bits));
    return used_;
  }

  std::vector<std::unique_ptr<Node[]>> pieces_;
  node_number free_ = 0;
  node_number used_ = 0;
};

}  // namespace plait::simulate
