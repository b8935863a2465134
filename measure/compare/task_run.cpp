// SPDX-License-Identifier: BSD-3-Clause
#include "task_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "steps_of_run.hpp"

namespace plait::measure {

task_run::task_run(environment& env, runtime_options options, task_steps what)
    : what_(std::move(what)) {
  // A graph of more than `most_recorded` tasks is submitted each time instead: to keep it would
  // take memory by the hundred megabytes.
  std::size_t& in_flight = options.tasks.in_flight;
  if (in_flight == 0)
    in_flight = std::clamp(what_.tasks, scheduler_options::usual_in_flight, most_recorded);
  if (what_.step) options.step = what_.step;
  rt_.emplace(env, options);
  if (what_.replayed && what_.tasks <= in_flight)
    recorded_ = rt_->record([&] { what_.submit(*rt_, what_.steps); });
  rt_->start_trace();
}

void task_run::begin() {
  done_ = 0;
  rt_->reset_ledger();
  began_s_ = ticks_to_seconds(now_ticks());
}

void task_run::advance(int steps) {
  const int rounds = steps / what_.steps;
  if (recorded_) {
    rt_->replay(*recorded_, static_cast<std::uint64_t>(rounds));
  } else {
    for (int i = 0; i < rounds; ++i) what_.submit(*rt_, what_.steps);
  }
  const int rest = steps % what_.steps;
  if (rest != 0) what_.submit(*rt_, rest);
  rt_->wait();
  done_ += steps;
}

void task_run::end(const step_range& kept) {
  kept_ = kept;
  spent_ = rt_->ledger();
}

run_report task_run::finish(const std::function<void(std::span<const trace_event>)>& look) {
  run_report report = report_of(*rt_, began_s_, done_, kept_, look);
  report.ledger = std::move(spent_);
  recorded_.reset();
  rt_.reset();
  return report;
}

run_report report_of(runtime& rt, double began_s, int steps, const step_range& kept,
                     const std::function<void(std::span<const trace_event>)>& look) {
  run_report report;
  std::vector<trace_event> events = rt.stop_trace();
  if (look) look(events);
  keep_steps(report, std::move(events), began_s, steps, kept);
  const auto statistics = rt.progress_statistics();
  if (rt.progress_choice().proxy) report.proxy_cpu_s = statistics.proxy_cpu_s;
  report.figures["longest_unwatched_s"] = statistics.longest_unwatched_s;
  report.workers = rt.workers();
  report.words = {{"policy_chosen", rt.progress_choice().name},
                  {"policy_reason", rt.progress_choice().reason}};
  return report;
}

}  // namespace plait::measure
