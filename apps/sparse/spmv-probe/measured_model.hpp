// SPDX-License-Identifier: BSD-3-Clause
/// Equations 10 to 13 beside what was measured: where their parameters come from, and the bars M, E
/// and A.  [overlap-probes, sections 7.5 and 8.2]
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "equations.hpp"
#include "measure/probe/stacked_bars.hpp"

namespace spmv_probe {

/// Measurements of the session that the model is made of: medians, in seconds.  Unless a line says
/// otherwise, a get is one of a block.
struct calibration {
  double busy_initiation_s = 0;  ///< of a get of Gather(0) with computation
  double idle_initiation_s = 0;  ///< ... without
  double round_trip_s = 0;       ///< a get of one element, alone
  double flood_s_per_byte = 0;   ///< two ranks getting from each other at once
  double alone_s = 0;            ///< Gather(0) without computation
  double computation_s = 0;      ///< the product without communication
};

/// The two networks of the text.
struct measured_network {
  parameters m;  ///< G of two processes
  parameters e;  ///< G of the pattern itself, all ranks at once
  spmv_product product;
};

/// o: initiation beside computation; g: without [section 7.5].  L: half of what a get of one
/// element takes beyond o.  T: the product's P-th part.
[[nodiscard]] measured_network network_of(const calibration& measured, int ranks,
                                          double block_bytes);

inline constexpr const char* model_title =
    "Gather at prefetch depth 0: M model, E with the pattern's own G, A actual";

/// The bars M, E and A of a group.  `actual` are the samples of Gather(0).
[[nodiscard]] std::vector<plait::measure::stacked_bar> model_bars(
    const std::string& group, const measured_network& network,
    const plait::measure::bar_samples& actual, bool verified);

[[nodiscard]] std::vector<std::string> model_parts();
[[nodiscard]] plait::measure::json to_json(const measured_network& network);

}  // namespace spmv_probe
