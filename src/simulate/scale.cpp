// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/scale.hpp>

#include "simulate/ranks/grid_places.hpp"

namespace plait::simulate {
namespace {

using coordinates = grid_extents;

/// The shortest way from one rank to another.
[[nodiscard]] grid_step step_between(const coordinates& from, const coordinates& to,
                                     const grid_extents& grid) {
  grid_step step{};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    const auto extent = static_cast<std::int32_t>(grid[axis]);
    const auto ahead = static_cast<std::int32_t>((to[axis] + grid[axis] - from[axis]) % grid[axis]);
    step[axis] = 2 * ahead > extent ? ahead - extent : ahead;
  }
  return step;
}

/// All grids of `ranks` places with at least 3 an axis, those of the fewest axes first.
void add_grids(std::uint32_t ranks, std::size_t axes, std::vector<std::uint32_t>& chosen,
               std::vector<grid_extents>& all) {
  if (axes == 1) {
    if (ranks < 3) return;
    grid_extents grid{1, 1, 1, 1};
    std::ranges::copy(chosen, grid.end() - static_cast<std::ptrdiff_t>(chosen.size()) - 1);
    grid.back() = ranks;
    all.push_back(grid);
    return;
  }
  for (std::uint32_t extent = 3; extent <= ranks / 3; ++extent) {
    if (ranks % extent != 0) continue;
    chosen.push_back(extent);
    add_grids(ranks / extent, axes - 1, chosen, all);
    chosen.pop_back();
  }
}

[[nodiscard]] std::vector<grid_extents> grids_of(std::uint32_t ranks) {
  std::vector<grid_extents> all;
  std::vector<std::uint32_t> chosen;
  for (std::size_t axes = 1; axes <= std::tuple_size_v<grid_extents>; ++axes)
    add_grids(ranks, axes, chosen, all);
  return all;
}

/// First place where a rank does something else than rank 0 does on this grid.
struct misfit {
  std::uint32_t rank = 0;
  std::uint32_t operation = 0;
};

[[nodiscard]] bool is_message(const operation& what) {
  return what.kind != operation_kind::calculation;
}

[[nodiscard]] bool has_one_peer(const operation& what) {
  return what.rule == peer_rule::shift || (what.rule == peer_rule::rank && what.peer != any);
}

/// Returns whether two operations are equal but for their peers.
[[nodiscard]] bool alike(operation a, operation b) {
  a.peer = b.peer = 0;
  return a == b;
}

/// Precondition: edges and numbers of operations of all ranks are equal.
[[nodiscard]] misfit misfit_of(const program& written, const grid_extents& grid) {
  const rank_template& first = written.of_rank(0);
  for (std::uint32_t rank = 1; rank < written.ranks(); ++rank) {
    const rank_template& other = written.of_rank(rank);
    for (std::uint32_t i = 0; i < first.size(); ++i) {
      const operation& a = first.operations[i];
      const operation& b = other.operations[i];
      if (!alike(a, b)) return {rank, i};
      if (!is_message(a)) continue;
      const auto step = [&](std::uint32_t from, std::uint32_t to) {
        return step_between(coordinates_of(from, grid), coordinates_of(to, grid), grid);
      };
      if (step(0, peer_of(written, a, 0)) != step(rank, peer_of(written, b, rank)))
        return {rank, i};
    }
  }
  return {written.ranks(), 0};
}

void check_alike(const program& written) {
  if (written.ranks() < 3) throw usage_error("fewer than 3 ranks: their grid is not known");
  if (!written.pace.empty()) throw usage_error("ranks have paces of their own");
  const rank_template& first = written.of_rank(0);
  for (std::uint32_t rank = 0; rank < written.ranks(); ++rank) {
    const rank_template& other = written.of_rank(rank);
    if (other.size() != first.size() || other.after_end != first.after_end ||
        other.after_start != first.after_start)
      throw usage_error(
          fmt::format("rank {} has other operations or another order than rank 0", rank));
  }
  for (const operation& what : first.operations)
    if (is_message(what) && !has_one_peer(what))
      throw usage_error(fmt::format("{}: its peer is no single rank", text_of(written, what, 0)));
}

[[nodiscard]] program put_on(const program& written, const grid_extents& grid) {
  program made = written;
  made.grid = grid;
  made.templates = {written.of_rank(0)};
  made.templates[0].lines.clear();
  made.template_of.assign(written.ranks(), 0);
  for (operation& what : made.templates[0].operations) {
    if (!is_message(what)) continue;
    const grid_step step = step_between({}, coordinates_of(peer_of(written, what, 0), grid), grid);
    const auto found = std::ranges::find(made.steps, step);
    what.rule = peer_rule::grid_step;
    what.peer = static_cast<std::uint32_t>(found - made.steps.begin());
    if (found == made.steps.end()) made.steps.push_back(step);
  }
  return made;
}

[[nodiscard]] std::size_t axes_of(const grid_extents& grid) {
  return static_cast<std::size_t>(
      std::ranges::count_if(grid, [](std::uint32_t extent) { return extent > 1; }));
}

/// Returns whether a step there and a step back may lead to the same rank.
[[nodiscard]] bool is_too_long(const grid_step& step, const grid_extents& grid) {
  for (std::size_t axis = 0; axis < grid.size(); ++axis)
    if (2 * static_cast<std::uint32_t>(std::abs(step[axis])) >= std::max(grid[axis], 1U))
      return true;
  return false;
}

[[nodiscard]] grid_step reversed(grid_step step) {
  for (std::int32_t& along : step) along = -along;
  return step;
}

}  // namespace

