// SPDX-License-Identifier: BSD-3-Clause
/// The session as the paper's figures draw it, and what follows from it in sentences.
#pragma once

#include <string>
#include <vector>

#include "measure/probe/part_watch.hpp"
#include "measure/probe/stacked_bars.hpp"
#include "modelled.hpp"
#include "presets.hpp"

namespace ft_probe {

/// One way and algorithm under one circumstance: what was measured, and the model of it.
struct cell {
  std::string way;
  point which;
  circumstance when;
  std::string shape;              ///< "R=512 N=8192"
  std::string circumstance_name;  ///< "R=512 N=8192, scale 0.5"
  workload work = {};
  bool shown = true;  ///< false: only to calibrate the model
  bool verified = true;
  double max_error = 0;
  double error_bound = 0;
  plait::measure::bar_samples times = {};
  std::vector<plait::measure::part_watch::one_lap> laps = {};  ///< of this rank's last run
  // Of a way by which rows travel:
  loggp network = {};
  prediction model = {};       ///< with the flood's G
  prediction empirical = {};   ///< with the pattern's G
  prediction printed = {};     ///< `model`, by the equations as printed; Slabs and Pencils alone
  double bound_s = 0;          ///< the larger of least computation and transfer (2), by the least G
  double communication_s = 0;  ///< the same algorithm without computation

  [[nodiscard]] bool travels() const { return way != "none"; }
  [[nodiscard]] std::string name() const { return way + " " + which.name; }
  [[nodiscard]] double total_s() const { return times.median_total_s(); }
};

/// Returns all figures.  `cells`: those that are shown, by circumstance, way and algorithm.
[[nodiscard]] plait::measure::json figures_of(const std::vector<cell>& cells);

/// Returns what is best, what the model errs by, and what overlap does to computation.
[[nodiscard]] std::vector<std::string> sentences_of(const std::vector<cell>& cells);

}  // namespace ft_probe
