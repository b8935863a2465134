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
    if (task_node* const node = serial_.take_up_to(urgency)) return node;
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

[[gnu::noinline]] void ready_set::add_outside(task_node& node) noexcept {
  if (node.where != 0 && node.where != task_node::anyone)
    return threads_.resource(node.where).push(node);
  add_for_workers(node);
}

void ready_set::add_for_workers(task_node& node) noexcept {
  expect_high(node);
  outside_.push(node);
  wake_two(threads_.this_worker());
}

}  // namespace plait::detail
