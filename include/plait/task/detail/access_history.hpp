// SPDX-License-Identifier: BSD-3-Clause
/// Remembers which tasks have touched the same bytes, as far as later tasks have to know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/exclusion.hpp>
#include <plait/task/detail/node.hpp>

namespace plait::detail {

/// `add_edge` where the edge has no place in the node, or another thread finishes the predecessor.
///
/// `task.unmet` still holds its submission guard, so a predecessor that finishes as soon as the
/// edge is visible cannot make it ready.  The release publishes the edge to the predecessor's
/// closing exchange.
[[gnu::noinline]] inline bool add_any_edge(task_node& predecessor, task_node& task) {
  if (predecessor.finished()) return false;
  edge* const link = &task.new_edge();
  if (predecessor.unshared) {
    link->next = predecessor.successors.load(std::memory_order_relaxed);
    predecessor.successors.store(link, std::memory_order_relaxed);
    return true;
  }
  if (!task.is_met_elsewhere) {  // once: whoever has met one of its edges reads it
    task.is_met_elsewhere = true;
    task.unmet.store(task_node::submission_guard, std::memory_order_relaxed);
  }
  task.ends_with_care = true;
  edge* head = predecessor.successors.load(std::memory_order_acquire);
  do {
    if (head == task_node::closed()) {
      task.drop_newest_edge();
      return false;
    }
    link->next = head;
  } while (!predecessor.successors.compare_exchange_weak(head, link, std::memory_order_release,
                                                         std::memory_order_acquire));
  return true;
}
/// Makes `task` a successor of a task, unless that has finished, and returns whether.  `has_place`:
/// an edge has a place in the node.
template <bool has_place = false>
[[gnu::always_inline]] inline bool add_edge(node_ref reference, task_node& task) {
  task_node* const predecessor = reference.node;
  if (!reference.is_of_this_life() || predecessor == &task) return false;
  // Nobody changes an edge of a node before its submitter does: who reads one late reads no worse.
  edge* const newest = predecessor->successors.load(std::memory_order_acquire);
  if (newest != nullptr && newest->successor == &task) return true;
  if (!predecessor->unshared || (!has_place && !task.has_place_for_edge())) [[unlikely]]
    return add_any_edge(*predecessor, task);
  edge& link = task.new_edge_in_place();
  link.next = newest;
  predecessor->successors.store(&link, std::memory_order_relaxed);
  return true;
}

/// Says how tasks share bytes.
struct sharing {
  access_mode mode = access_mode::in;
  const void* operation = nullptr;  ///< of a reduction
  friend bool operator==(const sharing&, const sharing&) = default;
};

/// The last writer of some bytes and the tasks that share them since.
///
/// Sharers are all of one kind: they read, or they are `commutative`, or they `reduce` by one
/// operation.  Each follows whatever came before the first of them, and none follows another; who
/// comes next and is of another kind follows all of them.
class access_history {
 public:
  access_history() = default;
  explicit access_history(task_node& last_writer) : writer_(last_writer) {}

  // `task` touches these very bytes: it follows whom it must, and others will follow it.  Who
  // follows is entered first where there is a place for the edge in its node: that cannot fail.
  void read(task_node& task) {
    const node_ref sharer(task);  // first: so the compiler sees that there is room
    if (!reads_plainly_ || !task.has_place_for_edge() || sharers_.size() == sharers_.capacity())
      return share(task, {});
    sharers_.push_back(sharer);
    is_shared_ = true;
    add_edge<true>(writer_, task);
  }
  void share(task_node& task, sharing kind);
  void write(task_node& task) {
    if (is_shared_ || !task.has_place_for_edge()) return write_with_care(task);
    add_edge<true>(std::exchange(writer_, node_ref(task)), task);
  }
  /// Does what `write` does for the first access of a task, or nothing, where that takes more than
  /// to follow a task that is `unshared`: returns which.
  [[gnu::always_inline, nodiscard]] bool writes_first(task_node& task) noexcept {
    if (is_shared_) return false;
    if (writer_.is_of_this_life()) {
      task_node& predecessor = *writer_.node;
      if (!predecessor.unshared) return false;
      task.edges_made = 1;
      task.first_edge.next = predecessor.successors.load(std::memory_order_relaxed);
      predecessor.successors.store(&task.first_edge, std::memory_order_relaxed);
    }
    writer_ = node_ref(task);
    return true;
  }

  /// `task` touches some of these bytes, which another history keeps account of.
  void follow(task_node& task, sharing kind) const {
    if (kind != kind_ && !sharers_.empty()) return follow_all(task);
    follow_what_came_before(task);
  }
  void follow_all(task_node& task) const;

