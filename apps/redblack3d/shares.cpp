// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include <algorithm>
#include <array>

namespace redblack3d {
namespace {

/// IRR's sets, if each thread of either gets a plane.
std::vector<plait::worker_set> sets_of(const box& cells, plait::axis along, const policy& how) {
  if (how.share != policy::sharing::irregular) return {{.workers = how.threads}};
  const std::vector<plait::worker_set> sets{
      {.workers = (how.threads + 1) / 2, .weight = static_cast<double>(how.first_weight)},
      {.workers = how.threads / 2, .weight = static_cast<double>(how.second_weight)}};
  const std::vector<box> parts =
      plait::cut(cells, along, std::vector{sets[0].weight, sets[1].weight});
  const bool enough =
      parts[0].extent(along) >= sets[0].workers && parts[1].extent(along) >= sets[1].workers;
  return enough ? sets : std::vector<plait::worker_set>{{.workers = how.threads}};
}

}  // namespace

shares share_out(const box& cells, const policy& how) {
  if (cells.empty()) return shares(static_cast<std::size_t>(how.threads));
  for (const plait::axis along : {plait::axis::z, plait::axis::y}) {
    if (cells.extent(along) < how.threads) continue;
    shares result;
    for (const box& own : plait::cut(cells, along, sets_of(cells, along, how)))
      result.push_back({own});
    return result;
  }
  return plait::shared_out<3>(std::array{cells}, how.threads);
}

std::vector<box> cut_finely(const block_data& shape, const box& cells, int threads) {
  // Small enough that nobody waits long for the last one, large enough to be worth a task, and so
  // that the planes two of them share are still in the cache.
  constexpr std::int64_t largest = std::int64_t{1} << 18;
  constexpr std::int64_t smallest = std::int64_t{1} << 11;
  const std::int64_t pieces = 8 * static_cast<std::int64_t>(threads);
  std::vector<box> result;
  for_each_piece(shape, cells, std::clamp((cells.size() + pieces - 1) / pieces, smallest, largest),
                 [&](const box& piece) { result.push_back(piece); });
  return result;
}

}  // namespace redblack3d
