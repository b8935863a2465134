// SPDX-License-Identifier: BSD-3-Clause
#include "task/scheduler/ready_set.hpp"

#include <algorithm>

namespace plait::detail {

ready_set::ready_set(crew& threads, std::size_t in_flight)
    : threads_(threads), serial_(is_one_ ? in_flight : 1), fresh_(is_one_ ? 1 : in_flight) {}

template <priority urgency>
task_node* ready_set::find(worker& w) noexcept {
  auto& own = w.own[urgency];
  std::uint64_t own_oldest = own.oldest_id();
  const std::uint64_t fresh_oldest = fresh_[urgency].oldest_id();
  if (w.next != nullptr && w.next->urgency == urgency) {
    task_node& next = *std::exchange(w.next, nullptr);
    const std::uint64_t id = next.id.load(std::memory_order_relaxed);
    if (id < own_oldest && id < fresh_oldest) return &next;
    push(next, w);
    own_oldest = std::min(own_oldest, id);
  }
  task_node* node = outside_.pop(urgency);
  if (node == nullptr && own_oldest < fresh_oldest) node = own.take();
  if (node == nullptr && fresh_oldest != ready_queue::none) node = fresh_[urgency].take();
  if (node == nullptr && own_oldest > fresh_oldest) node = own.take();
  if (node == nullptr) node = steal(w, urgency);
  if (node != nullptr && urgency == priority::high) high_.fetch_sub(1, std::memory_order_relaxed);
  return node;
}

/// Ready tasks run in the order of submission, as nearly as their queues know it: the serial order
/// is the one the program was written (and its caches are filled) for.  [Blelloch, Gibbons, Matias
/// 1999: a parallel depth-first schedule]  Found with a stencil whose blocks exceed the caches:
/// taking the newest first, as work stealing usually does, interleaves steps and costs 6 % of the
/// computation.
task_node* ready_set::find_among_all(worker& w) {
  if (outside_.is_filled_beside()) take_let_go();
  if (is_one_) return find_with_one();
  const bool high_next = w.next != nullptr && w.next->urgency == priority::high;
  if (high_next || high_.load(std::memory_order_seq_cst) > 0) {
    if (task_node* node = find<priority::high>(w)) {
      if (w.next != nullptr) push(*std::exchange(w.next, nullptr), w);
      return node;
    }
  }
  if (task_node* node = find<priority::normal>(w)) return node;
  return find<priority::low>(w);
}

task_node* ready_set::find_with_one() {
  for (const priority urgency : {priority::high, priority::normal, priority::low}) {
    if (task_node* const node = outside_.pop(urgency)) {
      if (urgency == priority::high) high_.fetch_sub(1, std::memory_order_relaxed);
      return node;
    }
    if (task_node* const node = serial_[urgency].take()) return node;
  }
  return nullptr;
}

/// From the others, beginning with any.
task_node* ready_set::steal(worker& w, priority urgency) noexcept {
  const auto& workers = threads_.workers();
  w.random = w.random * 6364136223846793005U + 1442695040888963407U;
  const std::size_t first = (w.random >> 33) % workers.size();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    worker& victim = *workers[(first + i) % workers.size()];
    if (&victim == &w) continue;
    if (task_node* node = victim.own[urgency].steal()) return node;
  }
  return nullptr;
}

task_node* ready_set::take_for_anyone() {
  if (outside_.is_filled_beside()) take_let_go();
  task_node* const node = outside_.pop_for_anyone();
  if (node != nullptr && node->urgency == priority::high)
    high_.fetch_sub(1, std::memory_order_relaxed);
  return node;
}

void ready_set::add_to_queues(task_node& node, worker& w) noexcept {
  node.prefetch_to_run();
  if (!w.in_loop || node.urgency == priority::low) {
    push(node, w);
  } else if (w.next == nullptr) {
    w.next = &node;
  } else {
    // The oldest of the highest priority shall run next.
    task_node* displaced = &node;
    if (node.urgency < w.next->urgency) displaced = std::exchange(w.next, &node);
    push(*displaced, w);
  }
}

[[gnu::noinline]] void ready_set::add_outside(task_node& node) {
  if (node.where != 0 && node.where != task_node::anyone)
    return threads_.resource(node.where).push(node);
  expect_high(node);
  outside_.push(node);
  announce(threads_.this_worker());
}

/// `next_free` is nobody else's while a compute task is in flight.
void ready_set::add_let_go(task_node& node) noexcept {
  task_node* head = let_go_.load(std::memory_order_relaxed);
  do {
    node.next_free = head;
  } while (!let_go_.compare_exchange_weak(head, &node, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  outside_.fill_beside();
  announce(threads_.this_worker());
}

/// To the inbox of the workers, oldest first; those of a resource too, for nothing is left to be
/// run. All are announced again: another thread may have found the stack empty and the inbox not
/// filled yet, and sleeps.
[[gnu::noinline]] void ready_set::take_let_go() {
  outside_.clear_beside();
  task_node* newest = let_go_.exchange(nullptr, std::memory_order_acquire);
  task_node* oldest = nullptr;
  while (newest != nullptr) {
    task_node* const next = newest->next_free;
    newest->next_free = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    task_node& node = *oldest;
    oldest = node.next_free;
    expect_high(node);
    outside_.push(node);
    announce(threads_.this_worker());
  }
}

}  // namespace plait::detail
