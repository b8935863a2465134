// SPDX-License-Identifier: BSD-3-Clause
/// Submits tasks, messages, collectives, operations on windows and moves whose types are forgotten:
/// what bindings for other languages call, and what the templates of `runtime` are written over.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <plait/comm/communicator.hpp>
#include <plait/comm/operation.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/runtime/collective_options.hpp>
#include <plait/runtime/one_sided_options.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/event.hpp>
#include <plait/task/graph.hpp>
#include <plait/task/resource.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

class move_plan;
struct runtime_state;

/// One compute task, its types forgotten.
struct task_call {
  task_name name;
  /// Runs the task: once, and in a recording once an iteration.
  void (*run)(void* argument) = nullptr;
  void* argument = nullptr;
  /// Says how many bytes at `argument` the task copies, aligned to 16; `run` and `release` get the
  /// copy, in a recording the same one in every iteration.  Up to `small_argument_bytes` the copy
  /// costs nothing more, without `release` and `ended`.  0: they get `argument` itself.
  std::size_t argument_bytes = 0;
  static constexpr std::size_t small_argument_bytes = 112;
  /// Called once, after the last run: also where the task is dropped or refused.  May be null.
  void (*release)(void* argument) = nullptr;
  /// Memory that the task touches: ranges, `strided_bytes::of`, or boxes.  Read during the call.
  std::span<const data_access> accesses = {};
  /// Left out: normal, or in a recording as measured.
  std::optional<plait::priority> urgency = {};
  /// The task calls MPI and blocks there; see `submission::target`.
  bool blocks_in_mpi = false;
  /// Resource whose threads run the task; null: workers do.  Read during the call.
  const resource* where = nullptr;
  /// The proxy may run the task too, as with `target(anyone)`.  No effect if `where` is given.
  bool for_anyone = false;
  /// Place for the handle of the task's end; null: nobody asks for it.
  std::optional<event<void>>* ended = nullptr;
};

/// One message, its types forgotten.
struct message_call {
  task_name name;
  operation::kind what = operation::kind::send;  ///< or receive
  /// A range, or a box, which travels cell by cell, the first axis fastest.
  strided_bytes memory = {};
  int peer = 0;
  int tag = 0;
  /// Number of elements, for a message whose length is fixed when it starts; null: all of `memory`.
  /// A send reads the number when it starts.  A receive takes up to all of `memory`, and writes the
  /// number that came.  Precondition, unless null: `memory` is a range.
  std::size_t* count = nullptr;
  std::size_t element_bytes = 1;  ///< what `count` counts
  /// Container whose elements `memory` is, if any: a replay refuses the message once these lie
  /// elsewhere.
  detail::container elements_of = {};
};

/// Submits to one runtime.  Calls follow program order together with those of the runtime's
/// templates, and promise the same.  Belongs to its runtime, `runtime::submitter`.  The thread that
/// constructed the runtime calls it, except for `task`, which tasks call too.
///
///     void scale(void* block) { … }                                    // a C function
///     const plait::data_access whole{plait::strided_bytes::of(bytes), plait::access_mode::inout};
///     rt.submitter().task({.name = "scale", .run = scale, .argument = block,
///                          .accesses = {&whole, 1}});
class submitter {
 public:
  explicit submitter(runtime_state& of) noexcept : state_(of) {}
  submitter(const submitter&) = delete;
  submitter& operator=(const submitter&) = delete;

  /// Submits a compute task; see `scheduler::task`.  Errors: usage_error without a function, for a
  /// reduction (a sum into shared memory is commutative), for a resource of another runtime, for a
  /// recorded task whose end is asked for, and where nothing can suspend a task that blocks in MPI.
  void task(const task_call& call);

  /// Submits a send or a receive; see `runtime::send` and `runtime::recv`.  On a lane, which
  /// `communicator::lane` makes and `claim` prepares: inside tasks, and only there; see `lane`.
  void message(const message_call& call, const communicator& among = {});
  /// Makes a communicator this runtime's; its first message does so too, but on a lane.  Errors:
  /// those of a message among its ranks; usage_error in a task or a recording.
  void claim(const communicator& among);

  /// Submits a collective operation; see `collective_calls`.
  void collective(const collective_call& call);

  /// Submits an operation on a window; see `one_sided_calls`.
  void one_sided(const one_sided_call& call);

  /// Submits the messages and copies of a plan; see `runtime::move`.
  void move(const move_plan& plan);

  /// Opens memory of this rank to operations of the others, and ends that; see
  /// `one_sided_calls::window`.  Collective.
  [[nodiscard]] std::shared_ptr<exposed_memory> expose(const window_part& part,
                                                       const window_options& options);
  void end(exposed_memory& memory);

  /// See `scheduler::wait_while` and `scheduler::has_room`.
  [[nodiscard]] bool wait_while(const std::function<bool()>& go_on);
  [[nodiscard]] bool has_room() const noexcept;
  /// Returns when every earlier task that writes this memory has finished; see `runtime::wait_on`.
  void wait_on(std::span<const strided_bytes> memory);

  /// Records what is submitted between these two, for `runtime::replay`; see
  /// `scheduler::begin_record`.
  void begin_record();
  std::optional<graph> end_record(bool keep = true);

  // Returns where the calling thread is: bindings refuse a call from elsewhere, which would break a
  // precondition.  Any thread.
  /// Returns whether the call comes from the thread that constructed the runtime, outside of tasks.
  [[nodiscard]] bool in_program() const noexcept;
  /// Returns whether the call comes from a task of this runtime.
  [[nodiscard]] bool in_task() const noexcept;
  /// Returns whether something is being recorded.  The thread that constructed the runtime.
  [[nodiscard]] bool recording() const noexcept;

  /// Returns the number of ranks of a communicator; left out: of all.
  [[nodiscard]] std::size_t ranks_of(const communicator& among) const;

 private:
  runtime_state& state_;
};

}  // namespace plait
