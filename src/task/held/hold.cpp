// SPDX-License-Identifier: BSD-3-Clause
// Tasks that others finish.
//
// What a foreign thread does.  `release` subtracts one from `family::unfinished`.  If others are
// left, that is all: the thread knows nothing of the family any more.  If the count is 0, the
// thread is alone with the parent: it sets `concluding` and pushes the node to the inbox of the
// workers, without a lock.  The push and the exchange that takes it order everything that was
// written before.  A worker takes the node from there and finishes the task.
//
// Why the scheduler lives as long as the call.  As soon as the node is pushed the task may be
// finished, and with it all that the submitting thread waits for.  `releasing` counts the calls
// from before the subtraction until they touch nothing more, and `close` waits until it is 0.
// Whoever sees the end of the task sees the raise too: the raise comes before the subtraction
// (release), which comes before the end.
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include <plait/core/error.hpp>
#include <plait/task/hold.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::family;
using detail::task_node;
using detail::worker;

family& scheduler::implementation::family_of(task_node& parent, worker& w) {
  if (parent.children == nullptr) {
    parent.children = &held.families.take(w);
    parent.children->parent = &parent;
    parent.children->home = this;
    w.time.stop_passing();
  }
  return *parent.children;
}

/// Any thread.
void scheduler::implementation::let_go(family& of) noexcept {
  held.releasing.fetch_add(1, std::memory_order_relaxed);
  of.open_holds.fetch_sub(1, std::memory_order_relaxed);
  if (of.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    task_node& parent = *of.parent;
    parent.care |= task_node::concluding;
    const bool is_for_anyone = parent.where == task_node::anyone;
    ready.add_for_workers(parent);
    if (is_for_anyone && wake_helper) wake_helper();
  }
  held.releasing.fetch_sub(1, std::memory_order_release);
}

/// The function of the task has returned and holds are open.
void scheduler::implementation::begin_held(family& of) {
  held.tasks.add(of, [this](ticks when) { return sources.in_flight_until(when); });
  watch.held_begins(*of.parent);
}

/// All that kept the task unfinished is over.  The thread that finishes it.
void scheduler::implementation::end_family(task_node& parent, worker& w) {
  family& of = *std::exchange(parent.children, nullptr);
  parent.suspended.store(false, std::memory_order_relaxed);
  if (of.held_since != 0) {
    const auto [since, until] =
        held.tasks.remove(of, [this](ticks when) { return sources.in_flight_until(when); });
    watch.held_ended(parent, w, since, until);
  }
  if (of.has_failed.load(std::memory_order_relaxed))
    parent.act(parent, detail::node_action::disown);
  held.families.give(of);
}

/// Not to be inlined: see `scheduler::of_suspendable_task`.
[[gnu::noinline]] hold scheduler::hold_of_calling_task(bool counts) {
  const detail::crew::role role = detail::crew::this_role();
  PLAIT_EXPECTS(role.of != nullptr && role.self->in_task.load(std::memory_order_relaxed) != nullptr,
                "a hold is made by the task that it holds");
  implementation& s = *role.facade->self_;
  family& of = s.family_of(*role.self->in_task.load(std::memory_order_relaxed), *role.self);
  of.has_holds = true;
  of.counts = of.counts || counts;
  of.open_holds.fetch_add(1, std::memory_order_relaxed);
  of.unfinished.fetch_add(1, std::memory_order_relaxed);
  return hold(of);
}

hold hold::of_calling_task(bool counts) {
  return scheduler::hold_of_calling_task(counts);
}

hold hold::another() const {
  PLAIT_EXPECTS(is_open(), "the hold is open");
  of_->open_holds.fetch_add(1, std::memory_order_relaxed);
  of_->unfinished.fetch_add(1, std::memory_order_relaxed);
  return hold(*of_);
}

void hold::release() noexcept {
  PLAIT_EXPECTS(is_open(), "a hold is released or failed once");
  family& of = *std::exchange(of_, nullptr);
  of.home->let_go(of);
}

void hold::fail(std::exception_ptr why) noexcept {
  PLAIT_EXPECTS(is_open(), "a hold is released or failed once");
  PLAIT_EXPECTS(why != nullptr, "a hold is failed with an exception");
  family& of = *std::exchange(of_, nullptr);
  of.has_failed.store(true, std::memory_order_relaxed);
  of.home->record_failure(std::move(why), of.parent);
  of.home->let_go(of);
}

hold::~hold() {
  if (of_ == nullptr) return;
  // The function throws: that is the failure of the task, and is noted after this.
  if (std::uncaught_exceptions() > 0 && of_->home->calling_task() == of_->parent) {
    release();
    return;
  }
  try {
    fail(std::make_exception_ptr(error(detail::first_failure::place_of(*of_->parent) +
                                       ": its hold was dropped, neither released nor failed")));
  } catch (...) {
    fail(std::current_exception());
  }
}

const void* hold::owner() const noexcept {
  return of_ != nullptr ? of_->home->facade : nullptr;
}

// --- beside communication ------------------------------------------------------------------------

void scheduler::add_progress(progress_source& source) {
  self_->expect_submitting_thread();
  self_->sources.add(source);
  wake_pollers();
}

void scheduler::remove_progress(progress_source& source) {
  self_->expect_submitting_thread();
  self_->sources.remove(source);
}

void scheduler::wake_pollers() noexcept {
  implementation& s = *self_;
  s.ready.wake_two();
  if (s.wake_helper) s.wake_helper();
}

ticks scheduler::help_and_poll() {
  implementation& s = *self_;
  (void)s.sources.poll_added();
  while (help()) continue;
  return s.sources.added_due_at();
}

}  // namespace plait
