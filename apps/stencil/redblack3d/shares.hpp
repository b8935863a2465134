// SPDX-License-Identifier: BSD-3-Clause
/// Shares of the blocks of nodes among the threads of a policy, and of the cores with its proxy.
#pragma once

#include <plait/plait.hpp>

#include "kernel.hpp"
#include "policy.hpp"

namespace redblack3d {

using tiers = plait::hierarchical_decomposition<3>;

/// Blocks of one colour for `how.threads` threads a node: the same number of planes for each, or
/// IRR's two sets of threads in the ratio of their weights.  Precondition: how.threads >= 1.
[[nodiscard]] tiers tiers_of(const plait::stencil::domain& whole, const policy& how);

/// Errors: usage_error where IRR's ratio cannot be had on a block, whichever rank's it is, so that
/// every rank says the same.
void check_shares(const plait::stencil::domain& whole, const policy& how);

/// Of a node's block for whichever thread is free.
[[nodiscard]] plait::tiling tiling_of(const block_data& shape);

/// XTRA's proxy thread beside so many that sweep (0: one on each core): one that spins where a core
/// is free for it, else one that sleeps most of the time and does not wait for them to look after
/// messages.
[[nodiscard]] inline plait::progress progress_of_proxy(const plait::environment& env, int threads) {
  const bool core_is_free =
      threads > 0 && plait::fair_share(env.node_units(), env.node_rank()) > threads;
  return core_is_free ? plait::progress::automatic : plait::progress::sleeping;
}

}  // namespace redblack3d
