// SPDX-License-Identifier: BSD-3-Clause
// Tasks that wait without keeping their worker.
#include <thread>

#include <plait/core/error.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::task_node;
using detail::worker;

/// Not to be inlined: a task may go on in another thread after `suspend`, and must look up that
/// thread's role.
[[gnu::noinline]] scheduler* scheduler::of_suspendable_task() noexcept {
  const detail::crew::role& role = detail::crew::here;
  if (role.of == nullptr || role.self->in_task.load(std::memory_order_relaxed) == nullptr)
    return nullptr;
  return role.facade->can_suspend() ? role.facade : nullptr;
}

bool scheduler::can_suspend() const noexcept {
  return self_->stacks.has_value();
}

[[gnu::noinline]] void scheduler::suspend(suspension& next) {
  PLAIT_EXPECTS(of_suspendable_task() == this, "only a task on a stack of its own suspends itself");
  worker& w = *detail::crew::here.self;
  w.then = &next;
  detail::access_checker* const checker = self_->watch.checker();
  detail::access_checker::body* const checked = checker != nullptr ? checker->suspend() : nullptr;
  w.running->stack->leave();
  if (checked != nullptr) checker->resume(checked);
}

/// By way of the inbox: suspended tasks are outside of the in-flight limit, which bounds the other
/// queues.
void scheduler::resume(task_node& node) {
  implementation& s = *self_;
  node.suspended.store(false, std::memory_order_relaxed);
  s.ready.add_outside(node);
}

bool scheduler::in_program() const noexcept {
  const implementation& s = *self_;
  const worker& w = s.threads.submitter();
  return std::this_thread::get_id() == s.submitter && !w.in_task && !w.in_loop;
}

void scheduler::work_until(const std::function<bool()>& done) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  const implementation::stay inside(s);
  // What `done` waits for need not wake this thread.
  const ticks longest_sleep = seconds_to_ticks(100e-6);
  bool over = false;
  s.work_until(
      s.threads.submitter(), [&] { return over = over || done(); }, longest_sleep);
}

}  // namespace plait
