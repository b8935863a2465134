// SPDX-License-Identifier: BSD-3-Clause
#include "packed_faces.hpp"

#include <algorithm>

namespace plait::stencil {

packed_faces::packed_faces(const decomposition<3>& blocks, int rank, faces_that which) {
  const bool leave = which == faces_that::leave;
  std::vector<face> faces = faces_of(blocks, rank);
  // Both ends go by the face of the sender.
  std::ranges::sort(faces, {}, leave ? &face::send_tag : &face::receive_tag);
  for (const face& f : faces) {
    const box<3>& some = leave ? f.edge : f.ghost;
    peers.push_back(f.peer);
    cells.push_back(some);
    counts.push_back(static_cast<int>(some.size()));
    displacements.push_back(static_cast<int>(values.size()));
    values.resize(values.size() + static_cast<std::size_t>(some.size()));
  }
}

}  // namespace plait::stencil
