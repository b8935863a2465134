// SPDX-License-Identifier: BSD-3-Clause
/// Joins tasks to communication: a message is a task like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/comm/progress_policy.hpp>
#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>
#include <plait/model/parameters.hpp>
#include <plait/model/service_core.hpp>
#include <plait/mover/move_plan.hpp>
#include <plait/runtime/collective_calls.hpp>
#include <plait/runtime/device_tasks.hpp>
#include <plait/runtime/messages.hpp>
#include <plait/runtime/one_sided_calls.hpp>
#include <plait/runtime/service_core.hpp>
#include <plait/runtime/staged_message.hpp>
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
  /// Devices of this rank, such as `cuda_devices()` or `emulated_devices()` makes.  The
  /// environment variable PLAIT_DEVICE, "cuda", "hip", "opencl" or what `emulated_options_of`
  /// reads, overrides this option.
  std::vector<device> devices = {};
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

  /// Submits `function(arguments...)`; see `scheduler::task`.  With `on(gpu)` among the arguments
  /// the function enqueues commands of a device, and the task is finished when it has; what a later
  /// task of the same device names is in order there, by queues, without the host.
  template <class Function, class... Arguments>
  auto task(task_name name, Function&& function, Arguments&&... arguments) {
    if constexpr ((detail::is_on_device<Arguments> || ...)) {
      static_assert((!detail::reduces<std::remove_cvref_t<Arguments>> && ...),
                    "a task on a device cannot reduce: its part would be added before its kernels "
                    "have run");
      return tasks().task(name,
                          detail::enqueued_call<std::decay_t<Function>>(
                              std::forward<Function>(function), name.c_str()),
                          std::forward<Arguments>(arguments)...);
    } else {
      static_assert((!detail::is_of_devices<std::remove_cvref_t<Arguments>> && ...),
                    "memory of a device is for tasks on it: task(name, function, on(gpu), …)");
      return tasks().task(name, std::forward<Function>(function),
                          std::forward<Arguments>(arguments)...);
    }
  }

  /// Copies elements between memory of the host and of a device, or on and between devices, as a
  /// task of that name: `copy("edge", in(v.part(0, n)), out(edge))`.  What is named of the host is
  /// contiguous.  Tasks of the host that name the result start after the copy.  A copy within a
  /// device is in the order of its queues, as a kernel is.  Errors: usage_error for different
  /// sizes.
  template <class From, class To>
  void copy(task_name name, const std::tuple<From>& from, const std::tuple<To>& to) {
    static_assert(From::mode == access_mode::in && To::mode == access_mode::out,
                  "a copy reads its first memory and writes its second: copy(name, in(x), out(y))");
    static_assert(From::is_on_device || To::is_on_device,
                  "one of the two is memory of a device; a task copies between memories of the "
                  "host");
    copy_bytes(name, detail::copied<const std::byte>(std::get<0>(from)),
               detail::copied<std::byte>(std::get<0>(to)));
  }

  /// Waits until the program may read these; see `scheduler::wait_on`.  What a message brings
  /// counts too.  Not of a device's memory: copy it, and wait for the copy.
  template <class... X>
  void wait_on(X&&... x) {
    static_assert(!(device_view<std::remove_cvref_t<X>> || ...) &&
                      !(detail::device_elements<std::remove_reference_t<X>> || ...),
                  "the program reads no memory of a device: copy it, and wait on the copy");
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
  /// beyond the buffer is a usage_error at `wait`.  What lies in a device's memory is copied to the
  /// host first; in parts, if `.parts(n)` follows (staged_message.hpp); usage_error in a task.
  template <class What>
  auto send(task_name name, const What& what, int peer, int tag = 0,
            const communicator& among = {}) {
    if constexpr (detail::is_of_device<What>) {
      using named = std::tuple_element_t<0, What>;
      detail::typed_send::expect_fits<named>();
      return staged_message<const std::byte>(
          *self_, name, detail::copied<const std::byte>(std::get<0>(what)), peer, tag, among);
    } else {
      submitter().message(detail::typed_send::describe(name, what, peer, tag), among);
    }
  }

  /// Receives into what one access names, `out(x)`, from rank `peer` of `among`: posted as soon as
  /// every earlier task that touches it has finished.  A box whose cells do not lie side by side is
  /// written by a task when the message has come.  Errors: as `send`; at `wait`, an `error` when
  /// the message has another size.
  /// `counted(out(x), out(n))` takes any number of elements up to all of x, and n says how many
  /// came; from `no_rank` none.  What goes to a device's memory comes to the host first, in the
  /// sender's number of `.parts(n)`; usage_error in a task.
  template <class What>
  auto recv(task_name name, const What& what, int peer, int tag = 0,
            const communicator& among = {}) {
    if constexpr (detail::is_of_device<What>) {
      using named = std::tuple_element_t<0, What>;
      detail::typed_receive::expect_fits<named>();
      return staged_message<std::byte>(*self_, name, detail::copied<std::byte>(std::get<0>(what)),
                                       peer, tag, among);
    } else {
      submitter().message(detail::typed_receive::describe(name, what, peer, tag), among);
    }
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

  /// Returns when every task and message has finished, and devices have done what tasks enqueued.
  /// Runs tasks and polls meanwhile.  Rethrows
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
  /// Returns where the time of a device went, since it was made or the last `reset_ledger`.
  /// Precondition: the device exists.
  [[nodiscard]] device_ledger ledger(const device& of) const;
  void reset_ledger();

  /// Returns this rank's devices.
  [[nodiscard]] const std::vector<device>& devices() const noexcept;

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
  void copy_bytes(task_name name, device_span<const std::byte> from, std::span<std::byte> to);
  void copy_bytes(task_name name, std::span<const std::byte> from, device_span<std::byte> to);
  void copy_bytes(task_name name, device_span<const std::byte> from, device_span<std::byte> to);

  std::unique_ptr<runtime_state> self_;
};

/// Returns all ranks' events on rank 0, on rank 0's clock; empty elsewhere.  Collective.  Blocks.
[[nodiscard]] std::vector<trace_event> collect_events(environment& env,
                                                      std::vector<trace_event> events);

}  // namespace plait
