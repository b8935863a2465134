// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <utility>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::counters;
using detail::edge;
using detail::node_action;
using detail::node_kind;
using detail::task_node;
using detail::worker;

/// Makes this worker's counts visible in the total order in which a sleeping submitter checks them
/// (see event_count) and wakes it.  Called when the worker goes idle and when it has polled with
/// success while idle; a busy worker stores its counts without this, because it comes by here
/// later.
void scheduler::implementation::publish_counts(worker& w) noexcept {
  if (w.index == 0) return;  // it is the submitter
  for (auto* count : {&w.counts.finished, &w.counts.uncounted}) {
    count->store(count->load(std::memory_order_relaxed), std::memory_order_seq_cst);
  }
  ready.wake_submitter();
}

void scheduler::implementation::leave_loop(worker& w) noexcept {
  w.time.tasks_over();
  ready.leave_loop(w);
}

/// `run`, in the loop that runs most tasks: to enter and leave a function is a tenth of a short
/// one.
[[gnu::always_inline]] inline void scheduler::implementation::run_here(worker& w, task_node& node) {
  if (node.concluding) [[unlikely]] {
    node.concluding = false;
    end_family(node, w);
    conclude(node, w);
    return;
  }
  // One that has been suspended holds them.  After a failure too: others wait for their turn.
  if (node.exclusions != nullptr && node.stack == nullptr && !take_exclusions(node, w)) return;
  // A suspended task goes on after a failure too: what it waits for tells it to unwind.
  if (failure.is_known() && node.stack == nullptr) {
    conclude(node, w);
    return;
  }
  const bool watched = watch.wants_times(node);
  const ticks begin = w.time.task_begins(watched);
  w.in_task.store(&node, std::memory_order_relaxed);
  const bool ended = stacks.has_value() ? execute_on_stack(node, w) : execute(node);
  w.in_task.store(nullptr, std::memory_order_relaxed);
  const bool may_look = sources.any() && w.of == nullptr;
  const ticks look = may_look ? sources.due_at() : progress_source::never;
  // A look that is due must not wait for tasks of which nobody knows that they are short.
  const bool watchful = look != progress_source::never;
  const bool may_be_long = watchful && (node.recorded == nullptr || !node.recorded->brief);
  const ticks end = w.time.task_ended(begin, watchful, may_be_long);
  const bool is_read = end != detail::timekeeper::unread;
  if (is_read && watchful) sources.passed(end);
  if (is_read && node.recorded != nullptr) node.recorded->brief = w.time.tasks_are_short();
  if (watched) watch.ran(w, node, begin, end);
  if (ended && node.children != nullptr) {
    detail::family& own = *node.children;
    const bool is_held = own.has_holds && own.open_holds.load(std::memory_order_relaxed) > 0;
    if (own.has_messages || (is_held && !own.counts)) wait_without_worker(node, w);
    if (is_held) begin_held(own);
    leave_family(own, &w);
  } else if (ended) {
    conclude(node, w);
  } else {
    wait_without_worker(node, w);
    // The task may be resumed, and be gone, as soon as this has been called.
    suspension* const then = std::exchange(w.then, nullptr);
    then->then(*then, node);
  }
  if (is_read && end >= look) {
    w.time.look_begins();
    (void)sources.poll(false);
    w.time.look_ended();
  }
}

/// After a failure it asks before each task too, which is dropped: messages are to be given up.
void scheduler::implementation::work_off(worker& w) {
  const auto over = [&] {
    if (w.index != 0) return stopping.load(std::memory_order_seq_cst);
    give_up_if_failed();
    return tasks.all_finished();
  };
  w.in_loop = true;
  for (;;) {
    task_node* node = ready.find(w);
    if (node == nullptr || failure.is_known()) [[unlikely]] {
      if (over()) break;
      if (node == nullptr) node = idle(w, over, progress_source::never);
      if (node == nullptr) continue;
    }
    run_here(w, *node);
  }
  leave_loop(w);
}

void scheduler::implementation::run(worker& w, task_node& node) {
  run_here(w, node);
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
    watch.released(*next, node.id.load(std::memory_order_relaxed), &w);
    make_ready(*next, &w);
  }
}

