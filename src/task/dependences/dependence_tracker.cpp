// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <plait/task/detail/dependence_tracker.hpp>

namespace plait::detail {

dependence_tracker::dependence_tracker(std::size_t smallest_cache)
    : smallest_cache_(smallest_cache),
      cache_(smallest_cache),
      cache_shift_(64U - static_cast<unsigned>(std::countr_zero(smallest_cache))) {}

/// `add`, where the cache knows no segment of these bounds.
[[gnu::noinline]] void dependence_tracker::add_elsewhere(task_node& task, byte_range bytes,
                                                         access_mode mode, const void* operation) {
  if (bytes.begin == bytes.end) return;
  if (segments_.size() >= sweep_at_) sweep();
  if (boxes_ != nullptr && boxes_->owns_some_of(bytes)) {
    return add_to_boxes(task, strided_bytes::of(bytes), mode, operation);
  }
  const cached& known = slot(bytes.begin);
  const auto where = known.begin == bytes.begin ? known.where : first_segment(bytes.begin);
  if (where != segments_.end() && where->first == bytes.begin && where->second.end == bytes.end)
    return enter(where->second.history, task, mode, operation);
  switch (mode) {
    case access_mode::out:
    case access_mode::inout:
      return write_range(where, task, bytes);
    case access_mode::in:
    case access_mode::commutative:
      return share_range(where, task, bytes, {mode});
    case access_mode::reduce: {
      // Tasks combine into the same elements under one mutex: only the very same range is shared.
      const bool new_range = where == segments_.end() || where->first >= bytes.end;
      if (new_range) return share_range(where, task, bytes, {mode, operation});
      return write_range(where, task, bytes);
    }
  }
}

void dependence_tracker::add_container(task_node& task, const container& c, access_mode mode,
                                       const void* operation) {
  const byte_range elements = containers_.elements_of(c);
  if (mode != access_mode::in && mode != access_mode::reduce) containers_.may_change(c, task, mode);
  add(task, c.own(), mode, operation);
  if (!c.holds(elements)) add(task, elements, mode, operation);
}

void dependence_tracker::add_box(task_node& task, const strided_bytes& given, access_mode mode,
                                 const void* operation) {
  if (given.is_range()) return add(task, given.hull(), mode, operation);
  const strided_bytes box = given.normalised();
  if (box.empty()) return;
  if (box.contiguous() && (boxes_ == nullptr || !boxes_->owns_some_of(box.hull()))) {
    return add(task, box.hull(), mode, operation);
  }
  return add_to_boxes(task, box, mode, operation);
}

/// Returns what `is_settled` does, where the cache knows no segment of these bounds.
[[gnu::noinline]] bool dependence_tracker::are_settled(byte_range bytes,
                                                       access_mode for_mode) noexcept {
  if (bytes.begin == bytes.end) return true;
  if (boxes_ != nullptr && boxes_->owns_some_of(bytes)) return false;
  cached& entry = slot(bytes.begin);
  auto where = entry.where;
  if (entry.begin != bytes.begin) {
    where = segment_from(bytes.begin);
    if (where != segments_.end() && where->first == bytes.begin) entry = {bytes.begin, where};
  }
  for (; where != segments_.end() && where->first < bytes.end; ++where) {
    if (!where->second.history.is_settled(for_mode)) return false;
    if (where->second.end >= bytes.end) break;
  }
  return true;
}

void dependence_tracker::add_to_boxes(task_node& task, const strided_bytes& box, access_mode mode,
                                      const void* operation) {
  if (boxes_ == nullptr) boxes_ = std::make_unique<box_tracker>();
  boxes_->sweep_if_due();
  if (!boxes_->knows(box)) hand_over(box.hull());
  boxes_->add(task, box, mode, operation);
}

/// Gives `bytes` to the boxes, with the segments there; whole, which may reach beyond.
void dependence_tracker::hand_over(byte_range bytes) {
  byte_range owned = boxes_->own(bytes);
  auto where = segment_from(owned.begin);
  while (where != segments_.end() && where->first < owned.end) {
    const byte_range moved{where->first, where->second.end};
    if (moved.begin < owned.begin || moved.end > owned.end) owned = boxes_->own(moved);
    boxes_->take(moved, std::move(where->second.history));
    where = erase(where);
  }
}

/// The first segment at or after `begin`, which the cache does not know; one that encloses `begin`
/// is split there.
dependence_tracker::iterator dependence_tracker::first_segment(std::uintptr_t begin) {
  auto where = segment_from(begin);
  if (where != segments_.end() && where->first < begin) where = split(where, begin);
  if (where != segments_.end() && where->first == begin) slot(begin) = {begin, where};
  return where;
}

/// The first segment that ends behind `at`.
dependence_tracker::iterator dependence_tracker::segment_from(std::uintptr_t at) noexcept {
  const auto behind = segments_.upper_bound(at);
  const bool encloses = behind != segments_.begin() && std::prev(behind)->second.end > at;
  return encloses ? std::prev(behind) : behind;
}

dependence_tracker::iterator dependence_tracker::split(iterator where, std::uintptr_t at) {
  where->second.history.cut();
  segment tail = where->second;
  where->second.end = at;
  return segments_.emplace_hint(std::next(where), at, std::move(tail));
}

dependence_tracker::iterator dependence_tracker::erase(iterator where) {
  cached& entry = slot(where->first);
  if (entry.begin == where->first) entry = {};
  return segments_.erase(where);
}

void dependence_tracker::write_range(iterator where, task_node& task, byte_range bytes) {
  // A program that repeats itself cuts memory the same way each time: few segments are kept as they
  // are, many (or some with gaps between them) become one.  [bench message: a stream in bursts of
  // 64, each opened by one task, sends 1.13 times as many messages as with bursts' segments
  // joined]
  constexpr int most_kept = 64;
  std::uintptr_t covered = bytes.begin;
  auto end = where;
  for (int i = 0; i < most_kept && covered < bytes.end; ++i, ++end) {
    if (end == segments_.end() || end->first != covered) break;
    if (end->second.end > bytes.end) split(end, bytes.end);
    covered = end->second.end;
  }
  if (covered == bytes.end) {
    for (; where != end; ++where) where->second.history.write(task);
    return;
  }
  while (where != segments_.end() && where->first < bytes.end) {
    if (where->second.end > bytes.end) split(where, bytes.end);
    where->second.history.write(task);
    where = erase(where);
  }
  segments_.emplace_hint(where, bytes.begin, segment{bytes.end, access_history(task)});
}

void dependence_tracker::share_range(iterator where, task_node& task, byte_range bytes,
                                     sharing kind) {
  std::uintptr_t at = bytes.begin;
  while (at < bytes.end) {
    if (where == segments_.end() || where->first > at) {  // a gap nobody has touched
      const auto gap_end = where == segments_.end() ? bytes.end : std::min(bytes.end, where->first);
      where = segments_.emplace_hint(where, at, segment{gap_end});
    } else if (where->second.end > bytes.end) {
      split(where, bytes.end);
    }
    where->second.history.share(task, kind);
    at = where->second.end;
    ++where;
  }
}

void dependence_tracker::sweep() {
  for (auto where = segments_.begin(); where != segments_.end();) {
    const bool idle = where->second.history.forget_finished();
    where = idle ? erase(where) : std::next(where);
  }
  sweep_at_ = std::max<std::size_t>(1024, 2 * segments_.size());
  const std::size_t wanted = std::bit_ceil(std::max(smallest_cache_, 4 * sweep_at_));
  if (wanted != cache_.size()) {
    cache_.assign(wanted, {});
    cache_shift_ = 64U - static_cast<unsigned>(std::countr_zero(wanted));
  }
}

}  // namespace plait::detail
