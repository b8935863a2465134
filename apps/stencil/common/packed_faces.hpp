// SPDX-License-Identifier: BSD-3-Clause
/// A rank's faces packed one behind the other, as a neighbour collective sends and receives them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "face.hpp"

namespace plait::stencil {

/// Says which cells: those that neighbours need, or those that they have.
enum class faces_that : std::uint8_t { leave, arrive };

/// In an order in which the k-th face to a rank is the k-th from this one there.
struct packed_faces {
  /// Precondition: as `faces_of`.
  packed_faces(const decomposition<3>& blocks, int rank, faces_that which);

  std::vector<int> peers;
  std::vector<box<3>> cells;
  std::vector<int> counts, displacements;  ///< of values
  std::vector<double> values;

  [[nodiscard]] std::size_t size() const noexcept { return peers.size(); }
  [[nodiscard]] std::span<double> part(std::size_t i) {
    return std::span(values).subspan(static_cast<std::size_t>(displacements[i]),
                                     static_cast<std::size_t>(counts[i]));
  }
};

}  // namespace plait::stencil
