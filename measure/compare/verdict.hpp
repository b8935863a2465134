// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a run solves, and what a check of its result found.
#pragma once

#include <cstdint>
#include <string>

namespace plait::measure {

/// Problems that a run may solve.
enum class setting : std::uint8_t {
  distributed,  ///< one problem over all ranks, by messages
  isolated,     ///< each rank a problem of its own: the same work, no messages
};

/// Holds what a check of a rank's part found.
struct verdict {
  bool verified = true;
  double max_error = 0;   ///< largest error against what is known of the solution
  std::string complaint;  ///< what is wrong first, in one line; empty if verified
};

}  // namespace plait::measure
