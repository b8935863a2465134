// SPDX-License-Identifier: BSD-3-Clause
#include "slabs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace spectral {
namespace {

constexpr index lines_together = 8;
constexpr index elements_of_a_cache_way = 256;  // 4 KiB

std::vector<range> tiles_of(index nx, index tile) {
  std::vector<range> result;
  for (index x = 0; x < nx; x += tile) result.push_back({x, std::min(x + tile, nx)});
  return result;
}

}  // namespace

index padded_row(index row) noexcept {
  return row % elements_of_a_cache_way == 0 ? row + lines_together : row;
}

std::vector<range> cut(const range& whole, index pieces) {
  std::vector<range> result;
  pieces = std::clamp<index>(pieces, 1, std::max<index>(whole.size(), 1));
  for (index i = 0; i < pieces; ++i)
    result.push_back(
        {whole.low + whole.size() * i / pieces, whole.low + whole.size() * (i + 1) / pieces});
  return result;
}

slabs::slabs(const std::string& option, std::array<index, 3> cells, int ranks, int rank, index tile)
    : cells_(cells), rank_(rank), tile_(std::min(tile, cells[0])), pitch_(padded_row(cells[0])) {
  PLAIT_EXPECTS(tile >= 1, std::to_string(tile));
  if (std::min(cells[1], cells[2]) < ranks)
    throw plait::usage_error(fmt::format(
        "{} {}x{}x{} has {} planes along {} for {} ranks; y and z need at least one for each",
        option, cells[0], cells[1], cells[2], std::min(cells[1], cells[2]),
        cells[1] < cells[2] ? "y" : "z", ranks));
  x_ = tiles_of(cells[0], tile_);
  y_ = cut({0, cells[1]}, ranks);
  z_ = cut({0, cells[2]}, ranks);
}

index slabs::line_side_offset(int peer, int tile) const {
  return own_y().size() * (nx() * z_of(peer).low + z_of(peer).size() * x_of(tile).low);
}

index slabs::line_side_size(int peer, int tile) const {
  return own_y().size() * z_of(peer).size() * x_of(tile).size();
}

index slabs::plane_side_offset(int peer, int tile) const {
  return own_z().size() * (nx() * y_of(peer).low + y_of(peer).size() * x_of(tile).low);
}

index slabs::plane_side_size(int peer, int tile) const {
  return own_z().size() * y_of(peer).size() * x_of(tile).size();
}

index usual_tile(const std::array<index, 3>& cells, int ranks) {
  constexpr index wanted_tiles = 8;
  constexpr index least_message = 4096;  // elements: 64 KiB
  index tile = std::max<index>(1, cells[0] / wanted_tiles);
  const index of_one_x = std::max<index>(1, cells[1] * cells[2] / ranks / ranks);
  tile = std::max(tile, (least_message + of_one_x - 1) / of_one_x);
  if (tile > lines_together / 2)
    tile = (tile + lines_together - 1) / lines_together * lines_together;
  return std::min(tile, cells[0]);
}

}  // namespace spectral
