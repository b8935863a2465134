// SPDX-License-Identifier: BSD-3-Clause
/// A shape as the algorithms see it: in bytes, and with the differences between a call in place and
/// one that is not, and between blocks of one size and of several, resolved.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plait/collective/shape.hpp>

#include "collective/writer.hpp"

namespace plait::collective {

struct operands {
  const shape& call;
  algorithm how;
  int ranks;
  int rank;
  int root;
  bool in_place;  ///< and this means something on this rank
  /// The vector (for gather and allgather in place: the rank's block), and the one of the result.
  slice input = {};
  slice output = {};
  /// One for each rank, or for each destination and source; empty where the rank has none.
  std::vector<slice> inputs = {};
  std::vector<slice> outputs = {};

  [[nodiscard]] bool is_root() const noexcept { return rank == root; }
  /// The rank that is `distance` away on the ring of ranks, -ranks <= distance <= ranks.
  [[nodiscard]] int ring(int distance) const noexcept { return (rank + distance + ranks) % ranks; }
};

/// The place of a rank's block among those of all.
[[nodiscard]] inline std::size_t index(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Checks the preconditions of `build`.
[[nodiscard]] operands operands_of(const shape& call, algorithm how);

[[nodiscard]] footprint footprint_of(const operands& o);

/// `whole` in fragments of `fragment_bytes`, rounded down to elements.
[[nodiscard]] std::vector<slice> fragments_of(const slice& whole, const shape& call);
/// `whole` in `parts` parts whose numbers of elements differ by one at most.
[[nodiscard]] std::vector<slice> parts_of(const slice& whole, int parts, std::size_t element_bytes);

}  // namespace plait::collective
