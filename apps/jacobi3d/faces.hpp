// SPDX-License-Identifier: BSD-3-Clause
/// Which cells a rank exchanges with whom, and which cells of its block wait for that.  No
/// messages: halo_mpi.hpp and plait.cpp send them, each in its own way.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "field.hpp"

namespace jacobi3d {

/// One side of a block that has a neighbour.
struct face {
  plait::axis along = plait::axis::x;
  plait::side where = plait::side::low;
  int peer = 0;
  box edge;   ///< own cells the peer needs
  box ghost;  ///< where the peer's cells go

  /// A z face lies in memory as one piece (field::plane_cells) and needs no packing.
  [[nodiscard]] bool contiguous() const noexcept { return along == plait::axis::z; }
  /// A message leaves with the tag of its sender's face, and arrives at the opposite face.
  [[nodiscard]] int send_tag() const noexcept { return tag(where); }
  [[nodiscard]] int receive_tag() const noexcept { return tag(plait::opposite(where)); }
  /// Doubles in the message, the same on both ends.
  [[nodiscard]] std::int64_t message_size(const field& shape) const noexcept;

 private:
  [[nodiscard]] int tag(plait::side s) const noexcept {
    return 2 * plait::index_of(along) + static_cast<int>(s);
  }
};

/// The faces of `rank` that have a neighbour: z first, since those are ready to be sent as they
/// are.
[[nodiscard]] std::vector<face> faces_of(const plait::decomposition<3>& blocks, int rank);

/// Copies the cells of `from` to or from a dense buffer of from.size() values.
void pack(const field& source, const box& from, std::span<double> buffer);
void unpack(field& target, const box& to, std::span<const double> buffer);

/// A block cut into what can be computed at once and what needs a neighbour's cells.
struct interior_and_rim {
  box interior;          ///< may be empty
  std::vector<box> rim;  ///< disjoint, none empty
};
[[nodiscard]] interior_and_rim cut(const extents& n, std::span<const face> faces);

}  // namespace jacobi3d
