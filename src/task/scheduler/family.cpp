// SPDX-License-Identifier: BSD-3-Clause
// Tasks that submit tasks.
#include <string>

#include <plait/core/error.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::family;
using detail::node_kind;
using detail::task_node;
using detail::worker;

/// The task from which this is called, or null.  Not to be inlined: see `of_suspendable_task`.
[[gnu::noinline]] task_node* scheduler::implementation::calling_task() const noexcept {
  const worker* w = threads.this_worker();
  return w != nullptr ? w->in_task.load(std::memory_order_relaxed) : nullptr;
}

std::uint64_t scheduler::calling_task() const noexcept {
  const task_node* const task = self_->calling_task();
  return task != nullptr ? task->id.load(std::memory_order_relaxed) : 0;
}

bool scheduler::in_task() const noexcept {
  return self_->calling_task() != nullptr;
}

namespace {

/// A task keeps its turn among commutative ones until its messages are over, and other ranks do not
/// know whose turn comes first: two ranks that take turns differently would wait for each other.
void expect_no_turns(const task_node& parent) {
  for (const task_node* task = &parent;; task = task->siblings->parent) {
    if (task->exclusions != nullptr) {
      throw usage_error(std::string("task '") + task->name +
                        "' names data commutative, in an order that no other rank knows, and so "
                        "submits no messages: name it inout");
    }
    if (!task->is_child) return;
  }
}

}  // namespace

task_node& scheduler::implementation::allocate_child(task_node& parent, const char* name,
                                                     node_kind kind) {
  if (kind == node_kind::asynchronous) expect_no_turns(parent);
  watch.child_begins();
  family& siblings = family_of(parent, *threads.this_worker());
  if (siblings.children == nullptr) siblings.children = std::make_unique<detail::brood>();
  detail::brood& children = *siblings.children;
  PLAIT_EXPECTS(children.open_submission == nullptr,
                std::string("task '") + children.open_submission->name + "' is not submitted yet");
  task_node& node = children.take_node();
  detail::submitted_tasks::prepare(node, next_child_id.fetch_add(1, std::memory_order_relaxed),
                                   name, kind, threads.is_one());
  // The thread of a resource submits it, and a worker finishes it.
  if (parent.where != 0) node.unshared = false;
  node.siblings = &siblings;
  if (kind == node_kind::asynchronous) siblings.has_messages = true;
  node.is_child = true;
  node.is_told = true;
  node.ends_with_care = true;
  // Predecessors may finish before it is submitted, while the parent is suspended.
  node.is_met_elsewhere = true;
  node.unmet.store(task_node::submission_guard, std::memory_order_relaxed);
  node.care |= task_node::elsewhere;
  children.open_submission = &node;
  watch.submission_begins(node);
  return node;
}

/// Promise 4 for what tasks submit: a task that has submitted so many runs what is ready itself.
void scheduler::implementation::submit_child(task_node& node) {
  family& children = *node.siblings;
  children.children->open_submission = nullptr;
  const std::int64_t unfinished = children.unfinished.fetch_add(1, std::memory_order_relaxed);
  watch.child_submitted();
  if (!detail::submitted_tasks::is_ready(node)) return;
  worker& w = *threads.this_worker();
  if (node.kind == node_kind::asynchronous) {
    w.time.inner_task_begins();  // what came before was the task's own
    start_in_turn(node, node, &w);
    return;
  }
  // Another kind of thread runs it: this one cannot help.
  const bool is_elsewhere = node.where != (w.of != nullptr ? w.of->number : 0);
  if (is_elsewhere || unfinished <= static_cast<std::int64_t>(tasks.limit())) {
    make_ready(node, &w);
    return;
  }
  task_node* const parent_running = w.running;
  task_node& parent = *children.parent;
  w.time.inner_task_begins();
  run(w, node);
  w.time.inner_task_ended();
  w.in_task.store(&parent, std::memory_order_relaxed);
  w.running = parent_running;
}

/// A child has finished, or the parent's function has returned.  `w` is null where a thread that is
/// no worker has completed a message.
///
/// Who lowers the count to 0 is the last that knows the family, by the count's acquire and release,
/// and alone with the parent.  Only workers finish compute tasks: with one worker they do so
/// without locked instructions (`unshared`), and they have lists of what they release.  So a thread
/// that is no worker hands the parent over like a task that has become ready, through the inbox,
/// whose push and take order the flag; `run` then concludes it.  So does a resource's thread,
/// unless the parent is a resource's task too.
void scheduler::implementation::leave_family(family& children, worker* w) {
  if (children.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task_node& parent = *children.parent;
  if (w != nullptr && (w->of == nullptr || parent.where != 0)) {
    end_family(parent, *w);
    conclude(parent, *w);
  } else {
    parent.care |= task_node::concluding;
    make_ready(parent, nullptr);
  }
}

}  // namespace plait
