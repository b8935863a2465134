// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a scheduler, and what it tells about itself.
#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/task/topology.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

using detail::worker;

namespace {

constexpr int most_workers = 4096;
constexpr std::size_t largest_limit = std::size_t{1} << 24;

[[nodiscard]] int checked_workers(int wanted) {
  if (wanted < 0 || wanted > most_workers) {
    throw usage_error("workers is " + std::to_string(wanted) + "; it can be 0 (one a core) to " +
                      std::to_string(most_workers));
  }
  return wanted > 0 ? wanted : discover_topology().usable_cores;
}

[[nodiscard]] std::size_t checked_limit(std::size_t wanted) {
  if (wanted > largest_limit) {
    throw usage_error("in_flight is " + std::to_string(wanted) + "; it can be 0 (" +
                      std::to_string(scheduler_options::usual_in_flight) + ") to " +
                      std::to_string(largest_limit));
  }
  return wanted > 0 ? wanted : scheduler_options::usual_in_flight;
}

/// Accesses are checked for one task at a time.
[[nodiscard]] int workers_to_run(const scheduler_options& options) {
  const int count = checked_workers(options.workers);
  return scheduler::checks_accesses(options.checked) ? 1 : count;
}

[[nodiscard]] detail::ready_queue::takers takers_of(int workers) {
  using enum detail::ready_queue::takers;
  return workers > 1 ? any_thread : owner;
}

[[nodiscard]] ticks stall_ticks(double seconds) {
  constexpr double for_ever_s = 1e9;  // and ticks of this many seconds do not overflow
  return seconds > 0 && seconds < for_ever_s ? seconds_to_ticks(seconds) : progress_source::never;
}

}  // namespace

scheduler::implementation::implementation(const scheduler_options& options)
    : progress(options.progress),
      in_flight(checked_limit(options.in_flight)),
      oversubscribed(options.oversubscribed),
      measured_priorities(options.measured_priorities),
      stalled(options.stalled),
      stall_period(stalled != nullptr ? stall_ticks(options.stall_report_s)
                                      : progress_source::never),
      worker_count(workers_to_run(options)),
      fresh(in_flight, takers_of(worker_count)) {
  const bool checked = checks_accesses(options.checked);
  if (checked) {
    checker = std::make_unique<detail::access_checker>(
        [this](std::exception_ptr error) { record_failure(std::move(error)); });
  }
  constexpr std::size_t usual_stack_bytes = std::size_t{8} << 20;
  if (options.task_stack_bytes > 0) {
    stacks.emplace(options.task_stack_bytes);
  } else if (checked) {
    stacks.emplace(usual_stack_bytes);
  }
  for (int i = 0; i < worker_count; ++i) {
    workers.push_back(std::make_unique<worker>(i, in_flight, takers_of(worker_count)));
    workers.back()->random = 0x9E3779B97F4A7C15U * static_cast<std::uint64_t>(i + 1);
  }
}

scheduler::scheduler(scheduler_options options) : self_(std::make_unique<implementation>(options)) {
  implementation::role = {self_.get(), this, self_->workers.front().get()};
  (void)seconds_per_tick();  // calibrate before anything is timed
  reset_ledger();
  try {
    for (std::size_t i = 1; i < self_->workers.size(); ++i) {
      worker& w = *self_->workers[i];
      w.thread = std::thread([this, &w] { self_->worker_loop(*this, w); });
    }
  } catch (...) {
    close();  // joins those that did start
    throw;
  }
}

scheduler::~scheduler() {
  close();
}

void scheduler::close() {
  implementation& s = *self_;
  if (s.stopping.load(std::memory_order_relaxed)) return;
  const bool unwinding = std::uncaught_exceptions() > s.exceptions_at_start;
  if (unwinding) s.record_failure(nullptr);
  try {
    wait();
  } catch (...) {
    std::fprintf(stderr, "plait: %s: an exception of a task was never waited for: %s\n",
                 process_label().c_str(), exception_text(std::current_exception()).c_str());
    if (!unwinding) detail::abort_job();
  }
  s.stopping.store(true, std::memory_order_seq_cst);
  s.worker_events.notify_all();
  for (auto& w : s.workers) {
    if (w->thread.joinable()) w->thread.join();
  }
  s.for_each_resource([](detail::resource_threads& one) { one.stop(); });
  if (implementation::role.owner == self_.get()) implementation::role = {};
}

// --- what it knows -------------------------------------------------------------------------------

int scheduler::workers() const noexcept {
  return static_cast<int>(self_->workers.size());
}
std::size_t scheduler::in_flight_limit() const noexcept {
  return self_->in_flight;
}
std::size_t scheduler::peak_tasks() const noexcept {
  return self_->peak;
}

void scheduler::observe(task_observer* observer) {
  self_->expect_submitting_thread();
  PLAIT_EXPECTS(self_->total(&detail::counters::finished) == self_->submitted,
                "an observer is set when no task is in flight");
  self_->entered();
  self_->observer = observer;
  self_->time().left();
  if (observer == nullptr) return;
  self_->for_each_resource([this](const auto& one) { self_->tell_threads(one); });
}

plait::ledger scheduler::ledger() const {
  plait::ledger result;
  for (const auto& w : self_->workers)
    result.push_back(implementation::entry_of(w->index, w->time, self_->in_flight_until()));
  return result;
}

void scheduler::reset_ledger() {
  for (auto& w : self_->workers) w->time.reset(self_->in_flight_until());
  self_->reset_resource_ledgers();
}

}  // namespace plait
