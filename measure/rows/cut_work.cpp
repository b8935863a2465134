// SPDX-License-Identifier: BSD-3-Clause
#include "cut_work.hpp"

#include <algorithm>

namespace plait::measure {

int pieces_for(double work_s, int wanted) noexcept {
  constexpr double shortest_s = 5e-6;
  return static_cast<int>(std::clamp(work_s / shortest_s, 1.0, static_cast<double>(wanted)));
}

cut_work::cut_work(long units, int pieces) {
  if (units == 0) return;
  for (int i = 0; i < pieces; ++i)
    pieces_.push_back({initial_values(), 0, units_of_piece(units, pieces, i)});
}

void cut_work::run_piece(values& on, ticks& spent, long units) {
  const ticks start = now_ticks();
  work(on, units);
  spent += now_ticks() - start;
}

void cut_work::submit(runtime& rt) {
  for (piece& each : pieces_)
    rt.task("work", run_piece, inout(each.data), inout(each.spent), each.units);
}

double cut_work::take_seconds() noexcept {
  ticks sum = 0;
  for (piece& each : pieces_) {
    sum += each.spent;
    each.spent = 0;
  }
  return ticks_to_seconds(sum);
}

double computation_alone_s(environment& env, cut_work& what, int steps) {
  what.run();
  env.barrier();
  const ticks start = now_ticks();
  for (int i = 0; i < steps; ++i) what.run();
  const double seconds = ticks_to_seconds(now_ticks() - start) / steps;
  (void)what.take_seconds();
  return seconds;
}

}  // namespace plait::measure
