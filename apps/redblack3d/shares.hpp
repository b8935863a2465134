// SPDX-License-Identifier: BSD-3-Clause
/// Which thread of a node computes which of its cells.
#pragma once

#include <vector>

#include "kernel.hpp"
#include "policy.hpp"

namespace redblack3d {

/// By thread, the boxes it computes, one after the other.
using shares = std::vector<std::vector<box>>;

/// The cells of a box, in planes along z (rows along y where there are fewer planes than threads):
/// the same number for each thread, or IRR's two sets of threads in the ratio of their weights.
/// Where there are too few planes for a ratio they are shared alike.
[[nodiscard]] shares share_out(const box& cells, const policy& how);

/// Boxes for whoever is free: the cells cut into pieces of about equal size, several for each
/// thread, in the order of memory.
[[nodiscard]] std::vector<box> cut_finely(const block_data& shape, const box& cells, int threads);

}  // namespace redblack3d
