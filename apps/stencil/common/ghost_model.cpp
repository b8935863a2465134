// SPDX-License-Identifier: BSD-3-Clause
#include "ghost_model.hpp"

#include "face.hpp"

namespace plait::stencil {
namespace {

model::collective_cost cost_of(const domain& whole, int rank, const model::parameters& network) {
  int messages = 0;
  double bytes = 0;
  for (const face& f : faces_of(whole.blocks(), rank)) {
    if (f.peer == rank) continue;
    ++messages;
    bytes += static_cast<double>(f.edge.size()) * sizeof(double);
  }
  if (messages == 0) return {};
  return model::cost(
      model::operation::neighbour_exchange, model::algorithm::linear, network,
      {.ranks = whole.grid().size(), .size_bytes = bytes / messages, .degree = messages});
}

}  // namespace

modelled_exchange longest_exchange(const domain& whole, const model::parameters& network) {
  const auto [px, py, pz] = whole.grid().dims();
  const int middle = whole.grid().rank_at({px / 2, py / 2, pz / 2});
  modelled_exchange result;
  for (const int rank : {0, middle}) {
    const model::collective_cost cost = cost_of(whole, rank, network);
    if (cost.total_s >= result.cost.total_s) result = {rank, cost};
  }
  return result;
}

}  // namespace plait::stencil
