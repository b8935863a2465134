// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/exclusion.hpp>

namespace plait::detail {
namespace {

/// Makes `task` a successor of `predecessor`, unless that has finished in the meantime.
///
/// `task.unmet` still holds its submission guard, so a predecessor that finishes as soon as the
/// edge is visible cannot make it ready.  The release publishes the edge to the predecessor's
/// closing exchange.  One that is finished by the calling thread needs neither.
int add_edge(task_node& predecessor, task_node& task) {
  const std::uint64_t id = task.id.load(std::memory_order_relaxed);
  if (predecessor.last_successor_id == id) return 0;
  predecessor.last_successor_id = id;
  edge* link = task.new_edge();
  link->successor = &task;
  if (predecessor.unshared) {  // and unfinished
    link->next.store(predecessor.successors.load(std::memory_order_relaxed),
                     std::memory_order_relaxed);
    predecessor.successors.store(link, std::memory_order_relaxed);
    return 1;
  }
  task.follows_unshared = false;
  edge* head = predecessor.successors.load(std::memory_order_acquire);
  do {
    if (head == task_node::closed()) {
      task.drop_newest_edge();
      return 0;
    }
    link->next.store(head, std::memory_order_relaxed);
  } while (!predecessor.successors.compare_exchange_weak(head, link, std::memory_order_release,
                                                         std::memory_order_acquire));
  return 1;
}

int add_edge(node_ref reference, task_node& task) {
  task_node* predecessor = reference.unfinished();
  return predecessor != nullptr && predecessor != &task ? add_edge(*predecessor, task) : 0;
}

}  // namespace

dependence_tracker::dependence_tracker(std::size_t smallest_cache)
    : smallest_cache_(smallest_cache),
      cache_(smallest_cache),
      cache_shift_(64U - static_cast<unsigned>(std::countr_zero(smallest_cache))) {}

dependence_tracker::cached& dependence_tracker::slot(std::uintptr_t begin) noexcept {
  // Fibonacci hashing: blocks of arrays lie at regular distances, whose low bits are alike.
  return cache_[(begin * 0x9E3779B97F4A7C15U) >> cache_shift_];
}

int dependence_tracker::add(task_node& task, byte_range bytes, access_mode mode,
                            const void* operation) {
  if (bytes.begin == bytes.end) return 0;
  if (segments_.size() >= sweep_at_) sweep();
  const auto where = first_segment(bytes.begin);
  const bool same =
      where != segments_.end() && where->first == bytes.begin && where->second.end == bytes.end;
  switch (mode) {
    case access_mode::out:
    case access_mode::inout:
      return same ? write(where->second, task) : write_range(where, task, bytes);
    case access_mode::in:
    case access_mode::commutative:
      if (same) return share(where->second, task, {mode});
      return share_range(where, task, bytes, {mode});
    case access_mode::reduce: {
      // Tasks combine into the same elements under one mutex: only the very same range is shared.
      const bool new_range = where == segments_.end() || where->first >= bytes.end;
      if (same) return share(where->second, task, {mode, operation});
      if (new_range) return share_range(where, task, bytes, {mode, operation});
      return write_range(where, task, bytes);
    }
  }
  return 0;
}

/// The first segment at or after `begin`; one that encloses `begin` is split there.
dependence_tracker::iterator dependence_tracker::first_segment(std::uintptr_t begin) {
  cached& entry = slot(begin);
  if (entry.valid && entry.begin == begin) return entry.where;
  auto where = segments_.lower_bound(begin);
  if ((where == segments_.end() || where->first > begin) && where != segments_.begin()) {
    const auto before = std::prev(where);
    if (before->second.end > begin) where = split(before, begin);
  }
  if (where != segments_.end() && where->first == begin) entry = {begin, where, true};
  return where;
}

int dependence_tracker::share(segment& s, task_node& task, sharing kind) {
  if (s.kind != kind) {
    if (!s.sharers.empty()) {
      std::swap(s.before, s.sharers);  // they follow the writer themselves
      s.sharers.clear();
      s.writer = {};
    }
    s.kind = kind;
  }
  if (kind.mode == access_mode::commutative) {
    if (s.lock == nullptr) s.lock = std::make_shared<exclusion>();
    if (task.exclusions == nullptr) {
      task.exclusions = std::make_unique<std::vector<std::shared_ptr<exclusion>>>();
    }
    auto& all = *task.exclusions;
    const auto place = std::lower_bound(all.begin(), all.end(), s.lock);
    if (place == all.end() || *place != s.lock) all.insert(place, s.lock);
  }
  int edges = add_edge(s.writer, task);
  for (const node_ref& one : s.before) edges += add_edge(one, task);
  if (s.sharers.size() == s.sharers.capacity()) {
    std::erase_if(s.sharers, [](const node_ref& r) { return r.unfinished() == nullptr; });
    // Twice the room for those that stay, so that the next do not look through them again.
    s.sharers.reserve(2 * s.sharers.size() + 1);
  }
  s.sharers.push_back({&task, task.generation});
  return edges;
}

int dependence_tracker::write(segment& s, task_node& task) {
  int edges = 0;
  // Unfinished sharers follow what came before them themselves; but one that is `task` itself, or
  // none, says nothing about it.
  bool covered = false;
  for (const node_ref& sharer : s.sharers) {
    task_node* node = sharer.unfinished();
    if (node == nullptr || node == &task) continue;
    edges += add_edge(*node, task);
    covered = true;
  }
  if (!covered) {
    edges += add_edge(s.writer, task);
    for (const node_ref& one : s.before) edges += add_edge(one, task);
  }
  s.before.clear();
  s.sharers.clear();
  s.writer = {&task, task.generation};
  return edges;
}

dependence_tracker::iterator dependence_tracker::split(iterator where, std::uintptr_t at) {
  // A task that reduces only a part would combine under another mutex than those of the whole.
  if (where->second.kind.mode == access_mode::reduce) where->second.kind.operation = nullptr;
  segment tail = where->second;
  where->second.end = at;
  return segments_.emplace_hint(std::next(where), at, std::move(tail));
}

dependence_tracker::iterator dependence_tracker::erase(iterator where) {
  cached& entry = slot(where->first);
  if (entry.valid && entry.begin == where->first) entry.valid = false;
  return segments_.erase(where);
}

int dependence_tracker::write_range(iterator where, task_node& task, byte_range bytes) {
  // A program that repeats itself cuts memory the same way each time: few segments are kept as they
  // are, many (or some with gaps between them) become one.  [bench message: a stream in windows of
  // 64, each opened by one task, sends 1.13 times as many messages as with windows' segments
  // joined]
  constexpr int most_kept = 64;
  std::uintptr_t covered = bytes.begin;
  auto end = where;
  for (int i = 0; i < most_kept && covered < bytes.end; ++i, ++end) {
    if (end == segments_.end() || end->first != covered) break;
    if (end->second.end > bytes.end) split(end, bytes.end);
    covered = end->second.end;
  }
  int edges = 0;
  if (covered == bytes.end) {
    for (; where != end; ++where) edges += write(where->second, task);
    return edges;
  }
  while (where != segments_.end() && where->first < bytes.end) {
    if (where->second.end > bytes.end) split(where, bytes.end);
    edges += write(where->second, task);
    where = erase(where);
  }
  segments_.emplace_hint(where, bytes.begin, segment{bytes.end, {&task, task.generation}});
  return edges;
}

int dependence_tracker::share_range(iterator where, task_node& task, byte_range bytes,
                                    sharing kind) {
  int edges = 0;
  std::uintptr_t at = bytes.begin;
  while (at < bytes.end) {
    if (where == segments_.end() || where->first > at) {  // a gap nobody has touched
      const auto gap_end = where == segments_.end() ? bytes.end : std::min(bytes.end, where->first);
      where = segments_.emplace_hint(where, at, segment{gap_end, {}});
    } else if (where->second.end > bytes.end) {
      split(where, bytes.end);
    }
    edges += share(where->second, task, kind);
    at = where->second.end;
    ++where;
  }
  return edges;
}

void dependence_tracker::sweep() {
  for (auto where = segments_.begin(); where != segments_.end();) {
    segment& s = where->second;
    const auto finished = [](const node_ref& r) { return r.unfinished() == nullptr; };
    std::erase_if(s.sharers, finished);
    std::erase_if(s.before, finished);
    const bool idle = s.sharers.empty() && s.before.empty() && finished(s.writer);
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
