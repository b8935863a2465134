// SPDX-License-Identifier: BSD-3-Clause
#include "device/row.hpp"

#include <utility>

#include "measure/compare/steps_of_run.hpp"

namespace jacobi3d {

using plait::device_queue;
using plait::measure::run_report;
using plait::measure::step_range;

void row_by_hand::prepare(problem& p) {
  block_.emplace(p, how_);
  block_->load_by_hand(p);
  make();
}

void row_by_hand::run(problem&, int steps, const step_range& recorded) {
  recorded_ = recorded;
  if (recorded.size() > 0) observe();
  spent_.begin(block().gpu());
  began_s_ = plait::ticks_to_seconds(plait::now_ticks());
  watch_.start();
  advance(steps);
  for (const device_queue all : {device_queue::urgent, device_queue::compute})
    plait::by_hand::await(block().gpu(), plait::by_hand::record(queue(all, "end")));
  spent_.end(block().gpu(), solves_ == setting::isolated);
  (void)watch_.stop();
  plait::by_hand::observe(block().gpu(), {});
  done_ = steps;
}

// The device is behind the host: its commands of these steps are a share of all, as tasks are.
run_report row_by_hand::finish(problem& p) {
  run_report report;
  plait::measure::keep_steps(report, std::exchange(events_, {}), began_s_, done_, recorded_);
  const run_report of_host = watch_.report();
  report.events.insert(report.events.end(), of_host.events.begin(), of_host.events.end());
  spent_.add_to(report);
  unmake();
  block().fetch_by_hand(p, done_);
  block_.reset();
  return report;
}

void row_by_hand::observe() {
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
                  lies.rows(block().b(), some), lies.rows(block().iterate(step + 1), some), some);
}

}  // namespace jacobi3d
