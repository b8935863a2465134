// SPDX-License-Identifier: BSD-3-Clause
/// Runs tasks in dataflow order on the workers of one process.  Not here: communication
/// (runtime.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/task/access.hpp>
#include <plait/task/access_error.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/detail/stored_call.hpp>
#include <plait/task/event.hpp>
#include <plait/task/graph.hpp>
#include <plait/task/hold.hpp>
#include <plait/task/ledger.hpp>
#include <plait/task/progress_source.hpp>
#include <plait/task/reduction.hpp>
#include <plait/task/resource.hpp>
#include <plait/task/scheduler_options.hpp>
#include <plait/task/task_name.hpp>
#include <plait/task/task_observer.hpp>

namespace plait {

template <class Call>
class submission;

/// Says what is done when a task is off its stack; see `scheduler::suspend`.
struct suspension {
  void (*then)(suspension& self, detail::task_node& node) = nullptr;
};

/// Operation that has begun without a node and goes on; see `scheduler::follow`.
struct begun_operation {
  /// Ends the operation if it is over, and returns whether it is.
  bool (*ends)(begun_operation& self) noexcept = nullptr;
  /// Submits the node that stands for what is left of it.
  void (*add_node)(begun_operation& self) = nullptr;
};

/// Keeps tasks, their dependences and the workers that run them.
///
/// One thread, the one that constructed the scheduler, submits and waits.  That thread is worker 0
/// and runs tasks whenever it would otherwise block.  Tasks may submit tasks too.  For all other
/// tasks these children are part of the task that submits them.  The accesses of that task must
/// cover the children's, and it is finished when they are.  `complete` may be called from any
/// thread.  Local to the process.
class scheduler {
 public:
  /// Starts `workers - 1` threads.  Errors: usage_error for options out of range;
  /// std::system_error.
  explicit scheduler(scheduler_options options = {});
  /// Closes the scheduler, as `close` does.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Submits `function(arguments...)`.  An argument made by an access word (`in`, `out`, `inout`,
  /// `commutative`, `reduce`) is an access, and arrives as the data it names.  Any other argument
  /// is copied and arrives by value.  The task runs after every earlier task that it conflicts
  /// with: the two share a byte, and one of them writes it.  Blocks, running tasks, while the
  /// in-flight limit is reached.  Cost: around 100 ns with one access of a range seen before.
  ///
  ///     s.task("scale", [](std::span<double> x, double f) { … }, inout(x), 2.0).priority(high);
  template <class Function, class... Arguments>
  auto task(task_name name, Function&& function, Arguments&&... arguments);

  /// Returns when every earlier task that writes one of these has finished, so that the program may
  /// read them; works meanwhile.  Each x is what `in` takes.  Errors: when a task has failed, as
  /// `wait`.
  ///
  ///     s.task("norm", norm, in(u), out(residual));
  ///     s.wait_on(residual);
  template <class... X>
  void wait_on(X&&... x) {
    const std::tuple all{detail::make_access<access_mode::in>(std::forward<X>(x))...};
    std::apply(
        [this](const auto&... one) {
          // Where the elements of a container lie is known when nobody may move them any more.
          wait_for(joined(settled_memory(one)...));
          if constexpr ((std::remove_cvref_t<decltype(one)>::is_container || ...))
            wait_for(joined(one.boxes()...));
        },
        all);
  }

  /// Waits as `wait_on` does, for memory whose type is forgotten.
  void wait_for(std::span<const strided_bytes> memory);

  /// Returns when every task has finished; the calling thread runs tasks meanwhile.  Rethrows the
  /// first exception thrown by a task since the last `wait`; tasks that had not begun by then are
  /// dropped.
  void wait();
  /// Waits as `wait` does, and calls `go_on` some twenty times a second, between tasks.  Returns
  /// false, with tasks in flight, once `go_on` has: for a language whose signals come to the thread
  /// that waits here.  `go_on` neither throws nor calls the scheduler.
  [[nodiscard]] bool wait_while(const std::function<bool()>& go_on);
  /// Returns true if the next submission does not wait.  False in a task.  Submitting thread.
  [[nodiscard]] bool has_room() const noexcept;

