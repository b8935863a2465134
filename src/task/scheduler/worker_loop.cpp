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

namespace {

[[gnu::always_inline]] inline void count_finished(auto& s, worker* w, bool counted) noexcept {
  s.threads.raise(counted ? &counters::tasks : &counters::finished, w);
  if (w == nullptr) s.ready.wake_submitter();
}

/// Makes the nodes of a list ready, which `next_free` links, in their order; for the only worker,
/// which would run what is ready no sooner, messages last and together.
[[gnu::noinline]] void hand_on(auto& in, task_node* list, worker* w) {
  detail::waiting_starts messages;
  while (list != nullptr) {
    task_node& node = *std::exchange(list, list->next_free);
    const bool together = node.kind == node_kind::asynchronous && w != nullptr && w->is_only;
    together ? (void)messages.add(node, node) : in.make_ready(node, w);
  }
  if (messages.first != nullptr) in.start_in_turn(*messages.first, *messages.last, w);
}

}  // namespace

/// Ends the node's life, releases its successors and gives it back.  `passes`: the task is a
/// worker's, needs no care, and nobody watches it.
///
/// Each edge lives in its successor, which may run, finish and be reused as soon as the last of its
/// predecessors has let go; so an edge is read before `unmet` is lowered, and not after.
/// `alone`: `w` is the only worker, and finishes a task that nobody else can touch.
template <bool passes, bool alone>
[[gnu::always_inline]] inline void scheduler::implementation::finish_submitted(task_node& node,
                                                                               worker* w) {
  if (!node.trivial) node.act(node, node_action::destroy);
  const std::uint64_t id = passes ? 0 : node.id.load(std::memory_order_relaxed);
  // Whoever submits finishes it (add_edge).
  if (alone || node.unshared) node.id.store(0, std::memory_order_relaxed);
  if (!passes) node.exclusions.reset();
  const bool submits = alone || (w != nullptr && w->index == 0);
  const bool is_child = !passes && std::exchange(node.is_child, false);
  const bool counts_for_limit = passes || (node.kind == node_kind::compute && !node.uncounted);
  task_node* ready_now = nullptr;  // oldest first, linked by `next_free`
  edge* list =
      alone ? node.successors.load(std::memory_order_relaxed) : node.close(submits && !is_child);
  while (list != nullptr) {
    task_node& successor = *list->successor;
    list = list->next;
    if (successor.is_met_elsewhere) {
      if (!successor.meet_one()) continue;
    } else if (--successor.edges_made != 0) {
      continue;
    }
    if (!passes) watch.released(successor, id, w);
    successor.next_free = std::exchange(ready_now, &successor);
  }
  const auto is_here = [](const task_node& one) {
    return alone ? one.is_usual() : (one.care & task_node::elsewhere) == 0;
  };
  while (ready_now != nullptr && is_here(*ready_now))
    make_ready<alone>(*std::exchange(ready_now, ready_now->next_free), w);
  if (ready_now != nullptr) hand_on(*this, ready_now, w);
  if (is_child) {
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
  count_finished(*this, w, counts_for_limit);
}

/// `passes`: nobody watches the task, and no failure is known.
template <bool passes, bool alone>
[[gnu::always_inline]] inline void scheduler::implementation::finish_replayed(task_node& node,
                                                                              worker* w) {
  // Until it may run again.
  const std::uint64_t id = passes ? 0 : node.id.load(std::memory_order_relaxed);
  const auto released = [&](task_node & next) __attribute__((always_inline)) {
    if constexpr (!passes) watch.released(next, id, w);
    make_ready<alone>(next, w);
  };
  const bool releases = passes || !failure.is_known();
  detail::replayed_graph& graph = *node.recorded->graph;
  if (!passes && releases && (node.care & task_node::ranked) != 0) graph.ranks(node);
  if (graph.finish(node, alone || node.unshared, releases, released))
    count_finished(*this, w, true);
}

/// Makes this worker's counts visible in the total order in which a sleeping submitter checks them
/// (see event_count) and wakes it.  Called when the worker goes idle and when it has polled with
/// success while idle; a busy worker stores its counts without this, because it comes by here
/// later.
void scheduler::implementation::publish_counts(worker& w) noexcept {
  if (w.index == 0) return;  // it is the submitter
  for (auto* count : {&w.counts.tasks, &w.counts.finished, &w.counts.uncounted}) {
    count->store(count->load(std::memory_order_relaxed), std::memory_order_seq_cst);
  }
  ready.wake_submitter();
}

void scheduler::implementation::leave_loop(worker& w) noexcept {
  w.time.tasks_over();
  ready.leave_loop(w);
}

namespace {

[[gnu::noinline]] bool run_passing_with_care(auto& in, worker& w, task_node& node) {
  return in.template run_passing<false, false>(w, node);
}

}  // namespace

/// `run` for most tasks, of which nothing but their end is to be told, if that.  Returns false for
/// others.  `alone`: `w` is the only worker, and `replays` says whether all of its tasks that need
/// no care are recorded, or none; nothing has failed.
template <bool alone, bool replays>
[[gnu::always_inline]] inline bool scheduler::implementation::run_passing(worker& w,
                                                                          task_node& node) {
  constexpr std::uint8_t little = task_node::lengthy | (alone ? 0 : task_node::elsewhere);
  const bool with_care = (node.care & ~little) != 0;
  if (alone && with_care) [[unlikely]]
    return run_passing_with_care(*this, w, node);
  if (!w.time.lets_pass() || (!alone && (failure.is_known() || with_care || watch.has_observer())))
    return false;
  const bool again = alone ? replays : node.recorded != nullptr;
  w.in_task.store(&node, std::memory_order_relaxed);
  if (!execute(node, again)) w.time.stop_passing();
  w.in_task.store(nullptr, std::memory_order_relaxed);
  // A look that is due must not wait for tasks of which nobody knows that they are short.
  const bool is_brief = again && (node.care & task_node::lengthy) == 0;
  const bool looks = !is_brief && sources.any() && sources.passed_when_due();
  // What the task has thrown, submitted or held has stopped the passing.
  if (looks || !w.time.passed()) [[unlikely]] {
    has_run(w, node, detail::timekeeper::unread, true);
  } else if (!alone && (node.care & task_node::elsewhere) != 0) {
    finish(node, &w);
  } else if (again) {
    finish_replayed<true, alone>(node, &w);
  } else {
    finish_submitted<true, alone>(node, &w);
  }
  return true;
}

void scheduler::implementation::run(worker& w, task_node& node) {
  if (run_passing_with_care(*this, w, node)) return;
  if ((node.care & task_node::concluding) != 0) [[unlikely]] {
    node.care &= static_cast<std::uint8_t>(~task_node::concluding);
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
  const ticks begin = w.time.task_begins(watch.wants_times(node));
  w.in_task.store(&node, std::memory_order_relaxed);
  const bool ended = stacks.has_value() ? execute_on_stack(node, w)
                                        : (execute(node, node.recorded != nullptr), true);
  w.in_task.store(nullptr, std::memory_order_relaxed);
  has_run(w, node, begin, ended);
}

/// The function of a task has returned, or is suspended (not `ended`).
[[gnu::noinline]] void scheduler::implementation::has_run(worker& w, task_node& node, ticks begin,
                                                          bool ended) {
  // Asked while the task is unfinished: then another may come.
  const bool may_pass = w.in_loop && !stacks.has_value() && !watch.has_observer();
  const bool may_look = sources.any() && w.of == nullptr;
  const ticks look = may_look ? sources.due_at() : progress_source::never;
  const bool watchful = look != progress_source::never;
  const ticks end = w.time.task_ended(begin);
  if (watchful) sources.passed(end);
  if (node.recorded != nullptr) node.set_lengthy(!w.time.tasks_are_short());
  if (begin != detail::timekeeper::unread && watch.wants_times(node))
    watch.ran(w, node, begin, end);
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
  if (end >= look) {
    w.time.look_begins();
    (void)sources.poll(false);
    w.time.look_ended();
  }
  if (may_pass && !failure.is_known()) w.time.let_pass(watchful);
}

namespace {

/// After a failure it asks before each task too, which is dropped: messages are to be given up.
template <bool alone, bool replays = false>
void work_off(auto& in, worker& w) {
  const auto over = [&] {
    if (w.index != 0) return in.stopping.load(std::memory_order_seq_cst);
    in.give_up_if_failed();
    return in.tasks.all_finished();
  };
  w.in_loop = true;
  for (;;) {
    const bool is_usual = alone && in.ready.are_usual();
    const bool is_plain = is_usual || (alone && !in.ready.needs_care());
    task_node* node = is_usual   ? in.ready.find_usual()
                      : is_plain ? in.ready.find_plain()
                                 : in.ready.find(w);
    if (node != nullptr && alone == is_plain && in.template run_passing<alone, replays>(w, *node))
      continue;
    if (node == nullptr || in.failure.is_known()) [[unlikely]] {
      if (over()) break;
      if (node == nullptr) node = in.idle(w, over, progress_source::never);
      if (node == nullptr) continue;
    }
    in.run(w, *node);
  }
  in.leave_loop(w);
}

}  // namespace

void scheduler::implementation::work_off(worker& w) {
  if (!w.is_only) return plait::work_off<false>(*this, w);
  replaying != nullptr ? plait::work_off<true, true>(*this, w)
                       : plait::work_off<true, false>(*this, w);
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
  if (counted && !std::exchange(node.uncounted, true)) {
    node.care |= task_node::elsewhere;
    threads.raise(&counters::uncounted, &w);
  }
  node.suspended.store(true, std::memory_order_relaxed);
}

namespace {

[[gnu::noinline]] void finish_with_care(auto& in, task_node& node, worker* w) {
  if (node.kind == node_kind::asynchronous) in.watch.message_ended(node);
  node.recorded == nullptr ? in.template finish_submitted<false, false>(node, w)
                           : in.template finish_replayed<false, false>(node, w);
}

/// Returns whether of a node nothing but its end is to be told, if nothing fails.
[[gnu::always_inline]] inline bool is_unwatched(const auto& in, const task_node& node) noexcept {
  return node.recorded != nullptr && (node.care & task_node::ranked) == 0 &&
         !in.watch.is_watching();
}

}  // namespace

void scheduler::implementation::finish(task_node& node, worker* w) {
  const bool passes = is_unwatched(*this, node) && !failure.is_known();
  passes ? finish_replayed<true, false>(node, w) : finish_with_care(*this, node, w);
}

/// Posting is done here and now, by whoever released the operation: as early as its data allows.
[[gnu::always_inline]] inline void scheduler::implementation::start(task_node& node, worker* w) {
  // A replay counts as one, and so does a task with what it submits.
  if (node.recorded == nullptr && !node.is_child) {
    threads.raise(&counters::uncounted, w);
    if (w == nullptr) ready.wake_submitter();
  }
  if (failure.is_known()) return finish_with_care(*this, node, w);
  const bool passes = is_unwatched(*this, node);
  if (w != nullptr) w->starts.starting = &node;
  try {
    if (!passes) watch.message_begins(node, w);
    node.act(node, node.recorded == nullptr ? node_action::run : node_action::run_again);
  } catch (...) {
    if (w != nullptr) w->starts.starting = nullptr;
    record_failure(std::current_exception(), &node);
    return finish_with_care(*this, node, w);
  }
  if (w == nullptr || std::exchange(w->starts.starting, nullptr) != nullptr) return;
  passes && !failure.is_known() ? finish_replayed<true, false>(node, w)
                                : finish_with_care(*this, node, w);
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
  // First: who hears of the failure drops tasks, and what follows them must not run.
  ready.begin_care();
  if (!failure.record(std::move(error), task)) ready.end_care();
  ready.wake_submitter();
}

}  // namespace plait
