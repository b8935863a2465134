// SPDX-License-Identifier: BSD-3-Clause
/// Implementation of the scheduler: its state and the functions that its files share: scheduler.cpp
/// (submission, waiting, the interface), replay.cpp (recorded graphs), family.cpp (tasks that
/// submit), suspension.cpp, resources.cpp, worker_loop.cpp (finding, running and finishing tasks,
/// being idle).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/core/cpu_pause.hpp>
#include <plait/core/event_count.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/exclusion.hpp>
#include <plait/task/scheduler.hpp>

#include "task/checked/access_checker.hpp"
#include "task/family.hpp"
#include "task/inbox.hpp"
#include "task/replayed_graph.hpp"
#include "task/resource_threads.hpp"
#include "task/stall_watch.hpp"
#include "task/task_stack.hpp"
#include "task/worker.hpp"

namespace plait {

struct scheduler::implementation {
  explicit implementation(const scheduler_options& options);

  // --- submitting thread (scheduler.cpp) -------------------------------------------------------
  /// The submitting thread's.
  [[nodiscard]] detail::timekeeper& time() const noexcept { return workers.front()->time; }
  /// The program has called: the time since it was left was its own.
  void entered() noexcept {
    const bool from_program = !time().is_inside();
    const ticks left_at = time().last_read();
    time().entered();
    if (observer != nullptr && from_program) observer->program_ran(left_at, time().last_read());
  }
  [[nodiscard]] detail::task_node& take_free_node();
  void collect_free_nodes();
  void collect_returned(detail::returned_nodes& from) noexcept;
  void wait_for_room();
  template <class Memory>
  [[nodiscard]] bool keep(detail::task_node& node, const Memory& memory, access_mode mode,
                          const void* operation);
  [[nodiscard]] detail::dependence_tracker& tracker_of(const detail::task_node& node) noexcept;
  void launch(detail::task_node& node);
  void prepare(detail::task_node& node, std::uint64_t id, const char* name,
               detail::node_kind kind) const noexcept;
  [[nodiscard]] static bool is_ready(detail::task_node& node) noexcept;
  void give_up_if_failed();
  [[nodiscard]] std::string failure_text();
  /// For timekeepers: how long communication had been in flight by some time.
  [[nodiscard]] auto in_flight_until() const noexcept {
    return
        [from = progress](ticks when) { return from != nullptr ? from->in_flight_until(when) : 0; };
  }
  [[nodiscard]] std::uint64_t total(
      std::atomic<std::uint64_t> detail::counters::*which) const noexcept;
  void expect_submitting_thread() const;
  struct arrival;

  // --- submitting thread, when nothing moves (stall.cpp) ----------------------------------------
  void look_for_stall(detail::stall_watch& watch);
  [[nodiscard]] std::uint64_t progress_mark() const noexcept;
  [[nodiscard]] stall describe_stall() const;

  // --- a task that submits (family.cpp) --------------------------------------------------------
  [[nodiscard]] detail::task_node* calling_task() const noexcept;
  [[nodiscard]] detail::task_node& allocate_child(detail::task_node& parent, const char* name,
                                                  detail::node_kind kind);
  void submit_child(detail::task_node& node);
  void conclude(detail::task_node& node, detail::worker& w);
  void leave_family(detail::family& children, detail::worker* w);

  // --- any worker (worker_loop.cpp) ------------------------------------------------------------
  void worker_loop(scheduler& facade, detail::worker& w);
  /// Runs tasks and drives communication until `done()`; sleeps at most `longest_sleep` at a time.
  template <class Done>
  void work_until(detail::worker& w, Done done, ticks longest_sleep);
  template <class More>
  void run_ready(detail::worker& w, More more);
  void leave_loop(detail::worker& w);
  template <class Done>
  [[nodiscard]] detail::task_node* idle(detail::worker& w, Done done, ticks longest_sleep);
  [[nodiscard]] detail::task_node* find(detail::worker& w) noexcept;
  [[nodiscard]] detail::task_node* find(detail::worker& w, priority urgency) noexcept;
  [[nodiscard]] detail::task_node* steal(detail::worker& w, priority urgency) noexcept;
  void run(detail::worker& w, detail::task_node& node);
  [[nodiscard]] bool take_exclusions(detail::task_node& node, detail::worker& w);
  void release_exclusions(detail::task_node& node, std::size_t count, detail::worker& w);
  [[nodiscard]] bool execute(detail::task_node& node) noexcept;
  [[nodiscard]] bool execute_on_stack(detail::task_node& node, detail::worker& w) noexcept;
  void wait_without_worker(detail::task_node& node, detail::worker& w) noexcept;
  void leave_suspended(detail::task_node& node, detail::worker& w);

