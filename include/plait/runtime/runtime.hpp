// SPDX-License-Identifier: BSD-3-Clause
/// Joins tasks to communication: a message is a task like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/progress_policy.hpp>
#include <plait/model/parameters.hpp>
#include <plait/model/service_core.hpp>
#include <plait/mover/move_plan.hpp>
#include <plait/runtime/collective_calls.hpp>
#include <plait/runtime/messages.hpp>
#include <plait/runtime/one_sided_calls.hpp>
#include <plait/runtime/service_core.hpp>
#include <plait/runtime/submitter.hpp>
#include <plait/task/hold.hpp>
#include <plait/task/progress_source.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/task/scheduler_options.hpp>
#include <plait/trace/event.hpp>

namespace plait {

/// Options of a runtime: those of its parts, and its own.  The runtime chooses those that are left
/// out, and sets those that an option of its parts says it sets.
struct runtime_options {
  /// Says who polls, and when, and which cores the rank has.
  engine_options engine = {};
  /// Says how many workers run tasks, how many tasks may be in flight, and whether they are
  /// checked. In checked mode the runtime has one worker and progress::none, whatever other options
  /// say.
  scheduler_options tasks = {};
  /// Ends the job after the first report of a standstill (`scheduler_options::stall_report_s`), and
  /// a second or less for other ranks to make theirs.
  bool stall_aborts = false;
  /// Takes the report instead of stderr.  Called on the thread that waits; must not submit or wait.
  std::function<void(const std::string&)> stall_sink = {};
  /// Compares the sizes that ranks name in a collective call, by small messages beside the call.
  /// `wait` throws an error that names two different sizes.  Of calls whose messages need not be
  /// passed on, the first 16 between two ranks are compared and then about one in 16; all where
  /// rank 0 is in checked mode.  Ranks that differ in a call that is not compared, or where this is
  /// off, may wait for ever, or take the data of another call.  All ranks use rank 0's.
  bool compare_sizes = true;
  /// Parameters of the network, if they are known.  Collectives then take the algorithm with the
  /// least predicted time (cheapest_algorithm.hpp).  All ranks use rank 0's.  The environment
  /// variable PLAIT_NETWORK, a file that `model::read_parameters` takes, overrides this option.
  std::optional<model::parameters> network = {};
  /// Says whether a worker gives up one of the rank's cores, for a proxy that polls all the time
  /// while nothing else wants that core.  Needs 2 cores, and no number of workers.
  service_core service = service_core::never;
  /// Times of a step of this program on a node, where they were measured.  Then
  /// `progress_choice().reason` says whether giving up a worker would pay, by the model.
  std::optional<model::node_step> step = {};
};

/// Runs the program of one rank: submits compute tasks and messages in program order, and waits.
///
/// docs/use/promises.md has the promises.  In short, the result is that of running each task when
/// it was submitted and posting each message, non-blocking, when it was submitted.  Constructor and
/// destructor are collective, all other members are local.  One thread, the one that constructed
/// the runtime, calls its members.
class runtime final : public collective_calls, public one_sided_calls {
 public:
  /// Starts the workers and, if the policy has one, the proxy.  Collective.  Errors: usage_error
  /// for options out of range.
  explicit runtime(environment& env, const runtime_options& options = {});
  /// Waits as `wait` does.  An exception of a task that no `wait` has rethrown ends the job.
  /// Collective.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Submits `function(arguments...)`; see `scheduler::task`.
  template <class Function, class... Arguments>
  auto task(task_name name, Function&& function, Arguments&&... arguments) {
    return tasks().task(name, std::forward<Function>(function),
                        std::forward<Arguments>(arguments)...);
  }

  /// Waits until the program may read these; see `scheduler::wait_on`.  What a message brings
  /// counts too.
  template <class... X>
  void wait_on(X&&... x) {
    tasks().wait_on(std::forward<X>(x)...);
  }

  /// Sends what one access names, `in(x)`, to rank `peer` of `among` (left out: of all ranks): as
  /// soon as every earlier task that writes it has finished.  A box of an array, `in(u[cells])`,
  /// travels cell by cell, x fastest.  Where its cells do not lie side by side a task packs them
  /// first, and then the box may be written.  Meets the receive with the same sequence number for
  /// (communicator, this rank, tag).  The elements must be trivially
  /// copyable.  To `no_rank`, or MPI_PROC_NULL: nothing happens, and nothing is met.  Errors:
  /// usage_error for a peer or tag out of range, and for a communicator that is not this runtime's
  /// to use; `error`, when communication has been given up after a failed task.
  /// `counted(in(x), in(n))` sends as many elements as n says when the message starts; a count
  /// beyond the buffer is a usage_error at `wait`.
  template <class What>
  void send(task_name name, const What& what, int peer, int tag = 0,
            const communicator& among = {}) {
    submitter().message(detail::typed_send::describe(name, what, peer, tag), among);
  }

