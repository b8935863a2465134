// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <algorithm>

#include <plait/plait.hpp>

#include "common/ghost_model.hpp"

namespace poisson {
namespace {

namespace model = plait::model;

using model::collective_cost;
using plait::measure::json;

/// Slide 30 goes to 96 processors.
constexpr int most_ranks = 96;

constexpr double turn_bytes = 40;
constexpr double product_bytes = 24;
constexpr double shorten_bytes = 24;
constexpr double all_bytes = turn_bytes + product_bytes + shorten_bytes;
constexpr double advance_bytes = 104;

double overlapped(double beside_s, double computation_s, const collective_cost& exchange) {
  return std::max(beside_s, exchange.network_s()) + computation_s - beside_s + exchange.processor_s;
}

json iteration(const domain& whole, double seconds_per_cell, const model::parameters& network) {
  const int ranks = whole.grid().size();
  const auto [rank, exchange] = plait::stencil::longest_exchange(whole, network);
  const auto cells = static_cast<double>(whole.block(0).size());
  const auto inner_cells =
      static_cast<double>(plait::peel(whole.blocks(), whole.block_of(rank)).interior.size());
  const double computation_s = cells * seconds_per_cell;
  const auto sum_of = [&](double addends) {
    return model::cost(model::operation::allreduce, model::algorithm::recursive_doubling, network,
                       {.ranks = ranks, .size_bytes = addends * ranks * sizeof(double)})
        .total_s;
  };
  const double reduction_s = sum_of(1);
  const double traffic_s = computation_s / all_bytes;  // of a byte for each cell
  const double inner = inner_cells / cells;
  const double beside_s = inner * (turn_bytes + product_bytes) * traffic_s;
  const double product_s = product_bytes * traffic_s;
  const double advance_s = advance_bytes * traffic_s;
  const double pipelined_s = product_s + advance_s;
  // A sum begins when all rows have advanced.  Faces are then under way since the first ones did.
  const double beside_sum_s = std::max(inner * product_s, exchange.network_s() - inner * advance_s);
  return {{"ranks", ranks},
          {"computation_s", computation_s},
          {"exchange_s", exchange.total_s},
          {"exchange_processor_s", exchange.processor_s},
          {"reduction_s", reduction_s},
          {"base_s", computation_s + exchange.total_s + 2 * reduction_s},
          {"overlapped_s", overlapped(beside_s, computation_s, exchange) + 2 * reduction_s},
          {"pipelined_s", overlapped(inner * pipelined_s, pipelined_s, exchange) +
                              std::max(0.0, sum_of(2) - beside_sum_s)}};
}

}  // namespace

json predict(const domain& whole, double seconds_per_cell, const model::parameters& network) {
  json result = iteration(whole, seconds_per_cell, network);
  result["seconds_per_cell"] = seconds_per_cell;
  result["over_ranks"] = json::array();
  for (int ranks = 1; ranks <= most_ranks; ranks += ranks < 8 ? ranks : 8) {
    try {
      const domain other(whole.cells(), whole.edge(), ranks);
      result["over_ranks"].push_back(iteration(other, seconds_per_cell, network));
    } catch (const plait::usage_error&) {
      // More processes along an axis than cells.
    }
  }
  return result;
}

}  // namespace poisson
