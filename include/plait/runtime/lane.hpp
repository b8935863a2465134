// SPDX-License-Identifier: BSD-3-Clause
/// Messages that tasks submit: a lane is a sub-space of matching with an order of its own.
#pragma once

#include <string>
#include <utility>

#include <plait/comm/communicator.hpp>
#include <plait/core/error.hpp>
#include <plait/runtime/messages.hpp>
#include <plait/runtime/runtime.hpp>
#include <plait/runtime/submitter.hpp>
#include <plait/task/task_name.hpp>

namespace plait {

/// A named place where tasks send and receive.  A task that does so names the lane, `inout(lane)`,
/// and gets it as an argument:
///
///     plait::lane border{rt, "border"};                          // collective
///     rt.task("balance", [=](plait::lane& via, std::span<double> own) {
///       if (too_many(own)) via.send("surplus", in(own.last(n)), right);
///       …
///     }, inout(border, own));
///
/// Order.  Tasks that name one lane follow each other in program order, by their access to it.
/// Each submits its messages in the order of its calls.  So the k-th send on (lane, destination,
/// tag) meets the k-th receive from there in an order that all ranks know, whatever else the
/// program, other tasks and other lanes submit, and whenever the tasks run.
///
/// The messages of a task are part of the task, as tasks are that a task submits: its accesses
/// cover theirs, and it is finished when they are.  **The next task of the lane begins then.** So a
/// task of a lane must not wait for a message that a later task of the same lane makes possible;
/// messages that need each other go into one task, or into different lanes.
///
/// A task that names data commutative submits no messages: its turn is kept until they are over,
/// and no other rank knows when it comes.  Errors of the task then: usage_error.
///
/// A lane lives until the tasks that name it have finished.
class lane {
 public:
  /// True for objects that one task after the other uses: `commutative` does not name them.
  static constexpr bool keeps_program_order = true;

  /// Makes a lane of all ranks, or of those of `among`.  Collective; blocks, as
  /// `communicator::split` does.  Errors: usage_error in a task or a recording.
  lane(runtime& rt, std::string name, const communicator& among = {})
      : to_(rt.submitter()),
        ranks_((among.is_made() ? among : rt.env().world()).lane(std::move(name))) {
    to_.claim(ranks_);
  }
  /// Makes a lane on what `communicator::lane` has made, for programs with one runtime after the
  /// other.  Errors: usage_error for another communicator.
  lane(runtime& rt, const communicator& made) : to_(rt.submitter()), ranks_(made) {
    if (!made.is_lane()) throw usage_error("a lane needs a communicator that lane() has made");
    to_.claim(ranks_);
  }
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  /// Sends as `runtime::send`, from a task.  `in(x)` is what the task's own accesses cover.
  template <class What>
  void send(task_name name, const What& what, int peer, int tag = 0) {
    to_.message(detail::typed_send::describe(name, what, peer, tag), ranks_);
  }
  /// Receives as `runtime::recv`, from a task.  Tasks that the task submits afterwards wait for the
  /// message where they touch x; the task itself must not.
  template <class What>
  void recv(task_name name, const What& what, int peer, int tag = 0) {
    to_.message(detail::typed_receive::describe(name, what, peer, tag), ranks_);
  }

  [[nodiscard]] const std::string& name() const { return ranks_.name(); }
  [[nodiscard]] int rank() const { return ranks_.rank(); }
  [[nodiscard]] int size() const { return ranks_.size(); }

 private:
  submitter& to_;
  communicator ranks_;
};

}  // namespace plait
