// SPDX-License-Identifier: BSD-3-Clause
/// Finds what ranks of recordings have in common: their grid, their classes, and peers.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <plait/simulate/call_program.hpp>

namespace plait::simulate {

/// Rule by which an operation names its peer, on all ranks of a class.
struct peer_law {
  enum class rule : std::uint8_t { none, step, exclusive_or, same };
  rule by = rule::none;
  grid_step step{};         ///< periodic
  std::uint32_t value = 0;  ///< the rank, or what it is exclusive-or'ed with

  [[nodiscard]] std::uint32_t peer_of(std::uint32_t rank, const grid_extents& grid) const;
  friend bool operator==(const peer_law&, const peer_law&) = default;
};

struct class_member {
  std::uint32_t recording;
  std::uint32_t rank;
};

/// Ranks that do the same.
struct rank_class {
  std::vector<class_member> members;  ///< of the first recording first
  std::vector<peer_law> peers;        ///< of each operation
};

struct common_structure {
  std::vector<grid_extents> grids;  ///< of each recording
  std::size_t axes = 1;
  bool alike = false;                           ///< one class, number 0
  std::map<std::uint32_t, rank_class> classes;  ///< by `class_of`

  [[nodiscard]] std::uint32_t class_number(std::uint32_t rank, const grid_extents& grid) const;
};

/// Precondition: names of operations have the same numbers in all.  Errors: usage_error, one line,
/// what differs on the grids that fit furthest.
[[nodiscard]] common_structure structure_of(std::span<const recorded_calls> recorded);

}  // namespace plait::simulate
