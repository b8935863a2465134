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
#include <plait/model/parameters.hpp>
#include <plait/mover/move_plan.hpp>
#include <plait/runtime/collective_calls.hpp>
#include <plait/runtime/one_sided_calls.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/trace/event.hpp>

namespace plait {

class collective_agreement;

/// What a runtime shall not choose by itself.
struct runtime_options {
  /// Threads that run tasks on this rank, the calling one included.  0: this rank's fair share of
  /// the cores its affinity mask allows.
  int workers = 0;
  /// Promise 4: at most so many tasks in flight, not counting messages that have been started.
  std::size_t window = 4096;
  progress policy = progress::automatic;
  /// While messages are in flight, somebody looks after them at least so often.  Seconds.
  double worst_delay_s = engine_options{}.worst_delay_s;
  /// For measurements; see `engine_options`.  Seconds.
  double look_every_s = 0;
  disturbance disturb = {};
  /// Which replayed messages run on persistent MPI requests.
  persistence persistent_requests = persistence::where_faster;
  /// See `scheduler_options`.
  bool measured_priorities = true;
  /// Where plait::blocking_mpi is linked each task has a stack of so many bytes, of which only what
  /// it touches takes memory.  At least 16 KiB.
  std::size_t task_stack_bytes = std::size_t{1} << 20;
  /// When nothing has started or finished on this rank for so many seconds while it waits (in
  /// `wait`, or for room in the window), it reports once what it waits for, and goes on waiting: it
  /// may only be slow.  Seconds; 0 or less: never.  The environment variable PLAIT_STALL_REPORT_S
  /// has the last word.
  double stall_report_s = 30;
  /// End the job after the first report (and a second or less for other ranks to make theirs).
  bool stall_aborts = false;
  /// Takes the report instead of stderr.  Called on the thread that waits; must not submit or wait.
  std::function<void(const std::string&)> stall_sink = {};
  /// Whatever a task reads or writes is held against its accesses; what it has not declared is an
  /// access_error at `wait`.  Slow; one worker and progress::none, whatever else is said here.  The
  /// environment variable PLAIT_CHECKED (0 or 1) has the last word.  See docs/checked.md.
  bool checked = false;
  /// Ranks that name different sizes in a collective call find it by small messages beside the
  /// call, and `wait` throws an error that names both.  Off: such ranks may wait for ever, or take
  /// the data of another call; an allreduce of 8 bytes then takes about half the processor time.
  /// Rank 0's, on all ranks.
  bool compare_sizes = true;
  /// What the network costs, if it is known: then collectives take the algorithm with the least
  /// predicted time (cheapest_algorithm.hpp).  Rank 0's, on all ranks.  The environment variable
  /// PLAIT_NETWORK, a file that `model::read_parameters` takes, has the last word.
  std::optional<model::parameters> network = {};
};

/// The program of one rank: submits compute tasks and messages in program order, and waits.
///
/// What it promises is in docs/promises.md; in short: the result is that of running each task when
/// it was submitted and posting each message, non-blocking, when it was submitted.  Constructor and
/// destructor are collective, everything else is local.  One thread, the one that constructed it,
/// calls its members.
class runtime final : public collective_calls, public one_sided_calls {
 public:
  /// Collective.  Errors: usage_error for options out of range.
  explicit runtime(environment& env, const runtime_options& options = {});
  /// Collective.  Waits as `wait` does; an exception of a task nobody has waited for ends the job.
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
  /// soon as every earlier task that writes it has finished.  Meets the receive with the same place
  /// in the order of submission for (communicator, this rank, tag).  The elements must be trivially
  /// copyable.  To `no_rank`, or MPI_PROC_NULL: nothing happens, and nothing is met.  Errors:
  /// usage_error for a peer or tag out of range, and for a communicator that is not this runtime's
  /// to use; `error`, when communication has been given up after a failed task.
  template <class Access>
  void send(task_name name, const std::tuple<Access>& what, int peer, int tag = 0,
            const communicator& among = {}) {
    static_assert(Access::mode == access_mode::in, "a send reads its buffer: send(name, in(x), …)");
    expect_copyable<Access>();
    submit_message(name, {.what = operation::kind::send, .peer = peer, .tag = tag},
                   std::get<0>(what).bytes(), among);
  }

  /// Receives into what one access names, `out(x)`, from rank `peer` of `among`: posted as soon as
  /// every earlier task that touches it has finished.  Errors: as `send`; at `wait`, an `error`
  /// when the message has another size.
  template <class Access>
  void recv(task_name name, const std::tuple<Access>& what, int peer, int tag = 0,
            const communicator& among = {}) {
    static_assert(Access::mode == access_mode::out,
                  "a receive writes its buffer: recv(name, out(x), …)");
    expect_copyable<Access>();
    submit_message(name, {.what = operation::kind::receive, .peer = peer, .tag = tag},
                   std::get<0>(what).bytes(), among);
  }

