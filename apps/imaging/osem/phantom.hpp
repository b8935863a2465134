// SPDX-License-Identifier: BSD-3-Clause
/// The Shepp-Logan phantom: ellipses that look like a head.
#pragma once

#include <vector>

#include "image_grid.hpp"

namespace osem {

/// The phantom on a grid, each voxel the value at its middle.  One plane: the ellipses of [Shepp
/// and Logan 1974], several: the ellipsoids of [Schabel's phantom3d], both with the contrast of
/// [Toft 1996].
[[nodiscard]] std::vector<double> shepp_logan(const image_grid& grid);

}  // namespace osem
