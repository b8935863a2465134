// SPDX-License-Identifier: BSD-3-Clause
/// Deals the devices of a node out to its ranks.
#pragma once

#include <cstddef>
#include <vector>

#include <plait/core/error.hpp>

namespace plait::detail {

/// Returns which of `count` devices are those of `share`, of `shares` ranks; where there are fewer
/// devices than ranks, one.  Precondition: share < shares.
[[nodiscard]] inline std::vector<std::size_t> device_share(std::size_t count, std::size_t share,
                                                           std::size_t shares) {
  PLAIT_EXPECTS(share < shares, "there are more shares than the one that is asked for");
  std::vector<std::size_t> mine;
  if (count == 0) return mine;
  if (count < shares) return {share % count};
  for (std::size_t i = share; i < count; i += shares) mine.push_back(i);
  return mine;
}

}  // namespace plait::detail
