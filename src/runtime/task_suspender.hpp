// SPDX-License-Identifier: BSD-3-Clause
/// Lets blocking MPI calls suspend the tasks of one runtime.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <plait/comm/blocking_calls.hpp>
#include <plait/comm/engine.hpp>
#include <plait/task/scheduler.hpp>

#include "runtime/written/recorder.hpp"

namespace plait {

class task_suspender final : public blocking_calls {
 public:
  /// All outlive this.
  task_suspender(engine& messages, scheduler& tasks, std::optional<recorder>& record)
      : messages_(messages), tasks_(tasks), record_(record) {
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

  [[nodiscard]] bool wants_messages() const noexcept override {
    return record_.has_value() && record_->wants_dependences();
  }
  [[nodiscard]] engine* messages() noexcept override { return &messages_; }
  void completed(const blocking_message& one) override {
    if (!record_.has_value()) return;
    const std::uint64_t task = tasks_.calling_task();
    if (task == 0) return not_told("messages");
    record_->task_messaged(task, one, now_ticks());
  }
  void not_told(std::string_view calls) override {
    if (!record_.has_value()) return;
    const bool by_task = tasks_.calling_task() != 0;
    record_->not_told(std::string(calls) + (by_task ? "" : " of the program itself"));
  }

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
  std::optional<recorder>& record_;
};

}  // namespace plait
