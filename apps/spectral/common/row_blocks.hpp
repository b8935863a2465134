// SPDX-License-Identifier: BSD-3-Clause
/// Blocks of rows that each rank sends to each rank, and the memory of a rank's rows.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "slabs.hpp"

namespace spectral {

/// Each rank has rows of `length` complex numbers, one after the other, in a block for each rank.
/// Geometry only.
class row_blocks {
 public:
  /// N rows on each rank, as in section 5.1.  Errors: usage_error beginning with `option` where a
  /// rank would get no row of another one.
  static row_blocks of_rows(const std::string& option, index rows, index length, int ranks);
  /// A grid whose planes lie on ranks by z, before the transpose that brings them there by y: rows
  /// are along x.  Errors: as `spectral::slabs`.
  static row_blocks of_grid(const std::string& option, const std::array<index, 3>& cells,
                            int ranks);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(sent_.size()); }
  [[nodiscard]] index length() const noexcept { return length_; }
  /// Returns the rows of `from` that go to `to`, by their number on `from`.
  [[nodiscard]] range sent(int from, int to) const {
    return sent_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  [[nodiscard]] index rows_of(int rank) const { return sent(rank, ranks() - 1).high; }
  /// Returns where the block from `from` begins at `to`, in rows.
  [[nodiscard]] index place(int from, int to) const;
  [[nodiscard]] index rows_to(int rank) const { return place(ranks(), rank); }
  /// Returns the largest block's rows.
  [[nodiscard]] index largest_block() const;
  /// Returns the fewest rows that a rank has.
  [[nodiscard]] index fewest_rows() const;
  /// Returns the rows that leave the rank that sends most.
  [[nodiscard]] index most_sent() const;

 private:
  row_blocks(index length, std::vector<std::vector<range>> sent)
      : length_(length), sent_(std::move(sent)) {}
  index length_;
  std::vector<std::vector<range>> sent_;  ///< by sender and receiver
};

/// Calls `body(peer, rows)` for the blocks of a rank in the order of Algorithms 3 to 5: a piece of
/// each block in turn, from the next rank's to its own.  `pieces` of a block, or a row each where
/// it has fewer.
template <class Body>
void for_pieces_in_turn(const row_blocks& shape, int rank, index pieces, Body&& body) {
  std::vector<std::vector<range>> blocks;
  std::size_t most = 0;
  for (int peer = 0; peer < shape.ranks(); ++peer) {
    blocks.push_back(cut(shape.sent(rank, peer), pieces));
    most = std::max(most, blocks.back().size());
  }
  for (std::size_t i = 0; i < most; ++i)
    for (int t = 1; t <= shape.ranks(); ++t) {
      const int peer = (t + rank) % shape.ranks();
      const std::vector<range>& block = blocks[static_cast<std::size_t>(peer)];
      if (i < block.size()) body(peer, block[i]);
    }
}

/// Places of the rows of one rank: those that leave, and those that arrive.
class row_memory {
 public:
  explicit row_memory(int rank) : rank_(rank) {}
  /// `shape` and the memory outlive it; each is large enough for all rows of this rank, or to it.
  void lie_in(complex* leaving, std::span<complex> arriving) {
    leaving_ = leaving;
    arriving_ = arriving;
  }
  void take(const row_blocks& shape) { shape_ = &shape; }

  [[nodiscard]] const row_blocks& shape() const noexcept { return *shape_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns rows that leave.
  [[nodiscard]] std::span<complex> outgoing(const range& rows) const;
  /// Returns where these rows of rank `from` arrive.
  [[nodiscard]] std::span<complex> incoming(int from, const range& rows) const;
  /// Returns the memory for all that arrives, of any shape.
  [[nodiscard]] std::span<complex> memory_of_incoming() const noexcept { return arriving_; }
  /// Returns where these rows of this rank begin in what arrives at `to`, in elements.
  [[nodiscard]] index place_at(int to, const range& rows) const;

 private:
  int rank_;
  const row_blocks* shape_ = nullptr;
  complex* leaving_ = nullptr;
  std::span<complex> arriving_;
};

}  // namespace spectral
