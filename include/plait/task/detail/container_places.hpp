// SPDX-License-Identifier: BSD-3-Clause
/// Knows where the elements of containers lie while tasks that may move them are in flight.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// A container that is passed as T& is two pieces of memory: the object, and elements that it
/// points to.  A task that writes it may change the object, so the object can be read only while no
/// such task is in flight.  Until then its elements are taken to lie where they lay when the first
/// of these tasks was submitted.  That is enough: where that task moves them, no task can have
/// named the new ones before it has finished, and a task that names the container follows it by the
/// object's own bytes.
///
/// Not thread-safe: the submitting thread's own.
class container_places {
 public:
  /// The elements of `c`, for a task that is submitted now.
  [[nodiscard]] byte_range elements_of(const container& c);
  /// Returns whether no task in flight may move the container's elements.
  [[nodiscard]] bool is_settled(const container& c) const;
  /// `task`, which is submitted now, may move them.
  void may_change(const container& c, task_node& task, access_mode mode);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

 private:
  struct place {
    byte_range elements;
    /// The last writer, or all that are `commutative` since.
    std::vector<node_ref> writers;

    [[nodiscard]] bool is_settled() const;
  };

  std::unordered_map<const void*, place> places_;
  std::size_t sweep_at_ = 64;
};

}  // namespace plait::detail
