// SPDX-License-Identifier: BSD-3-Clause
// Tasks that submit tasks.
#include <string>
#include <utility>

#include <plait/core/error.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

using detail::family;
using detail::node_kind;
using detail::task_node;
using detail::worker;

/// The task from which this is called, or null.  Not to be inlined: see `of_suspendable_task`.
[[gnu::noinline]] task_node* scheduler::implementation::calling_task() const noexcept {
  const worker* w = this_worker();
  return w != nullptr ? w->in_task.load(std::memory_order_relaxed) : nullptr;
}

bool scheduler::in_task() const noexcept {
  return self_->calling_task() != nullptr;
}

task_node& scheduler::implementation::allocate_child(task_node& parent, const char* name,
                                                     node_kind kind) {
  PLAIT_EXPECTS(kind == node_kind::compute, "a task submits compute tasks only");
  if (checker != nullptr) checker->pause();  // until it is submitted
  if (parent.children == nullptr) parent.children = new family(parent);
  family& children = *parent.children;
  PLAIT_EXPECTS(children.open_submission == nullptr,
                std::string("task '") + children.open_submission->name + "' is not submitted yet");
  task_node& node = children.take_node();
  prepare(node, next_child_id.fetch_add(1, std::memory_order_relaxed), name, kind);
  node.siblings = &children;
  node.is_child = true;
  children.open_submission = &node;
  if (checker != nullptr) checker->begin(node);
  return node;
}

/// Promise 4 for what tasks submit: a task that has submitted so many runs what is ready itself.
void scheduler::implementation::submit_child(task_node& node) {
  family& children = *node.siblings;
  children.open_submission = nullptr;
  const std::int64_t unfinished = children.unfinished.fetch_add(1, std::memory_order_relaxed);
  if (checker != nullptr) checker->unpause();
  if (!is_ready(node)) return;
  if (unfinished <= static_cast<std::int64_t>(in_flight)) {
    make_ready(node, this_worker());
    return;
  }
  worker& w = *this_worker();
  task_node* const parent_running = w.running;
  task_node& parent = children.parent;
  w.time.inner_task_begins();
  run(w, node);
  w.time.inner_task_ended();
  w.in_task.store(&parent, std::memory_order_relaxed);
  w.running = parent_running;
}

/// A child has finished, or the parent's function has returned.
void scheduler::implementation::leave_family(family& children, worker& w) {
  if (children.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task_node& parent = children.parent;
  delete std::exchange(parent.children, nullptr);
  conclude(parent, w);
}

}  // namespace plait
