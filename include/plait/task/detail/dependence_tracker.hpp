// SPDX-License-Identifier: BSD-3-Clause
/// Finds the tasks in flight that a new task must follow, from the bytes each of them touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <plait/core/strided_bytes.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/access_history.hpp>
#include <plait/task/detail/box_tracker.hpp>
#include <plait/task/detail/container_places.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// Keeps, for disjoint segments of the address space, the last writer and the tasks that share the
/// segment since.  Two accesses conflict if and only if they share a byte and one writes: an access
/// that covers part of a segment splits it, so overlap is exact; a write that covers several
/// segments joins them again.
///
/// Commutative tasks on a segment have its `exclusion` in common, which both parts keep when it is
/// split: so two that share a byte never run at once.
///
/// Boxes whose rows lie apart are the box_tracker's, and so is, from then on, all memory between
/// the first and the last byte of one.  No segment lies there: those that did are handed over, and
/// ranges that reach there are entered there, whole.  So each access is in one of the two, and two
/// accesses that share a byte are in the same: if one is in the box_tracker, the other reaches into
/// memory that belongs to it, or is handed over when it comes to belong to it.
///
/// The common case, the same range as before, is one look into a direct-mapped cache from the
/// address to its segment; since segments are disjoint, one that has the very same bounds is the
/// whole answer. Other ranges take the ordered map: O(log segments + segments covered).
///
/// Segments whose tasks have all finished are swept away whenever their number has doubled, so
/// memory is bounded by what is in flight.  Not thread-safe: the submitting thread's own.
class dependence_tracker {
 public:
  static constexpr std::size_t usual_cache = 1024;
  /// `smallest_cache`: entries to begin with, a power of 2.
  explicit dependence_tracker(std::size_t smallest_cache = usual_cache);

  // Add to `task` an edge from every unfinished task that it must follow for an access.
  // `operation`: which one, if the access is a reduction.
  void add(task_node& task, byte_range bytes, access_mode mode, const void* operation = nullptr) {
    access_history* const known = known_segment(bytes);
    known != nullptr ? enter(*known, task, mode, operation)
                     : add_elsewhere(task, bytes, mode, operation);
  }
  /// Does so for the first access of a task, which writes alone, if that is simple: returns
  /// whether.
  [[gnu::always_inline, nodiscard]] bool adds_first(task_node& task, byte_range bytes) noexcept {
    access_history* const known = known_segment(bytes);
    return known != nullptr && known->writes_first(task);
  }
  void add_box(task_node& task, const strided_bytes& box, access_mode mode,
               const void* operation = nullptr);
  /// ... to an object and the elements that the object points to.
  void add_container(task_node& task, const container& c, access_mode mode,
                     const void* operation = nullptr);
  /// Returns the bytes that `add_container` would take for the elements.
  [[nodiscard]] byte_range elements_of(const container& c) { return containers_.elements_of(c); }
  /// Returns whether the elements lie in these bytes now: no task in flight may move them.
  [[nodiscard]] bool is_settled(const container& c) const { return containers_.is_settled(c); }

  /// Returns true if a task that reads `bytes`, or writes them, would follow nobody; false, too,
  /// where boxes are.
  [[gnu::always_inline, nodiscard]] bool is_settled(byte_range bytes,
                                                    access_mode for_mode) noexcept {
    if (segments_.empty() && boxes_ == nullptr) return true;
    const access_history* const known = known_segment(bytes);
    return known != nullptr ? known->is_settled(for_mode) : are_settled(bytes, for_mode);
  }

  [[nodiscard]] std::size_t segment_count() const noexcept { return segments_.size(); }
  /// Boxes, and ranges where there are boxes.
  [[nodiscard]] std::size_t box_count() const noexcept {
    return boxes_ != nullptr ? boxes_->entry_count() : 0;
  }
  /// Null before the first box.
  [[nodiscard]] const box_tracker* boxes() const noexcept { return boxes_.get(); }

 private:
  struct segment {
    std::uintptr_t end = 0;
    access_history history = {};
  };
  using segment_map = std::map<std::uintptr_t, segment>;
  using iterator = segment_map::iterator;

  struct cached {
    std::uintptr_t begin = UINTPTR_MAX;  ///< where no segment begins: there is none
    iterator where{};
  };

  [[nodiscard]] cached& slot(std::uintptr_t begin) noexcept {
    // Fibonacci hashing: blocks of arrays lie at regular distances, whose low bits are alike.
    return cache_[(begin * 0x9E3779B97F4A7C15U) >> cache_shift_];
  }
  /// Returns what the cache knows of a segment of exactly these bounds, or null.
  [[nodiscard]] access_history* known_segment(byte_range bytes) noexcept {
    const cached& entry = slot(bytes.begin);
    const bool is_known = entry.begin == bytes.begin && bytes.begin != bytes.end;
    return is_known && entry.where->second.end == bytes.end ? &entry.where->second.history
                                                            : nullptr;
  }
  /// `task` touches the very bytes of `history`.
  static void enter(access_history& history, task_node& task, access_mode mode,
                    const void* operation) {
    if (mode == access_mode::out || mode == access_mode::inout) return history.write(task);
    if (mode == access_mode::in) return history.read(task);
    history.share(task, {mode, mode == access_mode::reduce ? operation : nullptr});
  }
  [[nodiscard]] bool are_settled(byte_range bytes, access_mode for_mode) noexcept;
  void add_elsewhere(task_node& task, byte_range bytes, access_mode mode, const void* operation);
  void add_to_boxes(task_node& task, const strided_bytes& box, access_mode mode,
                    const void* operation);
  void hand_over(byte_range bytes);
  [[nodiscard]] iterator first_segment(std::uintptr_t begin);
  [[nodiscard]] iterator segment_from(std::uintptr_t at) noexcept;
  void share_range(iterator where, task_node& task, byte_range bytes, sharing kind);
  void write_range(iterator where, task_node& task, byte_range bytes);
  iterator split(iterator where, std::uintptr_t at);
  iterator erase(iterator where);
  void sweep();

  const std::size_t smallest_cache_;
  segment_map segments_;
  std::vector<cached> cache_;
  unsigned cache_shift_;
  std::size_t sweep_at_ = 1024;
  std::unique_ptr<box_tracker> boxes_;  ///< from the first box on
  container_places containers_;
};

}  // namespace plait::detail
