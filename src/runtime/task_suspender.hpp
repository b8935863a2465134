// SPDX-License-Identifier: BSD-3-Clause
/// Lets blocking MPI calls suspend the tasks of one runtime.
#pragma once

#include <functional>

#include <plait/comm/blocking_calls.hpp>
#include <plait/comm/engine.hpp>
#include <plait/task/scheduler.hpp>

namespace plait {

class task_suspender final : public blocking_calls {
 public:
  task_suspender(engine& messages, scheduler& tasks) : messages_(messages), tasks_(tasks) {
    install(*this);
  }
  ~task_suspender() override { remove(*this); }
  task_suspender(const task_suspender&) = delete;
  task_suspender& operator=(const task_suspender&) = delete;

  [[nodiscard]] caller who_calls() const noexcept override {
    if (scheduler::of_suspendable_task() == &tasks_) return caller::task;
    return tasks_.in_program() ? caller::program : caller::elsewhere;
  }
  void lock() override { messages_.lock(); }
  void unlock() override { messages_.unlock(); }

  [[nodiscard]] bool suspend_until(awaited& what) override {
    waiting_task waiting{{.finished = ask, .completed = go_on, .requests = what.requests},
                         {watch},
                         &what,
                         this,
                         nullptr};
    tasks_.suspend(waiting);
    return !waiting.given_up;
  }

  void work_until(const std::function<bool()>& done) override { tasks_.work_until(done); }

 private:
  /// On the stack of the task, which stays where it is.
  struct waiting_task : awaited, suspension {
    awaited* what;
    task_suspender* owner;
    detail::task_node* node;
  };
  static void watch(suspension& self, detail::task_node& node) {
    auto& waiting = static_cast<waiting_task&>(self);
    waiting.node = &node;
    waiting.owner->messages_.watch(waiting);
  }
  static bool ask(awaited& self) {
    awaited& what = *static_cast<waiting_task&>(self).what;
    return what.finished(what);
  }
  static void go_on(awaited& self) noexcept {
    const auto& waiting = static_cast<waiting_task&>(self);
    waiting.owner->tasks_.resume(*waiting.node);
  }

  engine& messages_;
  scheduler& tasks_;
};

}  // namespace plait
