// SPDX-License-Identifier: BSD-3-Clause
/// The threads of a node that sweep its block together, with a barrier after each sweep, and how
/// they share it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "measure/load/slow_worker.hpp"
#include "measure/load/time_spent.hpp"
#include "policy.hpp"
#include "problem.hpp"

namespace redblack3d {

/// Says what is computed at one go.  The paper's annulus is the rim.
using part = plait::block_part;
using plait::measure::slow_worker;
using plait::measure::time_spent;

class crew {
 public:
  crew(problem& p, const policy& how, slow_worker slow)
      : data_(p.data()), slow_(slow), computed_(static_cast<std::size_t>(how.threads)) {}
  virtual ~crew() = default;
  /// Sweeps the cells of one colour in a part of the block; returns when all are done.
  virtual void compute(part which, colour c) = 0;
  /// Returns what each thread has computed.
  [[nodiscard]] const std::vector<time_spent>& computed() const noexcept { return computed_; }
  /// Returns what is said of the binding of threads.
  [[nodiscard]] virtual std::string binding_said() const { return "off: no sets of threads"; }
  /// Returns the mean over threads, in seconds.
  [[nodiscard]] double mean_computed_s() const noexcept {
    double sum = 0;
    for (const time_spent& one : computed_) sum += one.seconds();
    return sum / static_cast<double>(computed_.size());
  }

 protected:
  void sweep(int thread, colour c, const box& cells) {
    computed_[static_cast<std::size_t>(thread)].measure(
        [&] { slow_.run(thread, [&] { relax(data_, c, cells); }); });
  }

  block_data data_;
  plait::measure::slowness slow_;
  std::vector<time_spent> computed_;
};

/// Makes the crew of a policy MT(k).  DYN: cells are tasks, recorded once for each part and colour,
/// for whichever worker is free.  Else every thread has its own cells: the same share of the
/// planes, or IRR's; of the annulus what costs the same.  On threads of their own, as KeLP's.
[[nodiscard]] std::unique_ptr<crew> make_crew(const plait::environment& env, problem& p,
                                              const policy& how, slow_worker slow);

}  // namespace redblack3d
