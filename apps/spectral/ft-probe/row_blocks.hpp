// SPDX-License-Identifier: BSD-3-Clause
/// Blocks of rows that each rank sends to each rank.  Geometry only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/slabs.hpp"

namespace ft_probe {

using spectral::complex;
using spectral::index;
using spectral::range;

/// Each rank has rows of `length` complex numbers, one after the other, in a block for each rank.
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

}  // namespace ft_probe