  /// Starts `threads` threads that run the tasks with `target` of what this returns.  They run no
  /// other tasks, and no worker runs theirs.  They sleep while there is nothing to run, and never
  /// look after messages.  In checked mode the worker runs the tasks.  Submitting thread, outside
  /// of tasks; tasks may be in flight.  Errors: usage_error for a name that is empty or taken, and
  /// for fewer than 1 thread or more than 253 of all resources; std::system_error.
  [[nodiscard]] resource add_resource(std::string name, int threads = 1);
  static constexpr int most_resource_threads = 253;
  static constexpr int most_added_threads = most_resource_threads + 1;  ///< and the helper

  /// Records the tasks that `submit` submits, for `replay`.  They are not run but kept, with the
  /// dependences between them and those from each iteration to the next.  A task gets its by-value
  /// arguments again in every iteration.  Errors: exceptions of `submit`; usage_error for a task
  /// whose by-value arguments cannot be copied.
  [[nodiscard]] graph record(const std::function<void()>& submit);
  /// Records what is submitted between these two.  `end_record(false)` drops what was recorded, and
  /// returns nothing.  Preconditions: nothing is being recorded at the first, and something is at
  /// the second.
  void begin_record();
  std::optional<graph> end_record(bool keep = true);

  /// Runs the recorded tasks `iterations` times, as if they had been submitted so often, without
  /// analysing dependences again.  Iterations overlap wherever their data allow.  Returns when the
  /// replay has begun.  Earlier tasks have finished then, and later submissions wait for the end of
  /// the replay.  After the first few iterations tasks on the way to a send go first
  /// (`measured_priorities`).  Errors: usage_error when the graph is another scheduler's, has more
  /// tasks than the in-flight limit, or when data that its tasks name has moved or changed its size
  /// since; exceptions that `wait` rethrows.
  ///
  /// `before_first` is called when the graph has been accepted and earlier tasks have finished.
  void replay(graph& recorded, std::uint64_t iterations,
              const std::function<void()>& before_first = {});
  /// Returns whether `submit` of `record` is running.
  [[nodiscard]] bool recording() const noexcept;

  /// Waits for all tasks and stops the workers.  An exception of a task that no `wait` has rethrown
  /// ends the program; but while another exception unwinds the stack, tasks that have not begun are
  /// dropped and theirs are forgotten.  Nothing may be submitted afterwards.
  void close();

  [[nodiscard]] int workers() const noexcept;
  [[nodiscard]] std::size_t in_flight_limit() const noexcept;
  /// Returns the most tasks that were in flight at once, and the bytes that one of them takes.
  [[nodiscard]] std::size_t peak_tasks() const noexcept;
  [[nodiscard]] static constexpr std::size_t bytes_per_task() noexcept {
    return sizeof(detail::task_node);
  }

  /// Returns one entry a worker, since construction or the last `reset_ledger`.  Submitting thread,
  /// no task running.
  [[nodiscard]] plait::ledger ledger() const;
  /// Returns one entry a thread of a resource.  Exposed communication is no part of it: all time
  /// with nothing to run is idle.  In checked mode: no entry.  Precondition: this scheduler has
  /// made the resource.  Submitting thread, no task running.
  [[nodiscard]] plait::ledger ledger(const resource& of) const;
  void reset_ledger();

  /// Adds a source beside communication: idle workers poll it, workers between two tasks when it is
  /// due, and the helper.  What is in flight there does not count as communication.  The source
  /// lives until it is removed or the scheduler ends.  Submitting thread, outside of tasks. Errors:
  /// usage_error for more than `most_added_sources`.
  void add_progress(progress_source& source);
  /// Returns when no thread uses the source any more.  Submitting thread, outside of tasks and of
  /// the source's own functions.
  void remove_progress(progress_source& source);
  /// Has a sleeping worker, the submitting thread and the helper ask the sources again.  For a
  /// source that has something to poll for or to complete, and was idle.  Any thread; never blocks.
  void wake_pollers() noexcept;
  static constexpr std::size_t most_added_sources = 8;

  /// `observer` may be null; it must outlive its use.  Submitting thread, when no task is in
  /// flight.
  void observe(task_observer* observer);

  // For layers above that make tasks of their own kind
  // ------------------------------------------------

