// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <plait/core/exception_text.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

thread_local constinit scheduler::implementation::thread_role scheduler::implementation::role;

using detail::edge;
using detail::node_action;
using detail::node_kind;
using detail::task_node;
using detail::worker;

namespace {

/// Tells what became ready because task `by` has finished.
void tell_released(task_observer& observer, const task_node& ready, std::uint64_t by,
                   const worker* w) {
  observer.task_released(w != nullptr ? w->index : -1, ready.id.load(std::memory_order_relaxed),
                         by);
}

/// "task 'relax', iteration 3"
[[nodiscard]] std::string place_of(const task_node& task) {
  std::string text = std::string("task '") + task.name + "'";
  if (task.recorded != nullptr) {
    const auto before = task.recorded->iteration.load(std::memory_order_relaxed);
    text += ", iteration " + std::to_string(before + 1);
  }
  return text;
}

}  // namespace

/// Makes this worker's counts visible in the total order in which a sleeping submitter checks them
/// (see event_count) and wakes it.  Called when the worker goes idle and when it has polled with
/// success while idle; a busy worker stores its counts without this, because it comes by here
/// later.
void scheduler::implementation::publish_counts(worker& w) noexcept {
  if (w.index == 0) return;  // it is the submitter
  for (auto* count : {&w.counts.finished, &w.counts.uncounted}) {
    count->store(count->load(std::memory_order_relaxed), std::memory_order_seq_cst);
  }
  submitter_events.notify_one();
}

void scheduler::implementation::worker_loop(scheduler& facade, worker& w) {
  role = {this, &facade, &w};
  work_until(
      w, [this] { return stopping.load(std::memory_order_seq_cst); }, progress_source::never);
}

void scheduler::implementation::leave_loop(worker& w) {
  w.in_loop = false;
  w.time.tasks_over();
  if (w.next != nullptr) push(*std::exchange(w.next, nullptr), w);
}

/// Ready tasks run in the order of submission, as nearly as their queues know it: the serial order
/// is the one the program was written (and its caches are filled) for.  [Blelloch, Gibbons, Matias
/// 1999: a parallel depth-first schedule]  Found with a stencil whose blocks exceed the caches:
/// taking the newest first, as work stealing usually does, interleaves steps and costs 6 % of the
/// computation.
task_node* scheduler::implementation::find(worker& w) noexcept {
  const bool high_next = w.next != nullptr && w.next->urgency == priority::high;
  if (high_next || high_ready.load(std::memory_order_seq_cst) > 0) {
    if (task_node* node = find(w, priority::high)) {
      if (w.next != nullptr) push(*std::exchange(w.next, nullptr), w);
      return node;
    }
  }
  if (task_node* node = find(w, priority::normal)) return node;
  return find(w, priority::low);
}

task_node* scheduler::implementation::find(worker& w, priority urgency) noexcept {
  auto& own = w.own[urgency];
  std::uint64_t own_oldest = own.oldest_id();
  const std::uint64_t fresh_oldest = fresh[urgency].oldest_id();
  if (w.next != nullptr && w.next->urgency == urgency) {
    task_node& next = *std::exchange(w.next, nullptr);
    const std::uint64_t id = next.id.load(std::memory_order_relaxed);
    if (id < own_oldest && id < fresh_oldest) return &next;
    push(next, w);
    own_oldest = std::min(own_oldest, id);
  }
  task_node* node = released_outside.pop(urgency);
  if (node == nullptr && own_oldest < fresh_oldest) node = own.take();
  if (node == nullptr && fresh_oldest != detail::ready_queue::none) node = fresh[urgency].take();
  if (node == nullptr && own_oldest > fresh_oldest) node = own.take();
  if (node == nullptr && workers.size() > 1) node = steal(w, urgency);
  if (node != nullptr && urgency == priority::high) {
    high_ready.fetch_sub(1, std::memory_order_relaxed);
  }
  return node;
}

/// From the others, beginning with any.
task_node* scheduler::implementation::steal(worker& w, priority urgency) noexcept {
  w.random = w.random * 6364136223846793005U + 1442695040888963407U;
  const std::size_t first = (w.random >> 33) % workers.size();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    worker& victim = *workers[(first + i) % workers.size()];
    if (&victim == &w) continue;
    if (task_node* node = victim.own[urgency].steal()) return node;
  }
  return nullptr;
}

