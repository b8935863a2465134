// SPDX-License-Identifier: BSD-3-Clause
#include "neighbours.hpp"

#include <algorithm>

namespace poisson {

neighbours::neighbours(const domain& whole, int rank) {
  const auto add = [](std::vector<edge>& to, std::vector<double>& buffer, int peer,
                      const box& cells) {
    const auto count = static_cast<std::size_t>(cells.size());
    to.push_back({peer, cells, {count, buffer.size()}});
    buffer.resize(buffer.size() + count);
  };
  // Both ends go by the face of the sender.
  std::vector<plait::stencil::face> faces = plait::stencil::faces_of(whole.blocks(), rank);
  std::ranges::sort(faces, {}, &plait::stencil::face::send_tag);
  for (const plait::stencil::face& f : faces) add(sent, outgoing, f.peer, f.edge);
  std::ranges::sort(faces, {}, &plait::stencil::face::receive_tag);
  for (const plait::stencil::face& f : faces) add(received, incoming, f.peer, f.ghost);
}

}  // namespace poisson
