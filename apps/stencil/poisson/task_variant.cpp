// SPDX-License-Identifier: BSD-3-Clause
#include "task_variant.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace poisson {
namespace {

constexpr std::size_t most_tasks = std::size_t{1} << 17;
constexpr double first_batch = 8;
constexpr double most_in_a_batch = 64;

/// Of the time in which workers had nothing to run because a message was on its way, that which
/// ended with a message of a sum.
double reduction_s(std::span<const plait::trace_event> events, int workers) {
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
  plait::measure::task_options how = options_.tasks;
  if (how.in_flight == 0) how.in_flight = most_tasks;
  run_.emplace(env_, how, plait::measure::task_steps{.submit = [this, &p](plait::runtime& rt, int) {
                 submit_iteration(rt, p);
               }});
}

void task_variant::run(problem& p, int steps, const step_range& recorded) {
  c_ = coefficients(bb_, {options_.tolerance, steps});
  run_->begin();
  while (!c_.done) run_->advance(next_batch());
  submit_end(run_->tasks(), p);
  run_->tasks().wait();
  run_->end(recorded);
}

/// So that few iterations are begun in vain: half of those that the convergence so far leaves to
/// expect.
int task_variant::next_batch() const {
  const auto left = static_cast<double>(c_.most - c_.iterations);
  double expected = left;
  if (c_.enough_rr > 0) {
    const double missing = std::log(c_.rr / c_.enough_rr);
    const double gained = std::log(bb_ / c_.rr);
    expected = c_.iterations == 0 ? first_batch
                                  : 0.5 * static_cast<double>(c_.iterations) * missing /
                                        std::max(gained, missing / 16);
  }
  return static_cast<int>(std::clamp(std::min(expected, left), 1.0, most_in_a_batch));
}

run_report task_variant::finish(problem&) {
  double sums_s = 0;
  const int workers = run_->tasks().workers();
  run_report report =
      run_->finish([&](const auto& events) { sums_s = reduction_s(events, workers); });
  report.figures["reduction_s"] = sums_s;
  report.figures["iterations"] = static_cast<double>(c_.iterations);
  report.figures["residual"] = c_.residual_norm();
  run_.reset();
  release();
  return report;
}

}  // namespace poisson
