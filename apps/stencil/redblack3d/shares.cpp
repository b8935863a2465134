// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include <fmt/format.h>

#include "common/cache_tiles.hpp"

namespace redblack3d {

tiers tiers_of(const plait::stencil::domain& whole, const policy& how) {
  if (how.share != policy::sharing::irregular) return {whole.blocks(), {{.workers = how.threads}}};
  return {whole.blocks(),
          {{.workers = (how.threads + 1) / 2, .weight = static_cast<double>(how.first_weight)},
           {.workers = how.threads / 2, .weight = static_cast<double>(how.second_weight)}}};
}

void check_shares(const plait::stencil::domain& whole, const policy& how) {
  if (how.share != policy::sharing::irregular) return;
  try {
    tiers_of(whole, how)
        .check_shares(how.overlap ? plait::block_part::interior : plait::block_part::whole);
  } catch (const plait::usage_error& refused) {
    throw plait::usage_error(
        fmt::format("policy {}, of either colour: {}", how.name(), refused.what()));
  }
}

plait::tiling tiling_of(const block_data& shape) {
  return {.rows = plait::stencil::tile_rows(shape.u[0])};
}

}  // namespace redblack3d
