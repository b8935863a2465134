// SPDX-License-Identifier: BSD-3-Clause
/// Describes what was measured of a network, for the result file and for whoever starts the program
/// by hand.
#pragma once

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"

namespace plait::network::loggp {

using measure::json;

/// "sizes" of the result: each with its times as spreads, and G_all, o_s and o_r: `median` is what
/// follows from the medians of times, `q1` and `q3` are of what single rounds give.
[[nodiscard]] measure::json sizes_of(const probe::loggp_measurement& measured, int messages);

/// "fit" of the result: L, o_s and o_r, and each segment with its limits, g, G, 1/G and residual.
[[nodiscard]] measure::json fit_of(const model::network_fit& fit);

/// "link" of the result, null where nothing is known of it: its payload rate and 1/G beyond what it
/// lets through at once, held against each other.
[[nodiscard]] measure::json link_of(const model::network_fit& fit, const probe::loggp_plan& plan);

/// The parameters and segments in plain lines on standard output.
void print(const model::network_fit& fit);

}  // namespace plait::network::loggp
