// SPDX-License-Identifier: BSD-3-Clause
#include "ghost_exchange.hpp"

namespace plait::sparse {

ghost_exchange::ghost_exchange(MPI_Comm communicator, const dealt_matrix& a,
                               const index_lists& lists, std::span<const double> x,
                               std::span<double> ghosts)
    : plain_exchange(communicator), x_(x) {
  for (const ghost_range& range : a.ghost_ranges)
    add_receive(ghosts.subspan(static_cast<std::size_t>(range.first),
                               static_cast<std::size_t>(range.last - range.first)),
                range.owner, 0);
  const auto others = [&](auto&& visit) {
    for (const index_lists::wanted& one : lists.by_peers())
      if (one.peer != a.rank) visit(one);
  };
  others([&](const index_lists::wanted& one) {
    for (const point<1>& cell : one.cells)
      sent_elements_.push_back(static_cast<std::int32_t>(cell[axis::x] - a.first_column()));
  });
  packs_ = true;
  outgoing_.resize(sent_elements_.size());
  std::span<const double> left(outgoing_);
  others([&](const index_lists::wanted& one) {
    add_send(left.first(one.cells.size()), one.peer, 0);
    left = left.subspan(one.cells.size());
  });
}

void ghost_exchange::pack() {
  for (std::size_t k = 0; k < outgoing_.size(); ++k)
    outgoing_[k] = x_[static_cast<std::size_t>(sent_elements_[k])];
}

}  // namespace plait::sparse
