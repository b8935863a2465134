// SPDX-License-Identifier: BSD-3-Clause
#include "device/row.hpp"

namespace jacobi3d {

using plait::measure::run_report;
using plait::measure::step_range;

void row_by_hand::prepare(problem& p) {
  block_.emplace(p, how_);
  block_->load_by_hand(p);
  make();
}

void row_by_hand::run(problem&, int steps, const step_range& recorded) {
  run_.begin(block().gpu(), recorded);
  advance(steps);
  run_.end(steps, solves_ == setting::isolated);
  done_ = steps;
}

run_report row_by_hand::finish(problem& p) {
  run_report report = run_.report();
  unmake();
  block().fetch_by_hand(p, done_);
  block_.reset();
  return report;
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