  /// Carries out `plan`: each message, and what packs, unpacks or copies the cells of one block, is
  /// a task whose accesses are the cells it touches.  So what one neighbour sends is released as it
  /// arrives, what is sent leaves as soon as it is final, and several moves may be under way, of
  /// one plan too.  Returns at once.  All ranks submit the moves, and the collective operations, in
  /// the same order.  Precondition: no mover is under way with `plan`.  Errors: as `send`.
  ///
  ///     plait::move_plan ghosts = plait::ghosts_of(u);
  ///     rt.move(ghosts);
  void move(const move_plan& plan);

  /// Keeps the tasks and messages that `submit` submits, for `replay`; see `scheduler::record`.
  [[nodiscard]] graph record(const std::function<void()>& submit) { return tasks().record(submit); }

  /// Runs what was recorded `iterations` times; see `scheduler::replay`.  Its messages meet the
  /// peers' in the order in which they would have been submitted, whether the peers replay or not.
  ///
  ///     plait::graph sweep = rt.record([&] { step(u, v); step(v, u); });
  ///     rt.replay(sweep, 500).wait();
  runtime& replay(graph& recorded, std::uint64_t iterations);

  /// Returns when every task and message has finished; works and progresses meanwhile.  Rethrows
  /// the first failure of a task or a message; then what had not begun was dropped, and this
  /// runtime communicates no more.
  void wait();

  [[nodiscard]] environment& env() noexcept;
  [[nodiscard]] int workers() const noexcept;
  [[nodiscard]] std::size_t peak_tasks() const noexcept;

  /// Where the time of this rank's workers went since construction or the last `reset_ledger`.
  /// Call when no task is in flight.
  [[nodiscard]] plait::ledger ledger() const;
  void reset_ledger();

  /// Who drives communication, and why.
  [[nodiscard]] const engine::choice& progress_choice() const noexcept;
  [[nodiscard]] engine_statistics progress_statistics() const;
  /// What algorithms are chosen by, the same on every rank.
  [[nodiscard]] const std::optional<model::parameters>& network() const noexcept;

  /// Records tasks, waits and messages from now on.  When no task is in flight.
  void start_trace();
  /// Stops and returns this rank's events, in seconds of its own clock (`now_ticks`).
  [[nodiscard]] std::vector<trace_event> stop_trace();

 private:
  template <class Access>
  static constexpr void expect_copyable() {
    using argument = decltype(std::declval<const Access&>().argument());
    static_assert(message_element_is_copyable<argument>(),
                  "the elements of a message must be trivially copyable");
  }
  template <class Argument>
  static constexpr bool message_element_is_copyable() {
    using object = std::remove_cvref_t<Argument>;
    if constexpr (std::ranges::contiguous_range<object>) {
      return std::is_trivially_copyable_v<std::ranges::range_value_t<object>>;
    } else {
      return std::is_trivially_copyable_v<object>;
    }
  }
  /// A send or a receive of these bytes.  `keeps` lives as long as the message.
  void submit_message(task_name name, operation message, byte_range bytes,
                      const communicator& among, std::shared_ptr<const void> keeps = {});
  /// Whose task owns `op.call`, unless this throws.  `op.remote` may be a copy of the caller's;
  /// `home` keeps its window alive.
  void submit_operation(task_name name, operation op, std::span<const detail::data_access> accesses,
                        const std::shared_ptr<exposed_memory>& home, const communicator& among,
                        std::shared_ptr<const void> keeps = {});
  /// Errors: those of a message that is submitted where none may be.
  void expect_may_communicate(task_name name, const operation& op);
  void submit(const collective_call& call) override;
  /// Throws what the first message among these ranks would.
  void claim(const communicator& among);
  [[nodiscard]] bool is_checked() const noexcept;
  [[nodiscard]] bool compares_sizes() const noexcept;
  [[nodiscard]] collective::algorithm choose(const collective::shape& shape, bool commutative);
  [[nodiscard]] collective::algorithm algorithm_of(const collective_call& call,
                                                   const collective::shape& shape);
  void expect_to_be_ours(const collective_call& call, const communicator& among);
  void submit_to_library(const collective_call& call, const collective::shape& shape,
                         const communicator& among);
  /// The tasks and messages of one rank in a collective.  `messages`: what these have in common.
  void submit_steps(const collective_call& call, const collective::schedule& steps,
                    const operation& messages, const communicator& among);
  /// Messages beside the call, by which ranks see that they name different sizes.  Null: of one
  /// rank.
  std::shared_ptr<collective_agreement> submit_agreement(const collective_call& call,
                                                         const collective::shape& shape,
                                                         std::optional<collective::algorithm> how,
                                                         const communicator& among);
  void submit(const one_sided_call& call, std::span<const detail::data_access> also) override;
  [[nodiscard]] std::shared_ptr<exposed_memory> expose(void* begin, std::size_t size_bytes,
                                                       const window_options& options) override;
  void end(exposed_memory& memory) override;
  void wait_for_all_ranks();
  [[nodiscard]] std::size_t ranks_of(const communicator& among) const override;
  [[nodiscard]] scheduler& tasks() noexcept;

  struct implementation;
  std::unique_ptr<implementation> self_;
};

/// Collective.  All ranks' events on rank 0, on rank 0's clock; empty elsewhere.  Blocks.
[[nodiscard]] std::vector<trace_event> collect_events(environment& env,
                                                      std::vector<trace_event> events);

}  // namespace plait
