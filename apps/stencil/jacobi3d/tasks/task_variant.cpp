// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/task_variant.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <plait/plait.hpp>

#include "measure/steps_of_run.hpp"

namespace jacobi3d {
namespace {

constexpr std::size_t usual_window = 4096;
// A graph of more tasks is submitted each time instead: to keep it would take memory by the hundred
// megabytes.
constexpr std::size_t largest_usual_window = std::size_t{1} << 17;

}  // namespace

void task_variant::prepare(problem& p) {
  sweep_ = make_sweep(p);
  const std::size_t in_flight =
      options_.in_flight != 0 ? options_.in_flight
                              : std::clamp(sweep_->tasks(), usual_window, largest_usual_window);
  rt_.emplace(env_, plait::runtime_options{
                        .workers = options_.workers, .in_flight = in_flight, .policy = policy()});
  if (sweep_->tasks() <= in_flight) {
    recorded_ = rt_->record([&] { sweep_->submit(*rt_, sweep_->steps()); });
  }
  rt_->start_trace();
}

void task_variant::run(problem& p, int steps, const step_range& recorded) {
  rt_->reset_ledger();
  started_ = plait::now_ticks();
  // The arrays stay where they are while tasks refer to them: which is which alternates.
  const int rounds = steps / sweep_->steps();
  if (recorded_) {
    rt_->replay(*recorded_, static_cast<std::uint64_t>(rounds));
  } else {
    for (int i = 0; i < rounds; ++i) sweep_->submit(*rt_, sweep_->steps());
  }
  const int rest = steps % sweep_->steps();
  if (rest != 0) sweep_->submit(*rt_, rest);
  rt_->wait();
  if (rest % 2 != 0) std::swap(p.u, p.v);
  steps_ = steps;
  kept_steps_ = recorded;
  report_.ledger = rt_->ledger();
}

run_report task_variant::finish(problem&) {
  plait::measure::keep_steps(report_, rt_->stop_trace(), plait::ticks_to_seconds(started_), steps_,
                             kept_steps_);
  const auto statistics = rt_->progress_statistics();
  if (rt_->progress_choice().proxy) report_.proxy_cpu_s = statistics.proxy_cpu_s;
  report_.figures = {{"longest_unwatched_s", statistics.longest_unwatched_s}};
  report_.workers = rt_->workers();
  report_.words = {{"policy_chosen", rt_->progress_choice().name},
                   {"policy_reason", rt_->progress_choice().reason}};
  recorded_.reset();
  rt_.reset();
  sweep_.reset();
  return report_;
}

}  // namespace jacobi3d
