// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include <plait/array/block_copies.hpp>
#include <plait/array/cut.hpp>
#include <plait/core/error.hpp>

namespace plait {
namespace {

std::int64_t floor_divided(std::int64_t value, std::int64_t by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

// Calls visit(distance) for every distance, a multiple of the domain's size along periodic axes,
// that brings cells of the domain into `wanted`.
template <int D, class Visit>
void for_each_image(const decomposition<D>& blocks, const box<D>& wanted, Visit&& visit) {
  const box<D>& domain = blocks.global();
  box<D> images;  // how many domains below and above
  for (const axis a : axes<D>) {
    images.high[a] = 1;
    if (!blocks.periodic(a)) continue;
    images.low[a] = floor_divided(wanted.low[a] - domain.low[a], domain.extent(a));
    images.high[a] = floor_divided(wanted.high[a] - 1 - domain.low[a], domain.extent(a)) + 1;
  }
  for_each_cell(images, [&](const point<D>& image) {
    extents<D> distance;
    for (const axis a : axes<D>) distance[a] = image[a] * domain.extent(a);
    visit(static_cast<const extents<D>&>(distance));
  });
}

// The boxes of ghosts whose cells a stencil reads.
template <int D>
std::vector<box<D>> wanted_by(const decomposition<D>& blocks, int id, ghost_reach reach) {
  if (reach == ghost_reach::all) return {blocks.block_with_ghosts(id)};
  std::vector<box<D>> result;
  for (const axis a : axes<D>)
    for (const side s : both_sides) {
      const box<D> layers = layers_outside(blocks.block(id), a, s, blocks.ghosts()[a]);
      if (!layers.empty() && blocks.has_neighbour(id, a, s)) result.push_back(layers);
    }
  return result;
}

template <int D>
void sort_tail(std::vector<block_copy<D>>& copies, std::size_t first) {
  std::sort(copies.begin() + static_cast<std::ptrdiff_t>(first), copies.end(),
            [](const block_copy<D>& l, const block_copy<D>& r) {
              const auto key = [](const block_copy<D>& c) {
                return std::tie(c.source, c.distance.along, c.from.low.along);
              };
              return key(l) < key(r);
            });
}

// Appends what fills the ghosts of one block.
template <int D>
void append_ghosts_of(const decomposition<D>& blocks, int id, ghost_reach reach,
                      std::vector<int>& found, std::vector<block_copy<D>>& copies) {
  const std::size_t first = copies.size();
  for (const box<D>& wanted : wanted_by(blocks, id, reach))
    for_each_image(blocks, wanted, [&](const extents<D>& distance) {
      const box<D> there = shift(wanted, -distance);
      blocks.tree().find_overlapping(there, found);
      for (const int source : found) {
        if (source == id && distance == extents<D>()) continue;
        copies.push_back({source, id, intersect(there, blocks.block(source)), distance});
      }
    });
  sort_tail(copies, first);
}

}  // namespace

template <int D>
std::vector<block_copy<D>> ghost_copies(const decomposition<D>& blocks, ghost_reach reach) {
  std::vector<block_copy<D>> result;
  std::vector<int> found;
  for (int id = 0; id < static_cast<int>(blocks.blocks().size()); ++id)
    append_ghosts_of(blocks, id, reach, found, result);
  return result;
}

template <int D>
std::vector<block_copy<D>> ghost_copies(const decomposition<D>& blocks, ghost_reach reach,
                                        int rank) {
  // Ghosts are as wide on both sides: whoever wants a block's cells has cells in its ghosts.
  std::vector<int> destinations(blocks.blocks_of(rank).begin(), blocks.blocks_of(rank).end());
  std::vector<int> found;
  for (const int id : blocks.blocks_of(rank))
    for_each_image(blocks, blocks.block_with_ghosts(id), [&](const extents<D>& distance) {
      blocks.tree().find_overlapping(shift(blocks.block_with_ghosts(id), -distance), found);
      destinations.insert(destinations.end(), found.begin(), found.end());
    });
  std::ranges::sort(destinations);
  destinations.erase(std::unique(destinations.begin(), destinations.end()), destinations.end());
  std::vector<block_copy<D>> result;
  for (const int id : destinations) {
    const std::size_t first = result.size();
    append_ghosts_of(blocks, id, reach, found, result);
    if (blocks.rank_of(id) == rank) continue;
    const auto others =
        std::remove_if(result.begin() + static_cast<std::ptrdiff_t>(first), result.end(),
                       [&](const block_copy<D>& c) { return blocks.rank_of(c.source) != rank; });
    result.erase(others, result.end());
  }
  return result;
}

namespace {

template <int D>
void expect_same_domain(const decomposition<D>& from, const decomposition<D>& to) {
  if (from.global() != to.global())
    throw usage_error("a domain of " + to_string(from.global().extent()) +
                      " cells cannot be redistributed to one of " +
                      to_string(to.global().extent()) + "; they must have the same size");
}

template <int D>
void append_redistributed(const decomposition<D>& from, const decomposition<D>& to, int id,
                          std::vector<int>& found, std::vector<block_copy<D>>& copies) {
  from.tree().find_overlapping(to.block(id), found);
  for (const int source : found)
    copies.push_back({source, id, intersect(from.block(source), to.block(id)), {}});
}

}  // namespace

template <int D>
std::vector<block_copy<D>> redistribution_copies(const decomposition<D>& from,
                                                 const decomposition<D>& to) {
  expect_same_domain(from, to);
  std::vector<block_copy<D>> result;
  std::vector<int> found;
  for (int id = 0; id < static_cast<int>(to.blocks().size()); ++id)
    append_redistributed(from, to, id, found, result);
  return result;
}

template <int D>
std::vector<block_copy<D>> redistribution_copies(const decomposition<D>& from,
                                                 const decomposition<D>& to, int rank) {
  expect_same_domain(from, to);
  std::vector<block_copy<D>> result;
  std::vector<int> found;
  for (const int id : to.blocks_of(rank)) append_redistributed(from, to, id, found, result);
  for (const int source : from.blocks_of(rank)) {
    to.tree().find_overlapping(from.block(source), found);
    for (const int id : found)
      if (to.rank_of(id) != rank)
        result.push_back({source, id, intersect(from.block(source), to.block(id)), {}});
  }
  std::ranges::sort(result, [](const block_copy<D>& l, const block_copy<D>& r) {
    return std::tie(l.destination, l.source) < std::tie(r.destination, r.source);
  });
  return result;
}

template <int D>
std::vector<block_copy<D>> in_parts(const std::vector<block_copy<D>>& copies, std::int64_t cells) {
  std::vector<block_copy<D>> result;
  for (block_copy<D> one : copies)
    for (const box<D>& part : cut_in_parts(one.from, cells)) {
      one.from = part;
      result.push_back(one);
    }
  return result;
}

#define PLAIT_BLOCK_COPIES(D)                                                                    \
  template std::vector<block_copy<D>> in_parts(const std::vector<block_copy<D>>&, std::int64_t); \
  template std::vector<block_copy<D>> ghost_copies(const decomposition<D>&, ghost_reach);        \
  template std::vector<block_copy<D>> ghost_copies(const decomposition<D>&, ghost_reach, int);   \
  template std::vector<block_copy<D>> redistribution_copies(const decomposition<D>&,             \
                                                            const decomposition<D>&);            \
  template std::vector<block_copy<D>> redistribution_copies(const decomposition<D>&,             \
                                                            const decomposition<D>&, int);
PLAIT_BLOCK_COPIES(1)
PLAIT_BLOCK_COPIES(2)
PLAIT_BLOCK_COPIES(3)
PLAIT_BLOCK_COPIES(4)

}  // namespace plait
