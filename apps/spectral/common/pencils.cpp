// SPDX-License-Identifier: BSD-3-Clause
#include "pencils.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace spectral {
namespace {

constexpr index wanted_row_tiles = 8;
constexpr index least_message = 4096;  // elements: 64 KiB

bool has_cells_for(const std::array<index, 3>& cells, const rank_grid& ranks) {
  return std::min(cells[0], cells[1]) >= ranks.p && std::min(cells[1], cells[2]) >= ranks.q;
}

/// Returns the larger by the smaller number of ranks: 1 for a square.
double lopsidedness(const rank_grid& ranks) {
  return static_cast<double>(std::max(ranks.p, ranks.q)) / std::min(ranks.p, ranks.q);
}

slabs column_of(const std::string& option, const std::array<index, 3>& cells,
                const rank_grid& ranks, int rank, index tile) {
  PLAIT_EXPECTS(ranks.p >= 1 && ranks.q >= 1 && rank >= 0 && rank < ranks.p * ranks.q,
                fmt::format("rank {} of {}x{}", rank, ranks.p, ranks.q));
  if (ranks.p == 1) return {option, cells, ranks.q, rank, tile};
  if (!has_cells_for(cells, ranks))
    throw plait::usage_error(fmt::format(
        "{} {}x{}x{} has too few cells for {}x{} ranks: x and y need {} each, y and z {}", option,
        cells[0], cells[1], cells[2], ranks.p, ranks.q, ranks.p, ranks.q));
  const range x = cut({0, cells[0]}, ranks.p)[static_cast<std::size_t>(rank % ranks.p)];
  return {option, {x.size(), cells[1], cells[2]}, ranks.q, rank / ranks.p, tile};
}

/// The z's that travel together.  The ranks of a row have the same z's, and so the same tiles.
std::vector<range> row_tiles_of(const std::array<index, 3>& cells, const rank_grid& ranks,
                                const range& own_z) {
  if (ranks.p == 1) return {};
  const index of_one_z = std::max<index>(1, cells[0] * cells[1] / ranks.p / ranks.p);
  const index planes = std::max(
      {index{1}, own_z.size() / wanted_row_tiles, (least_message + of_one_z - 1) / of_one_z});
  return cut(own_z, own_z.size() / planes);
}

}  // namespace

rank_grid choose_pencils(const std::string& option, const std::array<index, 3>& cells, int ranks,
                         const rank_grid& wanted) {
  rank_grid best{0, 0};
  for (int p = 1; p <= ranks; ++p) {
    const rank_grid one{p, ranks / p};
    if (ranks % p != 0 || (wanted.p != 0 && wanted.p != one.p) ||
        (wanted.q != 0 && wanted.q != one.q) || !has_cells_for(cells, one))
      continue;
    if (best.p == 0 || lopsidedness(one) < lopsidedness(best)) best = one;
  }
  if (best.p != 0) return best;
  const bool fits = ranks % std::max(wanted.p, 1) == 0 && ranks % std::max(wanted.q, 1) == 0 &&
                    (wanted.p == 0 || wanted.q == 0 || wanted.p * wanted.q == ranks);
  if (!fits)
    throw plait::usage_error(
        fmt::format("--grid is {}x{}, which {} ranks cannot form", wanted.p, wanted.q, ranks));
  if (wanted.p != 0 && wanted.q != 0) return wanted;  // `pencils` says what they lack
  throw plait::usage_error(fmt::format(
      "{} {}x{}x{} has too few cells for {} ranks in pencils PxQ: x and y need P each, y and z Q",
      option, cells[0], cells[1], cells[2], ranks));
}

pencils::pencils(const std::string& option, std::array<index, 3> cells, rank_grid ranks, int rank,
                 index tile)
    : cells_(cells),
      grid_(ranks),
      rank_(rank),
      pitch_(padded_row(cells[0])),
      x_(cut({0, cells[0]}, ranks.p)),
      y_(cut({0, cells[1]}, ranks.p)),
      column_(column_of(option, cells, ranks, rank, tile)),
      z_(row_tiles_of(cells, ranks, column_.own_z())) {}

index pencils::x_side_offset(int p, index z) const {
  return own_z().size() * own_y().size() * x_of(p).low + (z - own_z().low) * x_side_plane(p);
}

index pencils::y_side_offset(int p, index z) const {
  return own_z().size() * own_x().size() * y_of(p).low + (z - own_z().low) * y_side_plane(p);
}

index pencils::x_side_size() const {
  return are_slabs() ? 0 : own_z().size() * own_y().size() * nx();
}

index pencils::y_side_size() const {
  return are_slabs() ? 0 : own_z().size() * own_x().size() * ny();
}

index usual_tile(const std::array<index, 3>& cells, const rank_grid& ranks) {
  const index x = (cells[0] + ranks.p - 1) / ranks.p;
  return usual_tile({x, cells[1], cells[2]}, ranks.q);
}

}  // namespace spectral
