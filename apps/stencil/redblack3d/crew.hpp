// SPDX-License-Identifier: BSD-3-Clause
/// The threads of a node that sweep its block together, with a barrier after each sweep, and how
/// they share it.
#pragma once

#include <memory>
#include <vector>

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "policy.hpp"
#include "problem.hpp"
#include "slow_worker.hpp"

namespace redblack3d {

/// Says what is computed at one go.  The paper's annulus is the rim.
using part = plait::block_part;

class crew {
 public:
  virtual ~crew() = default;
  /// Sweeps the cells of one colour in a part of the block; returns when all are done.
  virtual void compute(part which, colour c) = 0;
  /// Seconds that each thread has computed since the last time this was asked.
  [[nodiscard]] virtual std::vector<double> computed_s() = 0;
};

/// Every thread has its own cells: the same share of the planes, or IRR's; of the annulus what
/// costs the same.  On threads of their own, as KeLP's.
[[nodiscard]] std::unique_ptr<crew> make_assigned_crew(problem& p, const policy& how,
                                                       slow_worker slow);
/// Cells are tasks, recorded once for each part and colour, for whichever worker is free.
[[nodiscard]] std::unique_ptr<crew> make_dynamic_crew(const plait::environment& env, problem& p,
                                                      const policy& how, slow_worker slow);

}  // namespace redblack3d