  /// Returns a node to be filled, then given to `submit`.  Helps while the in-flight limit is
  /// reached.  Submitting thread.
  [[nodiscard]] detail::task_node& allocate(task_name name, detail::node_kind kind);
  /// Returns a node of a task.  Unless the node `ends_with_care`, it is ordered after earlier
  /// accesses to bytes that the task writes alone.
  [[nodiscard]] detail::task_node& allocate(task_name name, byte_range written);
  /// Orders `node` after earlier accesses to `bytes`.
  /// `operation` tells reductions apart.
  void add_access(detail::task_node& node, byte_range bytes, access_mode mode,
                  const void* operation = nullptr);
  /// Orders `node` after earlier accesses to an object and the elements that it points to.
  void add_container(detail::task_node& node, const detail::container& c, access_mode mode,
                     const void* operation = nullptr);
  /// Orders `node` after earlier accesses to a box.
  void add_box(detail::task_node& node, const strided_bytes& box, access_mode mode);
  /// Has `replay` refuse the graph that is being recorded once the elements of `c` lie elsewhere
  /// than now, for an operation that takes their present place.  `named_by()`: "send 'edge'", for
  /// the message.  No effect outside of a recording, nor for a container without an object.
  /// Submitting thread.
  void expect_in_place(const auto& named_by, const detail::container& c) {
    if (c.object != nullptr && recording()) add_fixed(named_by(), c);
  }
  /// Tells the observer that what is submitted from now on are steps of one operation, by a number
  /// of the caller's; 0: of none.  Submitting thread.
  void group(std::uint32_t number);
  void submit(detail::task_node& node);
  /// Returns true if no task in flight names any of these bytes; false, too, where boxes are.  What
  /// `follow` keeps is given its node first.  Submitting thread.
  [[nodiscard]] bool is_unused(byte_range bytes);
  /// Starts an operation that reads or writes `bytes` before it has a node, by `start()`, if
  /// nothing in flight conflicts and nothing records or watches.  Returns true if `start` has said
  /// that it is over, or goes on with `node_of_begun`; else a node is to be submitted, or
  /// `follow` to be called.  Submitting thread; in a task it starts nothing.  Errors: those of
  /// `start`.
  [[nodiscard]] bool start_without_node(byte_range bytes, const auto& start,
                                        access_mode mode = access_mode::in) {
    if (!begins_without_node(bytes, mode)) return false;
    const start_of_program leaves{*this};
    return start();
  }
  /// Keeps an operation that `start_without_node` has begun and that is not over.  A `wait` that
  /// has nothing else to wait for looks after it, a few times.  Before anything else is submitted,
  /// or waited for, it is given its node.  Submitting thread, outside of tasks, at once after the
  /// start.
  void follow(begun_operation& begun) noexcept;
  /// Returns an asynchronous node, submitted and started, for the operation that `start` of
  /// `start_without_node` has begun on these bytes.  Once, in `start`.
  [[nodiscard]] detail::task_node& node_of_begun(task_name name, byte_range bytes,
                                                 access_mode mode) noexcept;
  /// Finishes an asynchronous node.  Any thread, once, after the node's start.
  void complete(detail::task_node& node);
  /// Reports a failure as an exception of a task would: `wait` rethrows the first.  Any thread.
  void fail(std::exception_ptr error) noexcept;
  [[nodiscard]] bool failed() const noexcept;

  /// Lets one thread that is no worker take part: it calls `help` or `help_and_poll`.  `wake` has
  /// it do so soon; any thread calls it, within calls that do not block.  Submitting thread, before
  /// the first task.  No effect in checked mode.
  void add_helper(std::string name, std::function<void()> wake = {});
  /// Runs a task with `target(anyone)` that is ready and that no worker has taken.  Returns false
  /// if there is none.  The helper's thread, holding no lock that tasks take; while it runs the
  /// scheduler must not end.
  bool help();
  /// Polls the sources that were added, runs what `help` runs, and returns when the helper is to
  /// come again (`progress_source::due_at`).  As `help`.
  [[nodiscard]] ticks help_and_poll();

