// SPDX-License-Identifier: BSD-3-Clause
/// Cells of its one block that a rank exchanges with each neighbour, as one who writes plain MPI
/// works them out.  Sends nothing (halo_mpi.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/plait.hpp>

namespace plait::stencil {

/// One side of a block that has a neighbour, which may be the rank itself.
struct face {
  axis along = axis::x;
  side where = side::low;
  int peer = 0;
  box<3> edge;   ///< own cells the peer needs
  box<3> ghost;  ///< where the peer's cells go

  /// A z face lies in memory as one piece, with the padding between its rows, and needs no packing.
  [[nodiscard]] bool contiguous() const noexcept { return along == axis::z; }
  /// A message leaves with the tag of its sender's face, 0 to 5, and arrives at the opposite face.
  [[nodiscard]] int send_tag() const noexcept { return tag(where); }
  [[nodiscard]] int receive_tag() const noexcept { return tag(opposite(where)); }

 private:
  [[nodiscard]] int tag(side s) const noexcept { return 2 * index_of(along) + static_cast<int>(s); }
};
inline constexpr int face_tags = 6;

/// The faces of a rank's block, one cell thick; z first, since those are ready to be sent as they
/// are.  Preconditions: a block for each rank, and the blocks form a grid, of ranks in any order.
[[nodiscard]] std::vector<face> faces_of(const decomposition<3>& blocks, int rank);

/// Returns what lies from the first to the last cell of a plane or of a part of it.
[[nodiscard]] std::span<double> cells_in_memory(const view<double, 3>& u, const box<3>& plane);

/// Copies the cells of a box to or from a dense buffer of as many values.
void pack(const view<const double, 3>& source, const box<3>& from, std::span<double> buffer);
void unpack(const view<double, 3>& target, const box<3>& to, std::span<const double> buffer);

}  // namespace plait::stencil
