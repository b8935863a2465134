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
/// the same number for each thread, or IRR's two sets of threads in the ratio of their weights,
/// along the first of z, y and x with a plane for each thread.  Precondition: check_shares.
[[nodiscard]] shares share_out(const box& cells, const policy& how);

/// Errors: usage_error where IRR's ratio cannot be had on a block, whichever rank's it is, so that
/// every rank says the same.
void check_shares(const domain& whole, int ranks, const policy& how);

/// Boxes for whoever is free: the cells cut into pieces of about equal size, several for each
/// thread, in the order of memory.
[[nodiscard]] std::vector<box> cut_finely(const block_data& shape, const box& cells, int threads);

}  // namespace redblack3d
