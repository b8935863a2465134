// SPDX-License-Identifier: BSD-3-Clause
/// Tasks that a task submits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/node.hpp>

#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// Tasks that one task, the parent, has submitted.  Dependences are among these children only: to
/// everybody else they are part of the parent, whose accesses cover theirs, and which is finished
/// when its function has returned and they are.
///
/// The function of the parent, on whatever thread it runs, is the submitting thread of the
/// classes used here.
class family {
 public:
  explicit family(task_node& parent_) : parent(parent_), tracker(small_cache) {}

  /// A node that is free.  The parent's function.
  [[nodiscard]] task_node& take_node() {
    if (free_ == nullptr) free_ = returned.take_all();
    if (free_ == nullptr) return nodes_.emplace_back();
    task_node& node = *free_;
    free_ = node.next_free;
    return node;
  }

  task_node& parent;
  dependence_tracker tracker;
  returned_nodes returned;
  /// Children, and the parent's function.  Whoever lowers it to 0 finishes the parent.
  std::atomic<std::int64_t> unfinished{1};
  task_node* open_submission = nullptr;
  bool has_messages = false;  ///< the parent's function

 private:
  static constexpr std::size_t small_cache = 16;

  std::deque<task_node> nodes_;
  task_node* free_ = nullptr;
};

}  // namespace plait::detail