void scheduler::implementation::run(worker& w, task_node& node) {
  if (node.concluding) [[unlikely]] {
    node.concluding = false;
    conclude(node, w);
    return;
  }
  // One that has been suspended holds them.  After a failure too: others wait for their turn.
  if (node.exclusions != nullptr && node.stack == nullptr && !take_exclusions(node, w)) return;
  // A suspended task goes on after a failure too: what it waits for tells it to unwind.
  if (has_failed.load(std::memory_order_relaxed) && node.stack == nullptr) {
    conclude(node, w);
    return;
  }
  const bool sampled = node.recorded != nullptr && node.recorded->is_sampled();
  const ticks begin = w.time.task_begins(observer != nullptr || sampled);
  w.in_task.store(&node, std::memory_order_relaxed);
  const bool ended = stacks.has_value() ? execute_on_stack(node, w) : execute(node);
  w.in_task.store(nullptr, std::memory_order_relaxed);
  const bool may_look = progress != nullptr && w.of == nullptr;
  const ticks look = may_look ? progress->due_at() : progress_source::never;
  // A look that is due must not wait for tasks of which nobody knows that they are short.
  const bool watchful = look != progress_source::never;
  const bool may_be_long = watchful && (node.recorded == nullptr || !node.recorded->brief);
  const ticks end = w.time.task_ended(begin, watchful, may_be_long);
  const bool is_read = end != detail::timekeeper::unread;
  if (is_read && watchful) progress->passed(end);
  if (is_read && node.recorded != nullptr) node.recorded->brief = w.time.tasks_are_short();
  if (sampled) node.recorded->this_run += end - begin;
  if (observer != nullptr)
    observer->task_ran(w.index, node.name, node.id.load(std::memory_order_relaxed), begin, end);
  if (ended && node.children != nullptr) {
    if (node.children->has_messages) wait_without_worker(node, w);
    leave_family(*node.children, &w);
  } else if (ended) {
    conclude(node, w);
  } else {
    leave_suspended(node, w);
  }
  if (is_read && end >= look) {
    w.time.look_begins();
    (void)progress->poll(false);
    w.time.look_ended();
  }
}

/// All or none.  None: another task holds one of them, and will make this one ready again.
[[gnu::noinline]] bool scheduler::implementation::take_exclusions(task_node& node, worker& w) {
  const auto& wanted = *node.exclusions;
  std::size_t have = 0;
  const auto take_all = [&] {
    for (have = 0; have < wanted.size() && wanted[have]->try_take(); ++have) continue;
    return have == wanted.size();
  };
  while (!take_all()) {
    detail::exclusion& missing = *wanted[have];
    release_exclusions(node, have, w);
    if (!missing.take_or_wait(node)) return false;  // nothing more is known of the node
    // It has just become free: from the start, for whoever waits does so holding nothing.
    if (task_node* next = missing.release()) make_ready(*next, &w);
  }
  return true;
}

/// The first `count` of them; tasks that waited are ready again.
void scheduler::implementation::release_exclusions(task_node& node, std::size_t count, worker& w) {
  for (std::size_t i = 0; i < count; ++i) {
    task_node* next = (*node.exclusions)[i]->release();
    if (next == nullptr) continue;
    if (observer != nullptr)
      tell_released(*observer, *next, node.id.load(std::memory_order_relaxed), &w);
    make_ready(*next, &w);
  }
}

bool scheduler::implementation::execute(task_node& node) noexcept {
  try {
    node.act(node, node.recorded == nullptr ? node_action::run : node_action::run_again);
  } catch (...) {
    record_failure(std::current_exception(), &node);
  }
  return true;
}

/// Begins the task on a stack of its own or goes on with it there.  Returns whether it has ended.
bool scheduler::implementation::execute_on_stack(task_node& node, worker& w) noexcept {
  try {
    if (node.stack == nullptr) {
      node.stack = stacks->take().release();
      node.stack->take(node, node.recorded == nullptr ? node_action::run : node_action::run_again,
                       checker.get());
    }
    w.running = &node;
    if (!node.stack->enter()) return false;
    if (auto failed = node.stack->take_failure()) record_failure(std::move(failed), &node);
    stacks->give(std::unique_ptr<detail::task_stack>(std::exchange(node.stack, nullptr)));
  } catch (...) {
    record_failure(std::current_exception(), &node);
  }
  return true;
}

