// SPDX-License-Identifier: BSD-3-Clause
/// Gantt charts of Gather(0), of the model and of a run.
#pragma once

#include "equations.hpp"
#include "measure/probe/gantt.hpp"

namespace spmv_probe {

/// Returns the chart of equation 10, or of 11 and 12 where those are larger.  [Figures 27 and 28]
[[nodiscard]] plait::measure::gantt modelled_chart(const parameters& network,
                                                   const spmv_product& what);

/// Returns the chart of a run, of its processor alone.
[[nodiscard]] plait::measure::gantt measured_chart(
    const std::vector<plait::measure::part_watch::one_lap>& laps);

}  // namespace spmv_probe
