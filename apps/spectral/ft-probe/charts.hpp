// SPDX-License-Identifier: BSD-3-Clause
/// Gantt charts of Slabs and Pencils, of the model and of a run.
#pragma once

#include "equations.hpp"
#include "measure/probe/gantt.hpp"

namespace ft_probe {

/// Returns the chart that `predict_overlapped` sums up: a message begins when its row is computed
/// and g after the last one began; the network carries messages one after the other.
/// [Figures 20 to 22]  Precondition: ranks >= 2.
[[nodiscard]] plait::measure::gantt modelled_chart(const model_symbols& s);

/// Returns the chart of a run, of its processor alone.
[[nodiscard]] plait::measure::gantt measured_chart(
    const std::vector<plait::measure::part_watch::one_lap>& laps);

}  // namespace ft_probe