  /// Returns true if a task that reads these bytes, or writes them, would follow nobody.
  [[nodiscard]] bool is_settled(access_mode for_mode) const noexcept {
    const auto finished = [](const node_ref& r) { return r.unfinished() == nullptr; };
    if (!is_shared_) return finished(writer_);
    const bool shares = for_mode == access_mode::in && kind_.mode == access_mode::in;
    return finished(writer_) && std::ranges::all_of(before_, finished) &&
           (shares || std::ranges::all_of(sharers_, finished));
  }

  /// `task` is `commutative` here: it will hold what all such tasks hold while they run.
  void exclude(task_node& task) {
    if (lock_ == nullptr) lock_ = std::make_shared<exclusion>();
    hold_lock(task);
  }
  /// Makes `task` hold the lock of `commutative` tasks, if one of those in flight holds it.
  void exclude_others(task_node& task) const {
    const auto in_flight = [](const node_ref& r) { return r.unfinished() != nullptr; };
    if (kind_.mode == access_mode::commutative && std::ranges::any_of(sharers_, in_flight)) {
      hold_lock(task);
    }
  }

  /// A task that reduces only a part would combine under another mutex than those of the whole.
  void cut() noexcept {
    if (kind_.mode == access_mode::reduce) kind_.operation = nullptr;
  }

  /// Forgets tasks that have finished.  Returns whether none is left.
  bool forget_finished();
  /// Returns whether no task has touched these bytes since the history was new.
  [[nodiscard]] bool empty() const noexcept {
    return writer_.node == nullptr && sharers_.empty() && before_.empty();
  }

 private:
  void follow_what_came_before(task_node& task) const {
    add_edge(writer_, task);
    for (const node_ref& one : before_) add_edge(one, task);
  }

  void write_with_care(task_node& task);
  void hold_lock(task_node& task) const;

  node_ref writer_;
  std::vector<node_ref> before_;   ///< instead of a writer: sharers of another kind
  std::vector<node_ref> sharers_;  ///< follow `writer_` and `before_`
  sharing kind_;                   ///< of the sharers
  bool is_shared_ = false;         ///< since somebody wrote alone
  bool reads_plainly_ = true;      ///< the sharers read, and `before_` is empty
  std::shared_ptr<exclusion> lock_;
};

inline void access_history::hold_lock(task_node& task) const {
  if (task.exclusions == nullptr) {
    task.exclusions = std::make_unique<std::vector<std::shared_ptr<exclusion>>>();
  }
  task.care |= task_node::excluding;
  auto& all = *task.exclusions;
  const auto place = std::lower_bound(all.begin(), all.end(), lock_);
  if (place == all.end() || *place != lock_) all.insert(place, lock_);
}

[[gnu::noinline]] inline void access_history::share(task_node& task, sharing kind) {
  if (kind_ != kind) {
    reads_plainly_ = false;  // until all is entered: what follows may throw
    if (!sharers_.empty()) {
      std::swap(before_, sharers_);  // they follow the writer themselves
      sharers_.clear();
      writer_ = {};
    }
    kind_ = kind;
  }
  if (kind.mode == access_mode::commutative) exclude(task);
  follow_what_came_before(task);
  if (sharers_.size() == sharers_.capacity()) {
    std::erase_if(sharers_, [](const node_ref& r) { return r.unfinished() == nullptr; });
    // Twice the room for those that stay, so that the next do not look through them again.
    sharers_.reserve(2 * sharers_.size() + 1);
  }
  sharers_.emplace_back(task);
  is_shared_ = true;
  reads_plainly_ = kind_ == sharing{} && before_.empty();
}

inline void access_history::follow_all(task_node& task) const {
  // Unfinished sharers follow what came before them themselves; but one that is `task` itself, or
  // none, says nothing about it.
  bool covered = false;
  for (const node_ref sharer : sharers_) covered |= add_edge(sharer, task);
  if (!covered) follow_what_came_before(task);
}

[[gnu::noinline]] inline void access_history::write_with_care(task_node& task) {
  follow_all(task);
  before_.clear();
  sharers_.clear();
  is_shared_ = false;
  reads_plainly_ = kind_ == sharing{};
  writer_ = node_ref(task);
}

inline bool access_history::forget_finished() {
  const auto finished = [](const node_ref& r) { return r.unfinished() == nullptr; };
  std::erase_if(sharers_, finished);
  std::erase_if(before_, finished);
  return sharers_.empty() && before_.empty() && finished(writer_);
}

}  // namespace plait::detail
