// SPDX-License-Identifier: BSD-3-Clause
/// One session: all policies and what they are held against, in turns, and the result of it.
#pragma once

#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "support/gather.hpp"
#include "variant.hpp"

namespace redblack3d {

struct session_options {
  std::vector<policy> policies;
  int steps = 40;
  int repeat = 5;
  /// Means without outliers, as the paper has them, instead of medians.
  bool kelp_means = false;
  slow_worker slow;
  double link_rate_bytes_per_s = 0;  ///< payload rate of the link between hosts; 0 = not known
  std::string trace_file;
  bool progress = false;
};

struct outcome {
  bool verified = true;     ///< the same on every rank
  plait::app::json result;  ///< on rank 0
};

/// Runs the session.  What is wrong with a result is printed on standard error, one line for each
/// rank and policy.  Collective.
[[nodiscard]] outcome measure(plait::environment& env, const domain& whole,
                              const session_options& wanted);

}  // namespace redblack3d
