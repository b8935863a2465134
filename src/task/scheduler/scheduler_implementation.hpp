// SPDX-License-Identifier: BSD-3-Clause
/// Implementation of the scheduler: joins the objects that it is made of, and runs tasks.  Its
/// functions are in scheduler.cpp (submission and waiting), replay.cpp (recorded graphs),
/// family.cpp (tasks that submit), held/hold.cpp (tasks that others finish), suspension.cpp,
/// resources.cpp, life.cpp, worker_loop.cpp (running and finishing tasks).
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <plait/core/clock.hpp>
#include <plait/core/cpu_pause.hpp>
#include <plait/core/event_count.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/exclusion.hpp>
#include <plait/task/scheduler.hpp>

#include "task/graphs/replayed_graph.hpp"
#include "task/held/held_tasks.hpp"
#include "task/scheduler/crew.hpp"
#include "task/scheduler/family.hpp"
#include "task/scheduler/first_failure.hpp"
#include "task/scheduler/progress_sources.hpp"
#include "task/scheduler/ready_set.hpp"
#include "task/scheduler/stall_reports.hpp"
#include "task/scheduler/submitted_tasks.hpp"
#include "task/scheduler/witness.hpp"
#include "task/stacks/task_stack.hpp"

namespace plait {

struct scheduler::implementation {
  explicit implementation(const scheduler_options& options);

  // --- the submitting thread --------------------------------------------------------------------
  /// Errors: a precondition unless that thread calls, outside of tasks and of submissions.  What
  /// has begun without a node has one then.
  void expect_submitting_thread();
  /// Also expects that nothing is being recorded.
  void expect_to_wait();
  [[nodiscard]] detail::timekeeper& time() const noexcept { return threads.submitter().time; }
  /// The program has called: the time since it was left was its own.
  void entered() noexcept;
  /// A stay of the submitting thread in plait.
  struct stay {
    explicit stay(implementation& in) noexcept : time(in.time()) { in.entered(); }
    ~stay() { time.left(); }
    stay(const stay&) = delete;
    stay& operator=(const stay&) = delete;
    detail::timekeeper& time;
  };
  void wait_for_room();
  void give_up_if_failed();
  [[nodiscard]] detail::dependence_tracker& tracker_of(const detail::task_node& node) noexcept {
    return node.is_child ? node.siblings->children->tracker : tasks.tracker;
  }

  // --- a task that submits ----------------------------------------------------------------------
  [[nodiscard]] detail::task_node* calling_task() const noexcept;
  [[nodiscard]] detail::task_node& allocate_child(detail::task_node& parent, const char* name,
                                                  detail::node_kind kind);
  void submit_child(detail::task_node& node);
  void leave_family(detail::family& children, detail::worker* w);
  /// Returns the family of a task, made if there is none.  The task's function.
  [[nodiscard]] detail::family& family_of(detail::task_node& parent, detail::worker& w);
  void begin_held(detail::family& of);
  void end_family(detail::task_node& parent, detail::worker& w);

  // --- any worker -------------------------------------------------------------------------------
  /// Runs tasks and drives communication until `done()`; sleeps at most `longest_sleep` at a time.
  template <class Done>
  void work_until(detail::worker& w, Done done, ticks longest_sleep);
  /// Does so until all tasks have finished or, where the worker is not the submitting thread, until
  /// the scheduler stops.  Neither can be while a task is ready: only then it asks.
  void work_off(detail::worker& w);
  template <class Done>
  [[nodiscard]] detail::task_node* idle(detail::worker& w, Done done, ticks longest_sleep);
  void leave_loop(detail::worker& w) noexcept;
  void run(detail::worker& w, detail::task_node& node);
  template <bool alone, bool replays>
  [[nodiscard]] bool run_passing(detail::worker& w, detail::task_node& node);
  void has_run(detail::worker& w, detail::task_node& node, ticks begin, bool ended);
  bool execute(detail::task_node& node, bool again) noexcept;
  [[nodiscard]] bool execute_on_stack(detail::task_node& node, detail::worker& w) noexcept;
  void wait_without_worker(detail::task_node& node, detail::worker& w) noexcept;
  [[nodiscard]] bool take_exclusions(detail::task_node& node, detail::worker& w);
  void release_exclusions(detail::task_node& node, std::size_t count, detail::worker& w);
  void conclude(detail::task_node& node, detail::worker& w);
  void publish_counts(detail::worker& w) noexcept;
  [[nodiscard]] detail::task_node* next_of_resource(detail::resource_threads& of,
                                                    detail::worker& w);
  [[nodiscard]] detail::resource_threads& add_threads(const std::string& name, int count);

  // --- any thread; `w` is null for one that is no worker ----------------------------------------
  void finish(detail::task_node& node, detail::worker* w);
  template <bool passes, bool alone>
  void finish_submitted(detail::task_node& node, detail::worker* w);
  template <bool passes, bool alone>
  void finish_replayed(detail::task_node& node, detail::worker* w);
  template <bool alone = false>
  void make_ready(detail::task_node& node, detail::worker* w);
  void start(detail::task_node& node, detail::worker* w);
  /// Starts the messages from `first` to `last`, each the `next_free` of the one before it.
  void start_in_turn(detail::task_node& first, detail::task_node& last, detail::worker* w);
  void let_go(detail::family& of) noexcept;
  void record_failure(std::exception_ptr error, const detail::task_node* task = nullptr) noexcept;
  /// For timekeepers: how long others had been waited for by some time.
  [[nodiscard]] auto in_flight_until() const noexcept {
    return [this](ticks when) {
      const ticks in_flight = sources.in_flight_until(when);
      return detail::waited(in_flight, held.tasks.until(when, in_flight));
    };
  }

