// SPDX-License-Identifier: BSD-3-Clause
/// What a run solves, and what a check of its result found.
#pragma once

#include <cstdint>
#include <string>

namespace plait::measure {

/// Which problem a run solves.
enum class setting : std::uint8_t {
  distributed,  ///< one problem over all blocks, ghosts by messages
  isolated,  ///< each block a problem of its own with a zero boundary: the same work, no messages
};

/// What a check of a block found.
struct verdict {
  bool verified = true;
  double max_error = 0;   ///< largest error against what is known of the solution
  std::string complaint;  ///< first cell that is wrong, in one line; empty if verified
};

}  // namespace plait::measure
