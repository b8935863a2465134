// SPDX-License-Identifier: BSD-3-Clause
/// Predicts what an exchange of ghosts takes by the model: arithmetic alone.
#pragma once

#include <plait/plait.hpp>

#include "domain.hpp"

namespace plait::stencil {

/// The rank whose exchange takes longest.
struct modelled_exchange {
  int rank = 0;
  model::collective_cost cost = {};
};

/// A message for each face that another rank has, all of their mean size, which take as long as
/// these do.  Of all ranks that may take longest: the first, whose block is the largest, and one in
/// the middle, which has neighbours on all sides.  Precondition: as `faces_of`.
[[nodiscard]] modelled_exchange longest_exchange(const domain& whole,
                                                 const model::parameters& network);

}  // namespace plait::stencil