/// The task waits, and its worker goes on.  Like a message that has been started it does not count
/// against the in-flight limit any more.
void scheduler::implementation::wait_without_worker(task_node& node, worker& w) noexcept {
  const bool counted = node.recorded == nullptr && !node.is_child;
  if (counted && !std::exchange(node.uncounted, true)) {
    w.counts.uncounted.store(w.counts.uncounted.load(std::memory_order_relaxed) + 1,
                             std::memory_order_release);
  }
  node.suspended.store(true, std::memory_order_relaxed);
}

/// The task may be resumed, and be gone, as soon as its `then` has been called.
void scheduler::implementation::leave_suspended(task_node& node, worker& w) {
  wait_without_worker(node, w);
  suspension* const then = std::exchange(w.then, nullptr);
  then->then(*then, node);
}

/// Closes the node, releases its successors and gives it back.
///
/// Each edge lives in its successor, which may run, finish and be reused as soon as the last of its
/// predecessors has let go; so an edge is read before `unmet` is lowered, and not after.
void scheduler::implementation::finish_submitted(task_node& node, worker* w) {
  if (!node.trivial) node.act(node, node_action::destroy);
  node.exclusions.reset();
  const bool submits = w != nullptr && w->index == 0;
  const bool counts_for_limit = node.kind == node_kind::compute && !node.uncounted;
  edge* newest = node.close(submits && !node.is_child);
  edge* list = nullptr;  // oldest first: the order of submission
  while (newest != nullptr) {
    edge* older = newest->next.load(std::memory_order_relaxed);
    // Release: pairs with a look for a stall (stall.cpp), which must not meet the old order again.
    newest->next.store(std::exchange(list, newest), std::memory_order_release);
    newest = older;
  }
  while (list != nullptr) {
    task_node& successor = *list->successor;
    list = list->next.load(std::memory_order_relaxed);
    if (successor.meet_one()) {
      successor.prefetch_to_run();
      if (observer != nullptr)
        tell_released(*observer, successor, node.id.load(std::memory_order_relaxed), w);
      make_ready(successor, w);
    }
  }
  if (std::exchange(node.is_child, false)) {
    detail::family& siblings = *std::exchange(node.siblings, nullptr);
    siblings.returned.push(node);
    if (w != nullptr) {
      w->counts.children.store(w->counts.children.load(std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
    } else {
      outside_counts.children.fetch_add(1, std::memory_order_relaxed);
    }
    leave_family(siblings, w);
    return;
  }
  if (submits) {
    node.next_free = std::exchange(free_nodes, &node);
  } else {
    (w != nullptr ? w->returned : outside_returned).push(node);
  }
  count_finished(w, counts_for_limit);
}

void scheduler::implementation::count_finished(worker* w, bool uncounted) noexcept {
  if (w != nullptr) {
    const auto raise = [](std::atomic<std::uint64_t>& count) {
      count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    };
    if (uncounted) raise(w->counts.uncounted);
    raise(w->counts.finished);
  } else {
    if (uncounted) outside_counts.uncounted.fetch_add(1, std::memory_order_seq_cst);
    outside_counts.finished.fetch_add(1, std::memory_order_seq_cst);
    submitter_events.notify_one();
  }
}

/// Releases successors in this iteration and the next.  After a failure nothing is released, so
/// that the replay ends with what is running.
///
/// `active` counts this node until the last line; of the nodes it makes ready the last takes over
/// its count.  The node may run again once the last of its successors has been met.
void scheduler::implementation::finish_replayed(task_node& node, worker* w) {
  detail::recorded_task& task = *node.recorded;
  detail::replayed_graph& graph = *task.graph;
  task_node* held = nullptr;
  const std::uint64_t id = node.id.load(std::memory_order_relaxed);  // until it may run again
  if (!has_failed.load(std::memory_order_relaxed)) {
    const std::uint64_t done = task.iteration.load(std::memory_order_relaxed) + 1;
    task.iteration.store(done, std::memory_order_relaxed);
    if (task.is_sampled()) graph.sampled(task);
    node.urgency = task.urgency.load(std::memory_order_relaxed);
    const bool last = done == graph.iterations();
    task_node* const* const end = task.successors + task.same + (last ? 0 : task.next);
    for (task_node* const* s = task.successors; s != end; ++s) {
      if (!graph.meet(**s, &node)) continue;
      if (observer != nullptr) tell_released(*observer, **s, id, w);
      if (held != nullptr) {
        graph.active.fetch_add(1, std::memory_order_relaxed);
        make_ready(*held, w);
      }
      held = *s;
    }
  }
  if (held != nullptr) {
    make_ready(*held, w);
  } else if (graph.active.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    count_finished(w, true);
  }
}

void scheduler::implementation::make_ready(task_node& node, worker* w) {
  if (node.kind == node_kind::asynchronous) {
    start_in_turn(node, w);
  } else if (w == nullptr || node.is_child || node.where != 0 || w->of != nullptr) {
    make_ready_from_outside(node);
  } else if (!w->in_loop || node.urgency == priority::low) {
    push(node, *w);
  } else if (w->next == nullptr) {
    w->next = &node;
  } else {
    // The oldest of the highest priority shall run next.
    task_node* displaced = &node;
    if (node.urgency < w->next->urgency) displaced = std::exchange(w->next, &node);
    push(*displaced, *w);
  }
}

/// Puts a ready task into an inbox: the workers', from which the helper takes too, or that of the
/// resource which the task is meant for.
[[gnu::noinline]] void scheduler::implementation::make_ready_from_outside(task_node& node) {
  if (node.where != 0 && node.where != task_node::anyone)
    return resources[node.where - 1U]->push(node);
  if (node.urgency == priority::high) high_ready.fetch_add(1, std::memory_order_seq_cst);
  released_outside.push(node);
  announce();
}

void scheduler::implementation::push(task_node& node, worker& w) {
  if (node.urgency == priority::high) high_ready.fetch_add(1, std::memory_order_seq_cst);
  w.own[node.urgency].push(&node, node.id.load(std::memory_order_relaxed));
  announce();
}

void scheduler::implementation::announce() noexcept {
  worker_events.notify_one();
  if (role.owner != this || role.self->index != 0) submitter_events.notify_one();
}

/// A start can finish its node at once (after a failure) and so release the next: a chain of
/// messages must not become a chain of calls.  The outermost call on a thread starts them one after
/// the other.
void scheduler::implementation::start_in_turn(task_node& node, worker* w) {
  struct queue {
    task_node* first = nullptr;
    task_node* last = nullptr;
    bool being_emptied = false;
  };
  static thread_local constinit queue waiting;
  node.next_free = nullptr;  // unused while a node is in flight
  (waiting.first == nullptr ? waiting.first : waiting.last->next_free) = &node;
  waiting.last = &node;
  if (waiting.being_emptied) return;
  waiting.being_emptied = true;
  while (waiting.first != nullptr) {
    task_node* next = waiting.first;
    waiting.first = next->next_free;
    start(*next, w);
  }
  waiting.being_emptied = false;
}

/// Posting is done here and now, by whoever released the operation: as early as its data allows.
void scheduler::implementation::start(task_node& node, worker* w) {
  if (node.recorded != nullptr || node.is_child) {
    // A replay counts as one, and so does a task with what it submits.
  } else if (w != nullptr) {
    w->counts.uncounted.store(w->counts.uncounted.load(std::memory_order_relaxed) + 1,
                              std::memory_order_release);
  } else {
    outside_counts.uncounted.fetch_add(1, std::memory_order_seq_cst);
    submitter_events.notify_one();
  }
  if (has_failed.load(std::memory_order_relaxed)) {
    finish(node, w);
    return;
  }
  detail::timekeeper::post post;
  if (w != nullptr) post = w->time.post_begins();
  if (node.recorded != nullptr && node.recorded->is_sampled())
    node.recorded->this_run -= now_ticks();
  try {
    if (checker != nullptr) {
      if (w != nullptr) checker->expect_live(node);
      checker->began_elsewhere(node);
    }
    node.act(node, node.recorded == nullptr ? node_action::run : node_action::run_again);
  } catch (...) {
    record_failure(std::current_exception(), &node);
    finish(node, w);
  }
  if (w != nullptr) w->time.post_ended(post);
  if (progress != nullptr && progress->needs_idle_workers()) {
    worker_events.notify_one();
    submitter_events.notify_one();
  }
}

void scheduler::implementation::record_failure(std::exception_ptr error,
                                               const task_node* task) noexcept {
  {
    std::lock_guard lock(failure_mutex);
    if (failure == nullptr) {
      if (task != nullptr && error != nullptr) note_origin(error, place_of(*task));
      failure = std::move(error);
    }
  }
  has_failed.store(true, std::memory_order_seq_cst);
  submitter_events.notify_one();
}

}  // namespace plait
