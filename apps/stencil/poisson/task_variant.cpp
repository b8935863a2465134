// SPDX-License-Identifier: BSD-3-Clause
#include "task_variant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace poisson {
namespace {

constexpr std::size_t most_tasks = std::size_t{1} << 17;
constexpr double first_batch = 8;
constexpr double most_in_a_batch = 64;

/// Of the time in which workers had nothing to run because a message was on its way, that which
/// ended with a message of a sum.
double reduction_s(const std::vector<plait::trace_event>& events, int workers) {
  std::vector<const plait::trace_event*> received;
  for (const plait::trace_event& e : events)
    if (e.message && !e.message->sent) received.push_back(&e);
  std::ranges::sort(received, {}, [](auto* e) { return e->end_s; });
  double sum = 0;
  for (const plait::trace_event& e : events) {
    if (e.kind != plait::event_kind::exposed) continue;
    const auto after =
        std::ranges::upper_bound(received, e.end_s, {}, [](auto* m) { return m->end_s; });
    if (after == received.begin()) continue;
    if ((*std::prev(after))->name.find("sum") != std::string::npos) sum += e.end_s - e.begin_s;
  }
  return sum / workers;
}

}  // namespace

void task_variant::prepare(problem& p) {
  bb_ = norm_of_start(env_, p);
  allocate(p);
  rt_.emplace(env_,
              plait::runtime_options{
                  .workers = options_.workers, .in_flight = most_tasks, .policy = options_.policy});
  iteration_.emplace(rt_->record([&] { submit_iteration(*rt_, p); }));
  rt_->start_trace();
}

void task_variant::run(problem& p, int steps, const step_range& recorded) {
  c_ = coefficients(bb_, {options_.tolerance, steps});
  batches_.clear();
  rt_->reset_ledger();
  while (!c_.done) {
    batches_.push_back({c_.iterations, next_batch(), plait::ticks_to_seconds(plait::now_ticks())});
    rt_->replay(*iteration_, batches_.back().count);
    rt_->wait();
  }
  submit_end(*rt_, p);
  rt_->wait();
  recorded_ = recorded;
  ledger_ = rt_->ledger();
}

/// So that few iterations are begun in vain: half of those that the convergence so far leaves to
/// expect.
std::uint64_t task_variant::next_batch() const {
  const auto left = static_cast<double>(c_.most - c_.iterations);
  double expected = left;
  if (c_.enough_rr > 0) {
    const double missing = std::log(c_.rr / c_.enough_rr);
    const double gained = std::log(bb_ / c_.rr);
    expected = c_.iterations == 0 ? first_batch
                                  : 0.5 * static_cast<double>(c_.iterations) * missing /
                                        std::max(gained, missing / 16);
  }
  return static_cast<std::uint64_t>(std::clamp(std::min(expected, left), 1.0, most_in_a_batch));
}

run_report task_variant::finish(problem&) {
  run_report report;
  report.ledger = std::move(ledger_);
  report.workers = rt_->workers();
  const auto statistics = rt_->progress_statistics();
  if (rt_->progress_choice().proxy) report.proxy_cpu_s = statistics.proxy_cpu_s;
  report.words = {{"policy_chosen", rt_->progress_choice().name},
                  {"policy_reason", rt_->progress_choice().reason}};
  keep_events(report);
  report.figures["iterations"] = static_cast<double>(c_.iterations);
  report.figures["residual"] = c_.residual_norm();
  report.figures["longest_unwatched_s"] = statistics.longest_unwatched_s;
  iteration_.reset();
  rt_.reset();
  release();
  return report;
}

/// What happened from the first beginning to the last end of anything that belongs to the recorded
/// iterations.
void task_variant::keep_events(run_report& report) {
  std::vector<plait::trace_event> events = rt_->stop_trace();
  report.figures["reduction_s"] = reduction_s(events, rt_->workers());
  double first_s = std::numeric_limits<double>::infinity();
  double last_s = 0;
  for (const plait::trace_event& e : events) {
    const auto after = std::ranges::upper_bound(batches_, e.begin_s, {}, &batch::begin_s);
    if (e.iteration < 0 || after == batches_.begin()) continue;
    const std::int64_t iteration = std::prev(after)->first + e.iteration;
    if (iteration < recorded_.first || iteration >= recorded_.last) continue;
    first_s = std::min(first_s, e.begin_s);
    last_s = std::max(last_s, e.end_s);
  }
  std::erase_if(events, [&](const plait::trace_event& e) {
    return e.end_s <= first_s || e.begin_s >= last_s;
  });
  report.events = std::move(events);
  report.recorded_from_s = first_s;
}

}  // namespace poisson
