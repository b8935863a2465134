// SPDX-License-Identifier: BSD-3-Clause
#include "shares.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace redblack3d {
namespace {

using plait::axis;

/// IRR's.
std::vector<plait::worker_set> sets_of(const policy& how) {
  return {{.workers = (how.threads + 1) / 2, .weight = static_cast<double>(how.first_weight)},
          {.workers = how.threads / 2, .weight = static_cast<double>(how.second_weight)}};
}

/// The axis along which both of IRR's sets get a plane for each of their threads, if there is one.
std::optional<axis> axis_for(const box& cells, const std::vector<plait::worker_set>& sets) {
  for (const axis along : {axis::z, axis::y, axis::x}) {
    if (cells.extent(along) < sets[0].workers + sets[1].workers) continue;
    const std::vector<box> parts =
        plait::cut(cells, along, std::vector{sets[0].weight, sets[1].weight});
    if (parts[0].extent(along) >= sets[0].workers && parts[1].extent(along) >= sets[1].workers)
      return along;
  }
  return std::nullopt;
}

shares one_each(const std::vector<box>& boxes) {
  shares result;
  for (const box& own : boxes) result.push_back({own});
  return result;
}

}  // namespace

shares share_out(const box& cells, const policy& how) {
  if (cells.empty()) return shares(static_cast<std::size_t>(how.threads));
  if (how.share == policy::sharing::irregular) {
    const std::vector<plait::worker_set> sets = sets_of(how);
    const std::optional<axis> along = axis_for(cells, sets);
    PLAIT_EXPECTS(along, how.name());
    return one_each(plait::cut(cells, *along, sets));
  }
  for (const axis along : {axis::z, axis::y})
    if (cells.extent(along) >= how.threads)
      return one_each(plait::cut(
          cells, along, std::vector<plait::worker_set>{plait::worker_set{.workers = how.threads}}));
  return plait::shared_out<3>(std::array{cells}, how.threads);
}

void check_shares(const domain& whole, int ranks, const policy& how) {
  if (how.share != policy::sharing::irregular) return;
  const std::vector<plait::worker_set> sets = sets_of(how);
  for (int rank = 0; rank < ranks; ++rank) {
    const box cells = how.overlap ? plait::peel(whole.blocks(), whole.block_of(rank)).interior
                                  : whole.block(rank);
    if (cells.empty() || axis_for(cells, sets)) continue;
    const plait::extents<3> n = cells.extent();
    throw plait::usage_error(fmt::format(
        "policy {} cannot divide the {}x{}x{} cells of a colour that rank {} has{}: along no axis "
        "are there enough for {} threads and {}",
        how.name(), n.along[0], n.along[1], n.along[2], rank, how.overlap ? " off its annulus" : "",
        sets[0].workers, sets[1].workers));
  }
}

std::vector<box> cut_finely(const block_data& shape, const box& cells, int threads) {
  // Small enough that nobody waits long for the last one, large enough to be worth a task, and so
  // that the planes two of them share are still in the cache.
  constexpr std::int64_t largest = std::int64_t{1} << 18;
  constexpr std::int64_t smallest = std::int64_t{1} << 11;
  const std::int64_t pieces = 8 * static_cast<std::int64_t>(threads);
  std::vector<box> result;
  plait::app::for_each_piece(cells, tile_rows(shape),
                             std::clamp((cells.size() + pieces - 1) / pieces, smallest, largest),
                             [&](const box& piece) { result.push_back(piece); });
  return result;
}

}  // namespace redblack3d
