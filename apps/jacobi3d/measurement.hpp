// SPDX-License-Identifier: BSD-3-Clause
/// One session: all variants and what they are held against, in turns, and the result of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "support/gather.hpp"
#include "variant.hpp"

namespace jacobi3d {

struct session_options {
  std::vector<std::string> variants;
  int steps = 40;
  int repeat = 5;
  double link_rate_bytes_per_s = 0;  ///< payload rate of the link between hosts; 0 = not known
  std::string trace_file;
  bool progress = false;
  options tasks;
};

struct outcome {
  bool verified = true;     ///< the same on every rank
  plait::app::json result;  ///< on rank 0
};

/// Runs the session.  What is wrong with a result is printed on standard error, one line for each
/// rank and variant.  Collective.
[[nodiscard]] outcome measure(plait::environment& env, const plait::decomposition<3>& blocks,
                              const session_options& wanted);

}  // namespace jacobi3d
