// SPDX-License-Identifier: BSD-3-Clause
/// The exchange of a block's ghosts in plain MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <plait/plait.hpp>

#include "face.hpp"
#include "measure/rows/plain_exchange.hpp"

namespace plait::stencil {

/// z faces are sent from and received into the array; x and y faces are packed.  Between posting
/// and the end the edges and ghosts of the array belong to MPI.
class halo_mpi final : public measure::plain_exchange {
 public:
  /// `u` outlives it, in place.  Its messages have `face_tags` tags from `first_tag` on.
  /// Preconditions: as `faces_of`; no face has more values than an MPI count can say (domain.hpp).
  halo_mpi(MPI_Comm communicator, block_array<double, 3>& u, int first_tag = 0);

  void pack() override;
  void unpack() override;

 private:
  view<double, 3> cells_;
  std::vector<face> faces_;
  std::vector<std::vector<double>> outgoing_;  ///< by face; empty where no packing is needed
  std::vector<std::vector<double>> incoming_;
};

/// Cells of a tile that takes some 100 µs: the work that the transport's processor time is counted
/// with.
inline constexpr std::int64_t cells_per_count = std::int64_t{1} << 15;

/// Returns the exchanges of these arrays' ghosts in so many steps, one after another in each, and
/// nothing else.  `sweep` computes one of `tiles`, which have no cell that needs ghosts.
[[nodiscard]] measure::communication_alone exchanges_alone(
    std::span<halo_mpi> halos, int steps, std::function<void()> reset, std::vector<box<3>> tiles,
    std::function<void(const box<3>&)> sweep);

}  // namespace plait::stencil