  /// Identity of this scheduler.  An address would not do: it may be that of one that is gone.
  const std::uint64_t serial;
  scheduler* facade = nullptr;
  detail::progress_sources sources;
  const bool oversubscribed;
  const bool measured_priorities;
  detail::stall_reports stalls;
  const std::thread::id submitter = std::this_thread::get_id();
  const int exceptions_at_start = std::uncaught_exceptions();
  std::optional<detail::stack_pool> stacks;  ///< if tasks can be suspended
  detail::witness watch;
  detail::crew threads;
  detail::submitted_tasks tasks;
  std::shared_ptr<detail::replayed_graph>
      recording;  ///< what is submitted goes there; null: nowhere
  std::shared_ptr<detail::replayed_graph> replaying;
  detail::ready_set ready;
  detail::first_failure failure;
  detail::holds held;
  std::function<void()> wake_helper;  ///< set before the first task; null: nobody to wake
  std::atomic<bool> stopping{false};
  /// Far from those of the program's tasks; what is ready of them goes by way of the inbox, since
  /// the in-flight limit does not bound it.
  alignas(128) std::atomic<std::uint64_t> next_child_id{std::uint64_t{1} << 40};
};

/// The function of the task `node` has returned, and so have its children.
[[gnu::always_inline]] inline void scheduler::implementation::conclude(detail::task_node& node,
                                                                       detail::worker& w) {
  if (node.exclusions != nullptr) release_exclusions(node, node.exclusions->size(), w);
  finish(node, &w);
}

/// `alone`: `w` is the only worker.
template <bool alone>
[[gnu::always_inline]] inline void scheduler::implementation::make_ready(detail::task_node& node,
                                                                         detail::worker* w) {
  if (alone && node.is_usual()) [[likely]]
    return ready.add_usual(node);
  if ((node.care & detail::task_node::elsewhere) == 0) [[likely]]
    return alone ? ready.add_serially(node) : ready.add_released(node, w);
  if (node.kind == detail::node_kind::asynchronous) {
    if (w == nullptr || !w->starts.being_emptied) return start_in_turn(node, node, w);
    return (void)w->starts.add(node, node);  // further up on this thread somebody starts it
  }
  ready.add_outside(node);
}

/// Returns true unless the function has thrown.  `again`: the task is recorded.
[[gnu::always_inline]] inline bool scheduler::implementation::execute(detail::task_node& node,
                                                                      bool again) noexcept {
  try {
    node.act(node, again ? detail::node_action::run_again : detail::node_action::run);
  } catch (...) {
    record_failure(std::current_exception(), &node);
    return false;
  }
  return true;
}

template <class Done>
void scheduler::implementation::work_until(detail::worker& w, Done done, ticks longest_sleep) {
  w.in_loop = true;
  while (!done()) {
    detail::task_node* node = ready.find(w);
    if (node == nullptr) node = idle(w, done, longest_sleep);
    if (node != nullptr) run(w, *node);
  }
  leave_loop(w);
}

/// Waits for a task to run or for `done()`, which has just been asked.  The time is charged as
/// exposed as far as communication was in flight, as idle otherwise.
template <class Done>
[[gnu::noinline]] detail::task_node* scheduler::implementation::idle(detail::worker& w, Done done,
                                                                     ticks longest_sleep) {
  publish_counts(w);

  const ticks begin = w.time.idleness_begins(in_flight_until());
  const std::uint32_t spin_limit = oversubscribed ? 0 : 2000;
  event_count& events = ready.events_of(w);
  detail::stall_watch quiet = stalls.watch(w.index == 0, begin);

  detail::task_node* node = nullptr;
  ticks awake_since = begin;
  bool poll_again = w.polls_again;  // as if the last spell went on, which was short
  for (std::uint32_t spins = 1; spins == 1 || !done(); ++spins) {
    if ((!poll_again || spins % 64 == 0) && quiet.due())
      stalls.look(quiet, threads, tasks, replaying.get(), held.tasks, sources.in_flight());
    if (sources.any()) {
      // What it completed while it gave the token back counts too, and is not in its answer.
      const std::uint64_t finished = w.counts.all_finished();
      const bool worked = sources.poll(poll_again);
      if (worked || w.counts.all_finished() != finished) publish_counts(w);
    }
    if ((node = ready.find(w)) != nullptr) break;
    poll_again = sources.any() && sources.idle_wait(awake_since) == 0;
    if (poll_again) continue;
    if (spins < spin_limit) {
      cpu_pause();
      continue;
    }
    const auto key = events.prepare();
    // Asked again now that whoever starts an operation sees a sleeper to wake.
    const ticks wait = sources.idle_wait(awake_since);
    if (wait == 0 || done() || (node = ready.find(w)) != nullptr) {
      events.cancel();
      if (node != nullptr) break;
      continue;
    }
    const ticks limit = std::min({wait, longest_sleep, quiet.until_due()});
    events.wait(key, limit == progress_source::never ? -1 : limit);
    awake_since = now_ticks();
  }

  w.polls_again = poll_again;
  const auto spell = w.time.idleness_ended(begin, in_flight_until());
  watch.idled(w, begin, spell.end, spell.exposed);
  return node;
}

}  // namespace plait