  // --- threads of resources (resources.cpp) ----------------------------------------------------
  void resource_loop(scheduler& facade, detail::resource_threads& of, detail::worker& w);
  [[nodiscard]] detail::task_node* next_of_resource(detail::resource_threads& of,
                                                    detail::worker& w);
  [[nodiscard]] detail::resource_threads& add_threads(const std::string& name, int threads);
  void tell_threads(const detail::resource_threads& of);
  void reset_resource_ledgers();
  template <class Use>
  void for_each_resource(Use use) const {
    for (std::size_t i = 0; i < resource_count; ++i) use(*resources[i]);
  }
  [[nodiscard]] static ledger_entry entry_of(int worker, const detail::timekeeper& time,
                                             const auto& in_flight_until);

  /// Says which scheduler's worker a thread is.
  struct thread_role {
    implementation* owner = nullptr;
    scheduler* facade = nullptr;
    detail::worker* self = nullptr;
  };
  static thread_local constinit thread_role role;  ///< of the running thread
  [[nodiscard]] static thread_role this_role() noexcept;

  // --- any thread; `w` is null for one that is no worker ----------------------------------------
  [[nodiscard]] detail::worker* this_worker() const noexcept;
  void publish_counts(detail::worker& w) noexcept;
  void finish(detail::task_node& node, detail::worker* w);
  void finish_submitted(detail::task_node& node, detail::worker* w);
  void finish_replayed(detail::task_node& node, detail::worker* w);
  void count_finished(detail::worker* w, bool uncounted) noexcept;
  void make_ready(detail::task_node& node, detail::worker* w);
  void make_ready_from_outside(detail::task_node& node);
  void start(detail::task_node& node, detail::worker* w);
  void start_in_turn(detail::task_node& node, detail::worker* w);
  void push(detail::task_node& node, detail::worker& w);
  void announce() noexcept;
  /// Keeps the failure of `task`, if a task has thrown it; whoever prints the exception is to name
  /// the task.
  void record_failure(std::exception_ptr error, const detail::task_node* task = nullptr) noexcept;

  /// Identity of this scheduler.  An address would not do: it may be that of one that is gone.
  const std::uint64_t serial = next_serial();
  [[nodiscard]] static std::uint64_t next_serial() noexcept;
  progress_source* const progress;
  const std::size_t in_flight;
  const bool oversubscribed;
  const bool measured_priorities;
  const std::function<void(const stall&)> stalled;
  const ticks stall_period;  ///< `never` without `stalled`
  const int worker_count;
  std::optional<detail::stack_pool> stacks;              ///< if tasks can be suspended
  std::unique_ptr<detail::access_checker> checker;       ///< in checked mode
  std::vector<std::unique_ptr<detail::worker>> workers;  ///< 0 is the submitting thread
  task_observer* observer = nullptr;
  /// A place is filled before a task names it, and stays.  Any thread reads the place that its task
  /// names.  The count is the submitting thread's.
  std::array<std::unique_ptr<detail::resource_threads>, most_added_threads> resources;
  std::size_t resource_count = 0;
  int resource_thread_count = 0;
  detail::worker* helper = nullptr;  ///< one of theirs, without a thread of its own

  // Submitting thread only.
  const std::thread::id submitter = std::this_thread::get_id();
  detail::dependence_tracker tracker;
  static constexpr std::size_t nodes_per_block = 64;
  std::vector<std::unique_ptr<detail::task_node[]>> node_blocks;
  detail::task_node* free_nodes = nullptr;
  std::uint64_t last_id = 0;
  std::uint64_t submitted = 0;  ///< tasks, and replays
  std::uint64_t uncounted_seen = 0;
  std::size_t peak = 0;
  const int exceptions_at_start = std::uncaught_exceptions();
  detail::task_node* open_submission = nullptr;  ///< between allocate and submit
  detail::replayed_graph* recording = nullptr;   ///< what is submitted goes there
  std::shared_ptr<detail::replayed_graph> replaying;
  bool gave_up = false;  ///< `progress` was told to cancel

