// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <algorithm>

#include <plait/plait.hpp>

#include "common/face.hpp"

namespace poisson {
namespace {

namespace model = plait::model;

constexpr double turn_bytes = 40;
constexpr double product_bytes = 24;
constexpr double shorten_bytes = 24;
constexpr double all_bytes = turn_bytes + product_bytes + shorten_bytes;
constexpr double advance_bytes = 104;

using model::collective_cost;

/// A message for each face, all of their mean size, which take as long as these do.
collective_cost exchange_of(const std::vector<plait::stencil::face>& faces, int rank, int ranks,
                            const model::parameters& network) {
  int messages = 0;
  double bytes = 0;
  for (const plait::stencil::face& f : faces) {
    if (f.peer == rank) continue;
    ++messages;
    bytes += static_cast<double>(f.edge.size()) * sizeof(double);
  }
  if (messages == 0) return {};
  return model::cost(model::operation::neighbour_exchange, model::algorithm::linear, network,
                     {.ranks = ranks, .size_bytes = bytes / messages, .degree = messages});
}

/// The rank with the most cells beside neighbours', of all that may be it: the first, and one in
/// the middle, which has neighbours on all sides.
struct block_shape {
  double cells = 0;
  double inner_cells = 0;
  collective_cost exchange;
};

block_shape shape_of(const domain& whole, const model::parameters& network) {
  const plait::decomposition<3>& blocks = whole.blocks();
  const auto& grid = *blocks.grid();
  const int middle = grid.rank_at({grid.dims()[0] / 2, grid.dims()[1] / 2, grid.dims()[2] / 2});
  block_shape result;
  for (const int rank : {0, middle}) {
    const collective_cost exchange =
        exchange_of(plait::stencil::faces_of(blocks, rank), rank, grid.size(), network);
    if (exchange.total_s < result.exchange.total_s) continue;
    result.exchange = exchange;
    result.inner_cells =
        static_cast<double>(plait::peel(blocks, whole.block_of(rank)).interior.size());
  }
  result.cells = static_cast<double>(whole.block(0).size());
  return result;
}

double overlapped(double beside_s, double computation_s, const collective_cost& exchange) {
  return std::max(beside_s, exchange.network_s()) + computation_s - beside_s + exchange.processor_s;
}

}  // namespace

predicted_iteration predict(const domain& whole, int ranks, double seconds_per_cell,
                            const plait::model::parameters& network) {
  const block_shape block = shape_of(whole, network);
  predicted_iteration result;
  result.ranks = ranks;
  result.computation_s = block.cells * seconds_per_cell;
  result.exchange_s = block.exchange.total_s;
  result.exchange_processor_s = block.exchange.processor_s;
  const auto sum_of = [&](double addends) {
    return model::cost(model::operation::allreduce, model::algorithm::recursive_doubling, network,
                       {.ranks = ranks, .size_bytes = addends * ranks * sizeof(double)})
        .total_s;
  };
  result.reduction_s = sum_of(1);
  result.base_s = result.computation_s + result.exchange_s + 2 * result.reduction_s;

  const double traffic_s = result.computation_s / all_bytes;  // of a byte for each cell
  const double inner = block.inner_cells / block.cells;
  result.overlapped_s = overlapped(inner * (turn_bytes + product_bytes) * traffic_s,
                                   result.computation_s, block.exchange) +
                        2 * result.reduction_s;
  const double product_s = product_bytes * traffic_s;
  const double pipelined_s = product_s + advance_bytes * traffic_s;
  result.pipelined_s = overlapped(inner * pipelined_s, pipelined_s, block.exchange) +
                       std::max(0.0, sum_of(2) - inner * product_s);
  return result;
}

std::vector<predicted_iteration> predict_over_ranks(const domain& whole, int most,
                                                    double seconds_per_cell,
                                                    const plait::model::parameters& network) {
  std::vector<predicted_iteration> result;
  for (int ranks = 1; ranks <= most; ranks += ranks < 8 ? ranks : 8) {
    try {
      const domain other(whole.cells(), whole.edge(), ranks);
      result.push_back(predict(other, ranks, seconds_per_cell, network));
    } catch (const plait::usage_error&) {
      // More processes along an axis than cells.
    }
  }
  return result;
}

}  // namespace poisson
