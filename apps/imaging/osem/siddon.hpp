// SPDX-License-Identifier: BSD-3-Clause
/// The voxels that a straight line crosses, and the length in each.  [Siddon 1985; the incremental
/// form is Jacobs et al. 1998]
#pragma once

#include <vector>

#include "image_grid.hpp"

namespace osem {

struct ray {
  point through{};
  point direction{};  ///< of length 1
};

/// Appends the voxels that the line crosses for more than a point, in an order in which the slowest
/// axis never falls.  A line along the face between two voxels belongs to the one above.
void trace(const image_grid& grid, const ray& line, std::vector<crossing>& to);

}  // namespace osem
