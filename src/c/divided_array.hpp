// SPDX-License-Identifier: BSD-3-Clause
/// Arrays of the program's own that are divided among ranks: what each rank has, checked, and told
/// to the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "c/calls.hpp"

namespace plait::c {

using numbers = std::array<std::int64_t, PLAIT_AXES>;
/// Axes of the program's, the fastest first.
using axis_order = std::vector<std::size_t>;

/// A number that all ranks give alike.
struct agreed {
  std::string what;
  std::int64_t value;
};

/// A block of any rank.
struct placed_block {
  numbers first;
  numbers cells;
  int rank;
};

/// An array: as this rank describes it, and the blocks of all ranks once these have told.
struct divided_array {
  plait_array own{};
  std::vector<placed_block> all = {};

  [[nodiscard]] std::size_t axes() const noexcept { return static_cast<std::size_t>(own.axes); }
  [[nodiscard]] std::span<const plait_array_block> blocks() const noexcept {
    return {own.blocks, static_cast<std::size_t>(own.block_count)};
  }
  /// Cells of a block along an axis, with its ghosts.
  [[nodiscard]] std::int64_t width(const plait_array_block& block, std::size_t k) const noexcept {
    return block.cells[k] + 2 * own.ghosts[k];
  }
};

/// Parts of a move: the same on all ranks but for each one's own part of the arrays.
struct described_move {
  std::vector<agreed> facts = {};
  std::vector<divided_array> arrays = {};
  axis_order order = {};
  bool dense = true;  ///< elements lie side by side along the first axis of `order`, on all ranks
};

/// Returns the description of an array, which makes sense for itself.  `role`: "" or "source: ".
/// Errors: usage_error, version_error.
[[nodiscard]] divided_array read_array(const plait_array* given, const char* function,
                                       const std::string& role);
/// Returns " along axis k".
[[nodiscard]] std::string along(std::size_t k);
/// Appends what all ranks have to say alike of an array.
void add_facts(const divided_array& a, std::vector<agreed>& facts);
/// Collective.  Completes the description by the blocks of all ranks.  A rank that was refused
/// tells the others, so that none waits for it, and throws the refusal.  Errors: usage_error on all
/// ranks where one was refused or says something else than rank 0.
void agree(plait_runtime& rt, described_move& move, const std::exception_ptr& refusal);

}  // namespace plait::c
