// SPDX-License-Identifier: BSD-3-Clause
/// One session: every way and point under every circumstance, in turns, beside the model.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/plans.hpp"
#include "measure/base/session_options.hpp"
#include "points.hpp"
#include "presets.hpp"

namespace ft_probe {

/// Ways, shapes and circumstances that a session is to measure.
struct request {
  std::string preset;  ///< for the result; may be empty
  std::vector<std::string> ways = {};
  std::vector<point> points;
  std::vector<named_shape> shapes;
  std::vector<circumstance> circumstances = {};
  std::vector<double> ratios;  ///< further circumstances, whose scales the session finds
  spectral::planning planning = spectral::planning::measured;
  plait::progress policy = plait::progress::automatic;
  plait::windows_on windows = plait::windows_on::messages;
};

/// Runs the session.  What is wrong with a result is printed on standard error, one line for each
/// rank and row.  Collective.
[[nodiscard]] plait::measure::outcome measure(plait::environment& env, const request& wanted,
                                              const plait::measure::session_options& session);

}  // namespace ft_probe