  // Shared.
  alignas(128) detail::lanes<detail::ready_queue> fresh;  ///< ready when submitted: pushed by the
                                                          ///< submitting thread, taken oldest first
  detail::inbox released_outside;
  /// Far from those of the program's tasks; what is ready of them goes by way of the inbox, since
  /// the in-flight limit does not bound it.
  std::atomic<std::uint64_t> next_child_id{std::uint64_t{1} << 40};
  /// At least the ready tasks of high priority in all queues: raised before one is pushed, lowered
  /// after it has been taken.
  alignas(128) std::atomic<std::int64_t> high_ready{0};
  detail::counters outside_counts;
  detail::returned_nodes outside_returned;
  event_count worker_events;
  event_count submitter_events;
  std::atomic<bool> stopping{false};
  std::atomic<bool> has_failed{false};
  std::mutex failure_mutex;
  std::exception_ptr failure;
};

inline ledger_entry scheduler::implementation::entry_of(int worker, const detail::timekeeper& time,
                                                        const auto& in_flight_until) {
  const auto [sums, wall_ns] = time.since_reset(in_flight_until);
  const auto seconds = [&sums = sums](activity a) {
    return ticks_to_seconds(sums[static_cast<std::size_t>(a)]);
  };
  return {.worker = worker,
          .compute_s = seconds(activity::compute),
          .posting_s = seconds(activity::posting),
          .exposed_s = seconds(activity::exposed),
          .overhead_s = seconds(activity::overhead),
          .idle_s = seconds(activity::idle),
          .wall_s = static_cast<double>(wall_ns) * 1e-9};
}

inline detail::worker* scheduler::implementation::this_worker() const noexcept {
  return role.owner == this ? role.self : nullptr;
}

/// The function of `node` has returned, and so have its children.
inline void scheduler::implementation::conclude(detail::task_node& node, detail::worker& w) {
  if (node.exclusions != nullptr) release_exclusions(node, node.exclusions->size(), w);
  finish(node, &w);
}

inline void scheduler::implementation::finish(detail::task_node& node, detail::worker* w) {
  if (checker != nullptr && node.kind == detail::node_kind::asynchronous)
    checker->ended_elsewhere(node);
  if (node.recorded != nullptr) {
    finish_replayed(node, w);
  } else {
    finish_submitted(node, w);
  }
}

template <class Done>
void scheduler::implementation::work_until(detail::worker& w, Done done, ticks longest_sleep) {
  w.in_loop = true;
  while (!done()) {
    detail::task_node* node = find(w);
    if (node == nullptr) node = idle(w, done, longest_sleep);
    if (node != nullptr) run(w, *node);
  }
  leave_loop(w);
}

/// Tells an access to those who look into it later.  Returns whether dependences are found now.
template <class Memory>
bool scheduler::implementation::keep(detail::task_node& node, const Memory& memory,
                                     access_mode mode, const void* operation) {
  if (checker != nullptr) checker->add(node, detail::as_strided(memory), mode);
  if (node.recorded == nullptr) return true;
  node.recorded->graph->add_access(node, detail::as_strided(memory), mode, operation);
  return false;
}

inline detail::dependence_tracker& scheduler::implementation::tracker_of(
    const detail::task_node& node) noexcept {
  return node.is_child ? node.siblings->tracker : tracker;
}

/// Runs tasks as long as `more()` and one is ready.
template <class More>
void scheduler::implementation::run_ready(detail::worker& w, More more) {
  w.in_loop = true;
  while (more()) {
    detail::task_node* node = find(w);
    if (node == nullptr) break;
    run(w, *node);
  }
  leave_loop(w);
}

/// Waits for a task to run or for `done()`.  The time is charged as exposed as far as communication
/// was in flight, as idle otherwise.
template <class Done>
detail::task_node* scheduler::implementation::idle(detail::worker& w, Done done,
                                                   ticks longest_sleep) {
  publish_counts(w);

  const ticks begin = w.time.idleness_begins(in_flight_until());
  const std::uint32_t spin_limit = oversubscribed ? 0 : 2000;
  event_count& events = w.index == 0 ? submitter_events : worker_events;
  detail::stall_watch watch(w.index == 0 ? stall_period : progress_source::never, begin);

  detail::task_node* node = nullptr;
  ticks awake_since = begin;
  bool poll_again = w.polls_again;  // as if the last spell went on, which was short
  for (std::uint32_t spins = 1; !done(); ++spins) {
    if ((!poll_again || spins % 64 == 0) && watch.due()) look_for_stall(watch);
    if (progress != nullptr) {
      // What it completed while it gave the token back counts too, and is not in its answer.
      const auto finished = w.counts.finished.load(std::memory_order_relaxed);
      const bool worked = progress->poll(poll_again);
      if (worked || w.counts.finished.load(std::memory_order_relaxed) != finished)
        publish_counts(w);
    }
    if ((node = find(w)) != nullptr) break;
    poll_again = progress != nullptr && progress->idle_wait(awake_since) == 0;
    if (poll_again) continue;
    if (spins < spin_limit) {
      cpu_pause();
      continue;
    }
    const auto key = events.prepare();
    // Asked again now that whoever starts an operation sees a sleeper to wake.
    const ticks wait =
        progress != nullptr ? progress->idle_wait(awake_since) : progress_source::never;
    if (wait == 0 || done() || (node = find(w)) != nullptr) {
      events.cancel();
      if (node != nullptr) break;
      continue;
    }
    const ticks limit = std::min({wait, longest_sleep, watch.until_due()});
    events.wait(key, limit == progress_source::never ? -1 : limit);
    awake_since = now_ticks();
  }

  w.polls_again = poll_again;
  const auto spell = w.time.idleness_ended(begin, in_flight_until());
  if (observer != nullptr) observer->worker_idled(w.index, begin, spell.end, spell.exposed);
  return node;
}

}  // namespace plait
