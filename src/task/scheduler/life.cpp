// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a scheduler, and what it tells about itself.
#include <cstdio>
#include <string>
#include <thread>

#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/task/topology.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

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

[[nodiscard]] std::uint64_t next_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// 0: tasks need none of their own.
[[nodiscard]] std::size_t stack_bytes(const scheduler_options& options) {
  constexpr std::size_t usual = std::size_t{8} << 20;
  if (options.task_stack_bytes > 0) return options.task_stack_bytes;
  return scheduler::checks_accesses(options.checked) ? usual : 0;
}

}  // namespace

scheduler::implementation::implementation(const scheduler_options& options)
    : serial(next_serial()),
      sources(options.progress),
      oversubscribed(options.oversubscribed),
      measured_priorities(options.measured_priorities),
      stalls(options),
      watch(checks_accesses(options.checked),
            [this](std::exception_ptr error) { record_failure(std::move(error)); }),
      threads(workers_to_run(options), checked_limit(options.in_flight)),
      tasks(threads, checked_limit(options.in_flight)),
      ready(threads, checked_limit(options.in_flight)),
      failure(options.settle) {
  if (const std::size_t bytes = stack_bytes(options); bytes > 0) stacks.emplace(bytes);
}

scheduler::scheduler(scheduler_options options) : self_(std::make_unique<implementation>(options)) {
  implementation& s = *self_;
  s.facade = this;
  detail::crew::here = {&s.threads, this, &s.threads.submitter()};
  (void)seconds_per_tick();  // calibrate before anything is timed
  reset_ledger();
  try {
    for (const auto& one : s.threads.workers()) {
      worker& w = *one;
      if (w.index == 0) continue;
      w.thread = std::thread([this, &w] {
        detail::crew::here = {&self_->threads, this, &w};
        self_->work_off(w);
      });
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
  s.stalls.end_begins(unwinding);
  try {
    wait();
  } catch (...) {
    std::fprintf(stderr, "plait: %s: an exception of a task was never waited for: %s\n",
                 process_label().c_str(), exception_text(std::current_exception()).c_str());
    if (!unwinding) detail::abort_job();
  }
  while (s.held.releasing.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  s.stopping.store(true, std::memory_order_seq_cst);
  s.ready.wake_workers();
  for (const auto& w : s.threads.workers()) {
    if (w->thread.joinable()) w->thread.join();
  }
  s.threads.for_each_resource([](detail::resource_threads& one) { one.stop(); });
  if (detail::crew::here.of == &s.threads) detail::crew::here = {};
}

// --- what it knows -------------------------------------------------------------------------------

int scheduler::workers() const noexcept {
  return static_cast<int>(self_->threads.workers().size());
}
std::size_t scheduler::in_flight_limit() const noexcept {
  return self_->tasks.limit();
}
std::size_t scheduler::peak_tasks() const noexcept {
  return self_->tasks.peak();
}

void scheduler::observe(task_observer* observer) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.tasks.all_finished(), "an observer is set when no task is in flight");
  const implementation::stay inside(s);
  s.time().stop_passing();
  s.watch.observe(observer);
  s.threads.for_each_resource([&s](const auto& one) { s.watch.threads_added(one); });
}

plait::ledger scheduler::ledger() const {
  plait::ledger result;
  for (const auto& w : self_->threads.workers())
    result.push_back(w->time.entry(w->index, self_->in_flight_until()));
  return result;
}

void scheduler::reset_ledger() {
  for (const auto& w : self_->threads.workers()) w->time.reset(self_->in_flight_until());
  self_->threads.for_each_resource([](const detail::resource_threads& one) {
    for (const auto& w : one.threads) w->time.reset(detail::nothing_in_flight);
  });
}

}  // namespace plait