program on_periodic_grid(const program& written) {
  check(written);
  check_alike(written);
  misfit furthest;
  for (const grid_extents& grid : grids_of(written.ranks())) {
    const misfit found = misfit_of(written, grid);
    if (found.rank == written.ranks()) return put_on(written, grid);
    if (std::pair(found.rank, found.operation) > std::pair(furthest.rank, furthest.operation))
      furthest = found;
  }
  throw usage_error(
      fmt::format("rank {}: {}: no periodic grid has all ranks do the same", furthest.rank,
                  text_of(written, written.of_rank(furthest.rank).operations[furthest.operation],
                          furthest.rank)));
}

program with_grid(const program& of, const grid_extents& grid) {
  if (axes_of(of.grid) == 0) throw usage_error("the program has no grid");
  if (axes_of(grid) != axes_of(of.grid))
    throw usage_error(fmt::format("the program's grid has {} axes, {} are given", axes_of(of.grid),
                                  axes_of(grid)));
  std::uint64_t ranks = 1;
  for (const std::uint32_t extent : grid) ranks = std::min<std::uint64_t>(ranks * extent, any);
  if (ranks > 1'000'000'000) throw usage_error("the grid has more than 1,000,000,000 ranks");
  for (const grid_step& step : of.steps)
    if (is_too_long(step, grid)) throw usage_error("a step is as long as half of an axis");
  program made = of;
  made.grid = grid;
  made.template_of.assign(ranks, 0);
  return made;
}

std::string why_not_alike(const program& of) {
  if (of.templates.size() != 1) return "ranks have different operations";
  if (!of.pace.empty()) return "ranks have paces of their own";
  for (const operation& what : of.templates[0].operations) {
    if (what.duration == duration_rule::drawn) return "durations are drawn for each rank";
    if (!is_message(what)) continue;
    if (what.rule != peer_rule::grid_step)
      return "peers are no steps in a grid: " + text_of(of, what, 0);
    if (what.tag == any) return "a receive takes any tag: " + text_of(of, what, 0);
  }
  for (const grid_step& step : of.steps)
    if (is_too_long(step, of.grid)) return "a step is as long as half of an axis";
  return {};
}

program one_for_all(const program& of) {
  PLAIT_EXPECTS(why_not_alike(of).empty(), why_not_alike(of));
  program one;
  one.templates = of.templates;
  one.template_of = {0};
  one.iterations = of.iterations;
  one.unit_ps = of.unit_ps;
  one.samples = of.samples;
  one.names = of.names;
  // A message is told from those of other neighbours by its tag: one for each step and tag.
  std::vector<std::pair<grid_step, std::uint32_t>> channels;
  for (operation& what : one.templates[0].operations) {
    if (!is_message(what)) continue;
    const grid_step step = of.steps[what.peer];
    const std::pair channel{what.kind == operation_kind::send ? step : reversed(step), what.tag};
    const auto found = std::ranges::find(channels, channel);
    what.tag = static_cast<std::uint32_t>(found - channels.begin());
    what.rule = peer_rule::rank;
    what.peer = 0;
    if (found == channels.end()) channels.push_back(channel);
  }
  return one;
}

}  // namespace plait::simulate
