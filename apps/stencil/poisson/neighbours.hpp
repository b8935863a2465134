// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a neighbour collective needs to know of a rank's faces: the faces packed one
/// behind the other, in an order in which the k-th edge to a rank is the k-th from this one there.
#pragma once

#include <span>
#include <vector>

#include <plait/plait.hpp>

#include "common/face.hpp"
#include "problem.hpp"

namespace poisson {

struct neighbours {
  neighbours(const domain& whole, int rank);

  struct edge {
    int peer = 0;
    box cells;                       ///< own cells, or ghosts
    plait::collective::block where;  ///< in a buffer of all
  };
  std::vector<edge> sent;
  std::vector<edge> received;
  std::vector<double> outgoing;
  std::vector<double> incoming;

  [[nodiscard]] static std::span<double> part_of(std::vector<double>& buffer, const edge& e) {
    return std::span(buffer).subspan(e.where.displacement, e.where.count);
  }
};

}  // namespace poisson
