// SPDX-License-Identifier: BSD-3-Clause
/// The ready tasks of a scheduler with one worker, which pushes and takes all of them: oldest
/// first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_tasks.hpp>

namespace plait::detail {

/// A calendar queue [Brown 1988] whose days have one task each: the id of a task names its place,
/// and a bit says that the task is there.  The places that share a word of bits are a row.  In the
/// row of `first_`, the oldest that has a task, the first bit is the oldest task's.  Ids of tasks
/// that are ready at once lie close together.  A task whose id lies too far from the others waits
/// in a heap.
///
/// Why no two tasks have one place: ids of those that have one are in [first_, first_ + last_], and
/// `first_` falls only past rows without a task.  Why nobody is woken: the only thread that takes
/// is the one that pushes.
class serial_tasks {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit serial_tasks(std::size_t capacity)
      : places_(std::bit_ceil(std::clamp(2 * capacity, 2 * row, most_places))),
        bits_(places_.size() / row),
        last_(places_.size() - 1),
        far_(capacity) {}

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// `id`: the place of `task` in the order of submission.
  [[gnu::always_inline]] void push(task_node* task, std::uint64_t id) noexcept {
    if (id - first_ > last_) [[unlikely]]  // older ones too
      return push_elsewhere(task, id);
    const std::size_t at = id & last_;
    places_[at] = task;
    bits_[at / row] |= std::uint64_t{1} << at % row;
    ++count_;
  }

  /// The oldest task, or null when there is none.
  [[nodiscard]] task_node* take() noexcept {
    if (*bits_to_take_ != 0) [[likely]]
      return take_from(*bits_to_take_);
    return count_ == 0 ? nullptr : take_beyond();
  }

 private:
  static constexpr std::size_t row = 64;
  static constexpr std::size_t most_places = std::size_t{1} << 15;  ///< a search passes them all

  void set_first(std::uint64_t id) noexcept {
    first_ = id & ~std::uint64_t{row - 1};
    places_of_first_ = &places_[first_ & last_];
    bits_to_take_ = far_count_ == 0 ? &bits_of_first() : &no_bits_;
  }
  [[nodiscard]] std::uint64_t& bits_of_first() noexcept { return bits_[(first_ & last_) / row]; }
  /// Precondition: these are those of the first row, and not 0.
  [[gnu::always_inline, nodiscard]] task_node* take_from(std::uint64_t& row_bits) noexcept {
    const std::uint64_t bits = row_bits;
    row_bits = bits & (bits - 1);
    --count_;
    task_node* const task = places_of_first_[static_cast<unsigned>(std::countr_zero(bits))];
    if (task == nullptr) __builtin_unreachable();  // so nobody asks
    return task;
  }
  /// Precondition: there is a task.
  [[gnu::noinline, nodiscard]] task_node* take_beyond() noexcept {
    std::uint64_t oldest = ready_queue::none;  // of those that have a place
    if (count_ > far_count_) {
      while (bits_of_first() == 0) set_first(first_ + row);
      oldest = first_ + static_cast<unsigned>(std::countr_zero(bits_of_first()));
    }
    if (oldest < far_.oldest_id()) return take_from(bits_of_first());
    --count_;
    --far_count_;
    set_first(first_);
    return far_.take();
  }
  [[gnu::noinline]] void push_elsewhere(task_node* task, std::uint64_t id) noexcept {
    if (count_ == far_count_ || (id < first_ && is_free_from(id))) {
      set_first(id);
      return push(task, id);
    }
    ++count_;
    ++far_count_;
    set_first(first_);
    far_.push(task, id);
  }
  /// Returns whether the rows from that of `id` to the first have places for an older task.
  [[nodiscard]] bool is_free_from(std::uint64_t id) const noexcept {
    for (id &= ~std::uint64_t{row - 1}; id < first_; id += row) {
      if (bits_[(id & last_) / row] != 0) return false;
    }
    return true;
  }

  std::vector<task_node*> places_;
  std::vector<std::uint64_t> bits_;
  const std::uint64_t last_;   ///< place
  std::size_t count_ = 0;      ///< of all tasks
  std::size_t far_count_ = 0;  ///< of those in the heap
  std::uint64_t first_ = 0;    ///< id of the first place of the row; no task with a place is older
  task_node** places_of_first_ = places_.data();
  std::uint64_t no_bits_ = 0;
  std::uint64_t* bits_to_take_ =
      bits_.data();  ///< of that row, or none while tasks are in the heap
  ready_heap far_;
};

}  // namespace plait::detail
