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
/// and a bit says that the task is there.  The first bit at or behind `oldest_` is the oldest
/// task's.  Ids of tasks that are ready at once lie close together.  A task whose id lies too far
/// from the others waits in a heap.
///
/// Why no two tasks have one place: ids of those that have one are in [oldest_, newest_], and
/// `oldest_` falls only where that stays shorter than the places.  Why nobody is woken: the only
/// thread that takes is the one that pushes.
class serial_tasks {
 public:
  /// `capacity`: at least the number of tasks that can be in it at once.
  explicit serial_tasks(std::size_t capacity)
      : places_(std::bit_ceil(std::clamp(2 * capacity, bits_a_word, most_places))),
        bits_(places_.size() / bits_a_word),
        last_(places_.size() - 1),
        far_(capacity) {}

  /// `id`: the place of `task` in the order of submission.
  void push(task_node* task, std::uint64_t id) noexcept {
    if (id - oldest_ > last_) [[unlikely]]  // older ones too
      return push_elsewhere(task, id);
    newest_ = std::max(newest_, id);
    const std::size_t at = id & last_;
    places_[at] = task;
    bits_[at / bits_a_word] |= std::uint64_t{1} << at % bits_a_word;
    ++count_;
  }

  /// The oldest task, or null when there is none.
  [[nodiscard]] task_node* take() noexcept { return count_ != 0 ? take_placed() : far_.take(); }

 private:
  static constexpr std::size_t bits_a_word = 64;
  static constexpr std::size_t most_places = std::size_t{1} << 15;  ///< a search passes them all

  [[nodiscard]] std::uint64_t word() const noexcept {
    return bits_[(oldest_ & last_) / bits_a_word];
  }
  [[nodiscard]] task_node* take_placed() noexcept {
    std::uint64_t ahead = word() >> oldest_ % bits_a_word;
    while (ahead == 0) {
      oldest_ = (oldest_ | (bits_a_word - 1)) + 1;
      ahead = word();
    }
    oldest_ += static_cast<unsigned>(std::countr_zero(ahead));
    if (far_.oldest_id() < oldest_) [[unlikely]]
      return far_.take();
    const std::size_t at = oldest_++ & last_;
    bits_[at / bits_a_word] &= ~(std::uint64_t{1} << at % bits_a_word);
    --count_;
    return places_[at];
  }
  [[gnu::noinline]] void push_elsewhere(task_node* task, std::uint64_t id) noexcept {
    if (count_ == 0) {
      oldest_ = newest_ = id;
    } else if (id < oldest_ && newest_ - id <= last_) {
      oldest_ = id;
    } else {
      return far_.push(task, id);
    }
    push(task, id);
  }

  std::vector<task_node*> places_;
  std::vector<std::uint64_t> bits_;
  const std::uint64_t last_;  ///< place
  std::size_t count_ = 0;     ///< of tasks that have a place
  std::uint64_t oldest_ = 0;  ///< no task with a place is older
  std::uint64_t newest_ = 0;  ///< none is newer
  ready_heap far_;
};

}  // namespace plait::detail
