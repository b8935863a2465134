// SPDX-License-Identifier: BSD-3-Clause
#include "device/row.hpp"

#include <utility>

namespace jacobi3d {

using plait::device_queue;
using plait::measure::run_report;
using plait::measure::step_range;

void account(run_report& to, const plait::device_ledger& of) {
  to.ledger = {{.compute_s = of.kernels_s,
                .exposed_s = of.starved_s,
                .idle_s = of.idle_s,
                .wall_s = of.wall_s}};
  to.workers = 1;
  to.figures["to_host_s"] = of.to_host_s;
  to.figures["to_device_s"] = of.to_device_s;
}

void row_by_hand::prepare(problem& p) {
  block_.emplace(p, how_);
  make();
}

void row_by_hand::run(problem&, int steps, const step_range& recorded) {
  plait::by_hand::reset_ledger(block().gpu());
  watch_.start();
  advance(steps, recorded);
  for (const device_queue all : {device_queue::urgent, device_queue::compute})
    plait::by_hand::await(block().gpu(), plait::by_hand::record(queue(all, "end")));
  spent_ = plait::by_hand::ledger(block().gpu());
  observe(false);
  (void)watch_.stop();
  done_ = steps;
}

// A program by hand does not say when a message is under way: what the device did not compute,
// while the row had messages, it waited for.
run_report row_by_hand::finish(problem& p) {
  if (solves_ == setting::distributed) spent_.starved_s += std::exchange(spent_.idle_s, 0);
  run_report report = watch_.report();
  account(report, spent_);
  report.events.insert(report.events.end(), events_.begin(), events_.end());
  events_.clear();
  unmake();
  block().fetch(p, done_);
  block_.reset();
  return report;
}

void row_by_hand::begin(int step, const step_range& recorded) {
  watch_.begin_step(step, recorded);
  observe(recorded.contains(step));
}

void row_by_hand::observe(bool wanted) {
  if (wanted == std::exchange(observes_, wanted)) return;
  if (!wanted) return plait::by_hand::observe(block().gpu(), {});
  plait::by_hand::observe(block().gpu(), [this](device_queue which, const char* name,
                                                plait::ticks from, plait::ticks to) {
    events_.push_back({.lane = block().gpu().name() + ", " + to_string(which),
                       .name = name,
                       .begin_s = plait::ticks_to_seconds(from),
                       .end_s = plait::ticks_to_seconds(to)});
  });
}

void row_by_hand::relax(plait::queue to, int step, const box& some) {
  const span_there from = block().iterate(step);
  const reads needs(some);
  const layout& lies = block().lies();
  block().relax()(to, lies.rows(from, needs.below).as_const(),
                  lies.rows(from, needs.own).as_const(), lies.rows(from, needs.above).as_const(),
                  lies.rows(block().b(), some), lies.rows(block().iterate(step + 1), cells),
                  cells);
}

}  // namespace jacobi3d
