// SPDX-License-Identifier: BSD-3-Clause
/// Keeps a task that is about to be submitted: what `scheduler::task` returns.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/detail/stored_call.hpp>
#include <plait/task/event.hpp>
#include <plait/task/resource.hpp>
#include <plait/task/scheduler.hpp>

namespace plait {

/// A task about to be submitted, which happens at the end of the full expression.
template <class Call>
class [[maybe_unused]] submission {
 public:
  submission(scheduler& owner, detail::task_node& node) noexcept : owner_(owner), node_(node) {}
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;
  ~submission() noexcept(false) {
    if (!submitted_) owner_.submit(node_);
  }

  /// Runs the task before ready tasks of a lower priority.  Of a recorded task: instead of what is
  /// measured.
  submission& priority(plait::priority urgency) noexcept {
    node_.urgency = urgency;
    if (node_.recorded != nullptr) node_.recorded->urgency_given = true;
    return *this;
  }

  /// The task calls MPI, and blocks there: it is run before others, as with `priority(high)`, so
  /// that its transfer begins early, and suspended until that is over.  [MPI/SMPSs, section 2.2,
  /// target(comm_thread)]  Errors: usage_error where nothing can suspend it, because
  /// plait::blocking_mpi is not linked; then the task is dropped.
  submission& target(comm_target where);

  /// Lets a thread of `where` run the task, and no worker.  In all else the task is like any other:
  /// it has accesses, may be recorded, may fail, may submit tasks.  Errors: usage_error for a
  /// resource that another runtime has made, or none; then the task is dropped.
  submission& target(const resource& where);

  /// Lets the proxy run the task where a message that the proxy has completed makes the task ready.
  /// Otherwise a worker runs it, after the task that the worker is in.  For short tasks on which
  /// messages depend, such as the sums of a reduction: while the proxy runs one, it does not look.
  ///
  ///     rt.recv("theirs", out(theirs), partner);
  ///     rt.task("add", add, in(theirs), inout(mine)).target(plait::anyone);
  ///     rt.send("ours", in(mine), next);
  submission& target(anyone_target) noexcept {
    owner_.assign(node_, anyone);
    return *this;
  }

  /// Takes the task out of the in-flight limit, as a message that has been started is.  For layers
  /// above whose task waits for such a message.
  submission& uncounted() noexcept {
    owner_.count_out(node_);
    return *this;
  }

  /// Accesses that are declared but not passed to the function: for data it reaches another way,
  /// such as the rows of a block.
  ///
  ///     auto t = rt.task("relax", relax, …);              // submitted at the end of its scope
  ///     for (auto row : rows) t.also(in(row));
  template <class... Access>
  submission& also(const std::tuple<Access...>& accesses) {
    static_assert((is_access<Access> && ...), "also() takes what in(), out() and inout() make");
    static_assert((!detail::is_reduction<Access> && ...), "a reduction is passed to the function");
    static_assert((!Access::is_on_device && ...),
                  "a device orders its queues by the memory that is passed to the function");
    std::apply([this](const auto&... a) { (owner_.add(node_, a), ...); }, accesses);
    return *this;
  }

  /// Declares an access whose type is forgotten.  Not of a reduction.
  submission& also(const data_access& one) {
    owner_.add_box(node_, one.memory, one.mode);
    return *this;
  }

  /// Submits the task now; its end and what it returns, to be waited for.  Errors: usage_error for
  /// a task that is being recorded, which runs many times.
  ///
  ///     auto residual = rt.task("norm", norm, in(u)).result();
  ///     if (residual.get() < tolerance) …
  [[nodiscard]] auto result();

 private:
  /// The task runs as nothing.
  void drop() noexcept {
    node_.act(node_, detail::node_action::destroy);
    node_.act = [](detail::task_node&, detail::node_action) {};
  }

  scheduler& owner_;
  detail::task_node& node_;
  bool submitted_ = false;
};

template <class Call>
submission<Call>& submission<Call>::target(comm_target) {
  if (!owner_.can_suspend()) {
    drop();
    throw usage_error(std::string("task '") + node_.name +
                      "' has target(comm), and nothing here can suspend it: link "
                      "plait::blocking_mpi");
  }
  return priority(high);
}

template <class Call>
submission<Call>& submission<Call>::target(const resource& where) {
  try {
    owner_.assign(node_, where);
  } catch (...) {
    drop();
    throw;
  }
  return *this;
}

template <class Call>
auto submission<Call>::result() {
  PLAIT_EXPECTS(!submitted_, "result() is called once");
  if (node_.recorded != nullptr) {
    throw usage_error(std::string("task '") + node_.name +
                      "' is being recorded and will run many times: it has no result; let it write "
                      "to a variable");
  }
  Call& stored = detail::stored_call<Call>(node_);
  using value = std::decay_t<decltype(stored.run())>;
  auto state = std::make_shared<detail::result_state<value>>(owner_);
  detail::call_with_result<Call, value> call(std::move(stored), state);
  node_.act(node_, detail::node_action::destroy);
  node_.act = [](detail::task_node&, detail::node_action) {};  // if it cannot be stored
  detail::store_call(node_, std::move(call));
  submitted_ = true;
  owner_.submit(node_);
  return event<value>(std::move(state));
}

}  // namespace plait
