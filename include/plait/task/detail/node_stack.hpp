// SPDX-License-Identifier: BSD-3-Clause
/// A stack of nodes that change hands.
#pragma once

#include <atomic>

#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// Any number of threads push, and one at a time takes everything at once: no ABA.  The nodes are
/// linked by `Next`.  Push and take are sequentially consistent: they pair with event_count.
template <class Node, Node* Node::*Next>
class linked_stack {
 public:
  void push(Node& node) noexcept {
    Node* head = head_.load(std::memory_order_relaxed);
    do {
      node.*Next = head;
    } while (!head_.compare_exchange_weak(head, &node, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  }
  /// Returns the newest, which leads to the older ones, or null.
  [[nodiscard]] Node* take_all() noexcept {
    if (head_.load(std::memory_order_seq_cst) == nullptr) return nullptr;
    return head_.exchange(nullptr, std::memory_order_seq_cst);
  }

 private:
  std::atomic<Node*> head_{nullptr};
};

using node_stack = linked_stack<task_node, &task_node::next_free>;

}  // namespace plait::detail