  /// Receives into what one access names, `out(x)`, from rank `peer` of `among`: posted as soon as
  /// every earlier task that touches it has finished.  A box whose cells do not lie side by side is
  /// written by a task when the message has come.  Errors: as `send`; at `wait`, an `error` when
  /// the message has another size.
  /// `counted(out(x), out(n))` takes any number of elements up to all of x, and n says how many
  /// came; from `no_rank` none.
  template <class What>
  void recv(task_name name, const What& what, int peer, int tag = 0,
            const communicator& among = {}) {
    submitter().message(detail::typed_receive::describe(name, what, peer, tag), among);
  }

  /// Carries out `plan`.  Each message is a task, and so is each packing, unpacking or copying of
  /// one block's cells.  Their accesses are the cells they touch.  So a neighbour's cells are
  /// released as they arrive, and cells leave as soon as they are final.  Several moves may be
  /// under way, of one plan too.  Returns at once.  All ranks submit the moves, and the collective
  /// operations, in the same order.  Precondition: no mover is under way with `plan`.  Errors: as
  /// `send`.
  ///
  ///     plait::move_plan ghosts = plait::ghosts_of(u);
  ///     rt.move(ghosts);
  void move(const move_plan& plan) { submitter().move(plan); }

  /// Makes a resource: `threads` threads of this rank, at least 1, that run the tasks submitted
  /// with
  /// `.target` of the resource and no others; see `scheduler::add_resource`.  Local.
  ///
  ///     const plait::resource io = rt.resource("io");
  ///     rt.task("write", write, in(block)).target(io);
  [[nodiscard]] plait::resource resource(std::string name, int threads = 1) {
    return tasks().add_resource(std::move(name), threads);
  }

  /// Adds something beside communication that finishes by itself later, and has to be polled for: a
  /// ring of requests to the kernel, a timer, another library.  Idle workers, workers between two
  /// tasks and the proxy poll it; see `scheduler::add_progress`.
  void add_progress(progress_source& source) { tasks().add_progress(source); }
  /// Returns when no thread uses the source any more; see `scheduler::remove_progress`.
  void remove_progress(progress_source& source) { tasks().remove_progress(source); }
  /// Has a sleeping worker and the proxy ask the sources again.  Any thread, and callbacks of other
  /// libraries; never blocks.
  void wake_pollers() noexcept { tasks().wake_pollers(); }

  /// Records the tasks and messages that `submit` submits, for `replay`; see `scheduler::record`.
  [[nodiscard]] graph record(const std::function<void()>& submit) { return tasks().record(submit); }

  /// Runs a recording `iterations` times; see `scheduler::replay`.  Its messages meet the peers' in
  /// the order in which they would have been submitted, whether the peers replay or not.
  ///
  ///     plait::graph sweep = rt.record([&] { step(u, v); step(v, u); });
  ///     rt.replay(sweep, 500).wait();
  runtime& replay(graph& recorded, std::uint64_t iterations);

  /// Returns when every task and message has finished.  Runs tasks and polls meanwhile.  Rethrows
  /// the first failure of a task or a message.  Tasks and messages that had not begun were dropped
  /// then, and this runtime communicates no more.
  void wait();

  /// Returns what submits calls whose types are forgotten, for bindings and for programs that make
  /// up their tasks as they run.
  [[nodiscard]] plait::submitter& submitter() noexcept;

  [[nodiscard]] environment& env() noexcept;
  [[nodiscard]] int workers() const noexcept;
  [[nodiscard]] std::size_t peak_tasks() const noexcept;

  /// Returns where the time of this rank's workers went since construction or the last
  /// `reset_ledger`.  Call when no task is in flight.
  [[nodiscard]] plait::ledger ledger() const;
  /// Returns where the time of the threads of a resource went; see `scheduler::ledger`.
  [[nodiscard]] plait::ledger ledger(const plait::resource& of) const;
  void reset_ledger();

  /// Returns the policy that drives communication, and the reason.
  [[nodiscard]] const engine::choice& progress_choice() const noexcept;
  [[nodiscard]] engine_statistics progress_statistics() const;
  /// Returns the parameters by which algorithms are chosen, the same on every rank.
  [[nodiscard]] const std::optional<model::parameters>& network() const noexcept;

  /// Traces tasks, waits and messages from now on.  Call when no task is in flight.
  void start_trace();
  /// Stops the trace and returns this rank's events, in seconds of its own clock (`now_ticks`).
  [[nodiscard]] std::vector<trace_event> stop_trace();

 private:
  explicit runtime(std::unique_ptr<runtime_state> self);
  [[nodiscard]] scheduler& tasks() noexcept;

  std::unique_ptr<runtime_state> self_;
};

/// Returns all ranks' events on rank 0, on rank 0's clock; empty elsewhere.  Collective.  Blocks.
[[nodiscard]] std::vector<trace_event> collect_events(environment& env,
                                                      std::vector<trace_event> events);

}  // namespace plait
