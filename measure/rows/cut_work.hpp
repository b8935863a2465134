// SPDX-License-Identifier: BSD-3-Clause
/// The work behind which communication is to be hidden: cut into pieces, done by hand with
/// something between the pieces, or as tasks.
#pragma once

#include <vector>

#include <plait/plait.hpp>

#include "measure/load/work.hpp"

namespace plait::measure {

/// Returns the number of pieces for work that takes `work_s`: `wanted`, or fewer, so that none is
/// shorter than 5 µs.  Below, the time between pieces would count for more than the work.
[[nodiscard]] int pieces_for(double work_s, int wanted) noexcept;

/// One rank's work of a step.  Clocks its pieces itself, wherever they run.
class cut_work {
 public:
  /// `units`: see work.hpp.  Errors: none; 0 units are no work at all.
  cut_work(long units, int pieces);

  /// Does all of it, with `between()` after each piece.
  template <class Between>
  void run(Between&& between) {
    for (piece& each : pieces_) {
      run_piece(each.data, each.spent, each.units);
      between();
    }
  }
  void run() {
    run([] {});
  }
  /// A task a piece, which depend on nothing but the same piece of the step before.
  void submit(runtime& rt);

  /// Seconds in pieces since the last call.  No task may be in flight.
  [[nodiscard]] double take_seconds() noexcept;

 private:
  struct piece {
    values data;
    ticks spent = 0;
    long units = 0;
  };
  static void run_piece(values& on, ticks& spent, long units);

  std::vector<piece> pieces_;
};

/// Seconds of the work alone, the mean over `steps`, on this rank while all ranks do the same.
/// Collective.
[[nodiscard]] double computation_alone_s(environment& env, cut_work& what, int steps);

}  // namespace plait::measure