  /// Returns whether tasks have stacks of their own.
  [[nodiscard]] bool can_suspend() const noexcept;
  /// Returns the scheduler that runs the calling task, if it can suspend the task; else null.
  [[nodiscard]] static scheduler* of_suspendable_task() noexcept;
  /// Suspends the task that calls.  `next.then(next, node)` is called when the task is off its
  /// stack, and `suspend` returns, perhaps in another thread, after `resume(node)`.  A suspended
  /// task does not count against the in-flight limit.
  void suspend(suspension& next);
  /// Lets a suspended task go on.  Any thread, once for each suspension, at the earliest from
  /// `then`.
  void resume(detail::task_node& node);
  /// Returns the option `checked`, unless the environment says otherwise.  Errors: usage_error.
  [[nodiscard]] static bool checks_accesses(bool option);
  /// Lets a checked task touch the data of all tasks until called with false.  No effect elsewhere.
  /// In pairs, which may be nested.
  static void pause_checks(bool pause) noexcept;
  /// Tells that the program has seen some task finish.  Data that only finished tasks name is not
  /// checked any more, since it may be freed.
  static void waited();
  /// Returns the id of the task of this scheduler from which the call comes; 0: of none.
  [[nodiscard]] std::uint64_t calling_task() const noexcept;
  /// Returns whether the call comes from a task of this scheduler.
  [[nodiscard]] bool in_task() const noexcept;
  /// Returns whether the call comes from the submitting thread, outside of tasks.
  [[nodiscard]] bool in_program() const noexcept;
  /// Returns true if what the caller submits is the program's own, and is not recorded.
  [[nodiscard]] bool submits_once() const noexcept;
  /// Works until `done()`, on the submitting thread, outside of tasks.  `done` is not asked again
  /// once it has returned true, for it may take what it finds, as MPI_Test does.
  void work_until(const std::function<bool()>& done);
  /// Makes `work_until` ask again.  Any thread.
  void wake() noexcept;

 private:
  template <class Call>
  friend class submission;
  friend class hold;
  friend class detail::family;

  [[nodiscard]] static hold hold_of_calling_task(bool counts);
  /// Errors: usage_error for a resource of another scheduler, or of none.
  void assign(detail::task_node& node, const resource& to);
  void assign(detail::task_node& node, anyone_target) noexcept;
  void count_out(detail::task_node& node) noexcept;
  void add_fixed(std::string named_by, const detail::container& c);
  [[nodiscard]] bool begins_without_node(byte_range bytes, access_mode mode);
  void began_without_node() noexcept;
  struct start_of_program {
    scheduler& in;
    ~start_of_program() { in.began_without_node(); }
  };

  template <class Access>
  [[nodiscard]] static auto settled_memory(const Access& named) {
    if constexpr (Access::is_container) {
      return std::array{strided_bytes::of(named.container().own())};
    } else {
      return named.boxes();
    }
  }

  /// One array of all of them.
  template <class... Boxes>
  [[nodiscard]] static auto joined(const Boxes&... each) {
    return std::apply([](const auto&... one) { return std::array{one...}; },
                      std::tuple_cat(each...));
  }

  template <class Access>
  void add(detail::task_node& node, const Access& named) {
    if constexpr (Access::is_box || Access::is_boxes) {
      for (const strided_bytes& box : named.boxes()) add_box(node, box, Access::mode);
    } else if constexpr (Access::is_container) {
      add_container(node, named.container(), Access::mode, detail::key_of_reduction<Access>());
    } else {
      add_access(node, named.bytes(), Access::mode, detail::key_of_reduction<Access>());
    }
  }

  struct implementation;
  std::unique_ptr<implementation> self_;
};

template <class Function, class... Arguments>
auto scheduler::task(task_name name, Function&& function, Arguments&&... arguments) {
  auto stored = std::tuple_cat(detail::stored_argument(std::forward<Arguments>(arguments))...);
  using call = decltype(detail::bound_call{std::decay_t<Function>(std::forward<Function>(function)),
                                           std::move(stored)});
  using all = std::remove_cvref_t<decltype(stored)>;
  constexpr std::size_t written = detail::first_written_piece(static_cast<const all*>(nullptr));
  detail::task_node& node = [&]() -> detail::task_node& {
    if constexpr (written < std::tuple_size_v<all>) {
      return allocate(name, std::get<written>(stored).bytes());
    } else {
      return allocate(name, detail::node_kind::compute);
    }
  }();
  try {
    const auto add_if_access =
        [&, all_are_left = node.ends_with_care]<std::size_t i>(std::in_place_index_t<i>) {
          if constexpr (is_access<std::tuple_element_t<i, all>>)
            if (i != written || all_are_left) add(node, std::get<i>(stored));
        };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (add_if_access(std::in_place_index<i>), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<all>>{});
    detail::store_call(node, call{std::forward<Function>(function), std::move(stored)});
  } catch (...) {
    // The node is counted already: it runs as nothing.
    node.act = [](detail::task_node&, detail::node_action) {};
    submit(node);
    throw;
  }
  return submission<call>(*this, node);
}

}  // namespace plait

#include <plait/task/submission.hpp>
