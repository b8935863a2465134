// SPDX-License-Identifier: BSD-3-Clause
#include "row_blocks.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace spectral {

row_blocks row_blocks::of_rows(const std::string& option, index rows, index length, int ranks) {
  if (rows < ranks)
    throw plait::usage_error(
        fmt::format("{} is {}; {} ranks need at least {} rows", option, rows, ranks, ranks));
  return {length,
          std::vector<std::vector<range>>(static_cast<std::size_t>(ranks), cut({0, rows}, ranks))};
}

row_blocks row_blocks::of_grid(const std::string& option, const std::array<index, 3>& cells,
                               int ranks) {
  const slabs shape(option, cells, ranks, 0, cells[0]);
  std::vector<std::vector<range>> sent(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const index planes = shape.z_of(from).size();
      const range y = shape.y_of(to);
      sent[static_cast<std::size_t>(from)].push_back({y.low * planes, y.high * planes});
    }
  return {cells[0], std::move(sent)};
}

index row_blocks::place(int from, int to) const {
  index before = 0;
  for (int rank = 0; rank < from; ++rank) before += sent(rank, to).size();
  return before;
}

index row_blocks::largest_block() const {
  index most = 0;
  for (const auto& blocks : sent_)
    for (const range& one : blocks) most = std::max(most, one.size());
  return most;
}

index row_blocks::fewest_rows() const {
  index fewest = rows_of(0);
  for (int rank = 1; rank < ranks(); ++rank) fewest = std::min(fewest, rows_of(rank));
  return fewest;
}

index row_blocks::most_sent() const {
  index most = 0;
  for (int rank = 0; rank < ranks(); ++rank)
    most = std::max(most, rows_of(rank) - sent(rank, rank).size());
  return most;
}

std::span<complex> row_memory::outgoing(const range& rows) const {
  const index length = shape_->length();
  return {leaving_ + rows.low * length, static_cast<std::size_t>(rows.size() * length)};
}

std::span<complex> row_memory::incoming(int from, const range& rows) const {
  const index length = shape_->length();
  const index first = shape_->place(from, rank_) + rows.low - shape_->sent(from, rank_).low;
  return arriving_.subspan(static_cast<std::size_t>(first * length),
                           static_cast<std::size_t>(rows.size() * length));
}

index row_memory::place_at(int to, const range& rows) const {
  return (shape_->place(rank_, to) + rows.low - shape_->sent(rank_, to).low) * shape_->length();
}

}  // namespace spectral
