// SPDX-License-Identifier: BSD-3-Clause
/// How a policy shares the blocks of nodes among their threads.
#pragma once

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "policy.hpp"

namespace redblack3d {

using tiers = plait::hierarchical_decomposition<3>;

/// Blocks of one colour for `how.threads` threads a node: the same number of planes for each, or
/// IRR's two sets of threads in the ratio of their weights.  Precondition: how.threads >= 1.
[[nodiscard]] tiers tiers_of(const domain& whole, const policy& how);

/// Errors: usage_error where IRR's ratio cannot be had on a block, whichever rank's it is, so that
/// every rank says the same.
void check_shares(const domain& whole, const policy& how);

/// Of a node's block for whichever thread is free.
[[nodiscard]] plait::tiling tiling_of(const block_data& shape);

}  // namespace redblack3d
