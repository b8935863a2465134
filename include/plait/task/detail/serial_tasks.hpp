// SPDX-License-Identifier: BSD-3-Clause
/// The ready tasks of a scheduler with one worker, which pushes and takes all of them: of the
/// highest priority first, and the oldest of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// A ring for each priority, and one heap.  Usually tasks become ready in the order of submission.
/// A task that is younger than all in the ring of its priority goes to the end of that ring, so
/// that a ring's oldest task comes first.  Any other task goes into the heap.
///
/// Why nobody is woken: the only thread that takes is the one that pushes.
class serial_tasks {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit serial_tasks(std::size_t capacity)
      : rings_{ring(capacity), ring(capacity), ring(capacity)} {
    late_.reserve(capacity);
  }

  /// `id`: the place of `task` in the order of submission.
  [[gnu::always_inline]] void push(task_node* task, std::uint64_t id,
                                   priority urgency = priority::normal) noexcept {
    if (urgency != priority::normal || id <= usual().newest) [[unlikely]]
      return push_with_care(task, id, urgency);
    usual().push(task, id);
  }

  /// Returns the task that runs next, or null when there is none.
  [[gnu::always_inline, nodiscard]] task_node* take() noexcept {
    if (unusual_ != 0) [[unlikely]]
      return take_up_to(priority::low);
    return take_usual();
  }
  /// Returns the task that runs next, or null, if none is `unusual`.
  [[gnu::always_inline, nodiscard]] task_node* take_usual() noexcept {
    return usual().empty() ? nullptr : usual().take();
  }
  /// Returns how many tasks are of another priority than the usual, or came late.
  [[nodiscard]] std::size_t unusual() const noexcept { return unusual_; }

  /// Returns the task that runs next of those that have at least this priority, or null.
  [[gnu::noinline, nodiscard]] task_node* take_up_to(priority least) noexcept {
    for (std::size_t lane = 0; lane <= static_cast<std::size_t>(least); ++lane) {
      ring& from = rings_[lane];
      const std::uint64_t first = key_of(lane, from.empty() ? 0 : from.head->id);
      const std::uint64_t limit = from.empty() ? key_of(lane + 1, 0) : first;
      if (!late_.empty() && late_.front().id < limit) return take_late();
      if (from.empty()) continue;
      if (&from != &usual()) --unusual_;
      return from.take();
    }
    return nullptr;
  }

 private:
  struct entry {
    task_node* task;
    std::uint64_t id;  ///< in the heap: the key
  };

  struct ring {
    explicit ring(std::size_t capacity) : places(capacity + 1) {}
    std::vector<entry> places;  ///< one of them is free, so that a full ring is not taken for empty
    entry* const end = places.data() + places.size();
    entry* head = places.data();
    entry* tail = places.data();
    std::uint64_t newest = 0;  ///< id of the task pushed last

    [[nodiscard]] bool empty() const noexcept { return head == tail; }
    [[gnu::always_inline]] void push(task_node* task, std::uint64_t id) noexcept {
      newest = id;
      *tail = {task, id};
      if (++tail == end) [[unlikely]]
        tail = places.data();
    }
    [[gnu::always_inline, nodiscard]] task_node* take() noexcept {
      task_node* const task = head->task;
      if (++head == end) [[unlikely]]
        head = places.data();
      if (task == nullptr) __builtin_unreachable();  // so nobody asks
      return task;
    }
  };

  [[nodiscard]] ring& usual() noexcept { return rings_[1]; }
  /// By priority, then by age.
  [[nodiscard]] static std::uint64_t key_of(std::size_t lane, std::uint64_t id) noexcept {
    return std::uint64_t{lane} << 62U | id;
  }
  [[gnu::noinline]] void push_with_care(task_node* task, std::uint64_t id,
                                        priority urgency) noexcept {
    const auto lane = static_cast<std::size_t>(urgency);
    ring& to = rings_[lane];
    if (to.empty() || id > to.newest) {
      if (&to != &usual()) ++unusual_;
      return to.push(task, id);
    }
    ++unusual_;
    late_.push_back({task, key_of(lane, id)});
    std::ranges::push_heap(late_, std::greater{}, &entry::id);
  }
  [[nodiscard]] task_node* take_late() noexcept {
    --unusual_;
    std::ranges::pop_heap(late_, std::greater{}, &entry::id);
    task_node* const task = late_.back().task;
    late_.pop_back();
    return task;
  }

  std::size_t unusual_ = 0;  ///< tasks that are not in the usual ring
  std::array<ring, priority_count> rings_;
  std::vector<entry> late_;  ///< a heap
};

}  // namespace plait::detail