/// Begins the task on a stack of its own or goes on with it there.  Returns whether it has ended.
bool scheduler::implementation::execute_on_stack(task_node& node, worker& w) noexcept {
  try {
    if (node.stack == nullptr) {
      node.stack = stacks->take().release();
      node.stack->take(node, node.recorded == nullptr ? node_action::run : node_action::run_again,
                       watch.checker());
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
  if (counted && !std::exchange(node.uncounted, true)) threads.raise(&counters::uncounted, &w);
  node.suspended.store(true, std::memory_order_relaxed);
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
      watch.released(successor, node.id.load(std::memory_order_relaxed), w);
      make_ready(successor, w);
    }
  }
  if (std::exchange(node.is_child, false)) {
    detail::family& siblings = *std::exchange(node.siblings, nullptr);
    siblings.children->returned.push(node);
    threads.raise(&counters::children, w);
    leave_family(siblings, w);
    return;
  }
  if (submits) {
    tasks.give_back(node);
  } else {
    threads.give_back(node, w);
  }
  count_finished(w, counts_for_limit);
}

void scheduler::implementation::finish_replayed(task_node& node, worker* w) {
  const std::uint64_t id = node.id.load(std::memory_order_relaxed);  // until it may run again
  const auto released = [&](task_node& next) {
    watch.released(next, id, w);
    make_ready(next, w);
  };
  if (node.recorded->graph->finish(node, !failure.is_known(), released)) count_finished(w, true);
}

void scheduler::implementation::count_finished(worker* w, bool uncounted) noexcept {
  if (uncounted) threads.raise(&counters::uncounted, w);
  threads.raise(&counters::finished, w);
  if (w == nullptr) ready.wake_submitter();
}

/// Posting is done here and now, by whoever released the operation: as early as its data allows.
[[gnu::always_inline]] inline void scheduler::implementation::start(task_node& node, worker* w) {
  // A replay counts as one, and so does a task with what it submits.
  if (node.recorded == nullptr && !node.is_child) {
    threads.raise(&counters::uncounted, w);
    if (w == nullptr) ready.wake_submitter();
  }
  if (failure.is_known()) {
    finish(node, w);
    return;
  }
  try {
    watch.message_begins(node, w);
    node.act(node, node.recorded == nullptr ? node_action::run : node_action::run_again);
  } catch (...) {
    record_failure(std::current_exception(), &node);
    finish(node, w);
  }
}

namespace {

[[gnu::noinline]] void start_all(auto& in, detail::waiting_starts& waiting, worker* w) {
  waiting.being_emptied = true;
  while (waiting.first != nullptr) {
    detail::timekeeper::burst posts;
    if (w != nullptr) posts = w->time.posts_begin();
    const bool together = waiting.first->next_free != nullptr && in.sources.starts_begin();
    int count = 0;
    for (; waiting.first != nullptr && count < detail::timekeeper::longest_burst; ++count)
      in.start(*std::exchange(waiting.first, waiting.first->next_free), w);
    if (together) in.sources.starts_end();
    if (in.sources.needs_idle_workers()) in.ready.wake_two();
    if (w != nullptr) w->time.posts_ended(posts, count);
  }
  waiting.being_emptied = false;
}

/// ... in a thread that is no worker, or has become one of a later scheduler.
[[gnu::noinline]] void start_elsewhere(auto& in, task_node& first, task_node& last, worker* w) {
  static thread_local constinit detail::waiting_starts waiting;
  if (waiting.add(first, last)) start_all(in, waiting, w);
}

}  // namespace

/// A start can finish its node at once, and so release the next: a chain of messages must not
/// become a chain of calls.  The outermost call on a thread starts them one after the other.
void scheduler::implementation::start_in_turn(task_node& first, task_node& last, worker* w) {
  if (w == nullptr || w != detail::crew::here.self) return start_elsewhere(*this, first, last, w);
  if (w->starts.add(first, last)) start_all(*this, w->starts, w);
}

void scheduler::implementation::record_failure(std::exception_ptr error,
                                               const task_node* task) noexcept {
  failure.record(std::move(error), task);
  ready.wake_submitter();
}

}  // namespace plait
