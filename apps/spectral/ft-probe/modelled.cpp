// SPDX-License-Identifier: BSD-3-Clause
#include "modelled.hpp"

#include "equations.hpp"

namespace ft_probe {
namespace {

/// Messages of a rank that leave it.
double leaving(const point& which, const row_blocks& shape) {
  return static_cast<double>(which.messages_of(shape)) * (shape.ranks() - 1) / shape.ranks();
}

}  // namespace

loggp loggp_of(const calibration& measured, const point& which, const row_blocks& shape) {
  const double messages = leaving(which, shape);
  if (messages == 0) return {};
  return {measured.busy_initiation_s / messages, measured.idle_initiation_s / messages,
          measured.gap_per_byte_s};
}

plait::measure::json modelled(const loggp& network, const point& which, const row_blocks& shape,
                              double computation_s) {
  model_symbols s{.ranks = static_cast<double>(shape.ranks()),
                  .rows = static_cast<double>(which.messages_of(shape)),
                  .overhead_s = network.overhead_s,
                  .gap_s = network.gap_s,
                  .gap_per_byte_s = network.gap_per_byte_s};
  s.computation_s = computation_s / s.rows;
  if (shape.ranks() > 1)
    s.length = static_cast<double>(shape.most_sent() * shape.length()) / leaving(which, shape);
  const prediction found = which.overlapped ? predict_overlapped(s) : predict_exchange(s);
  return {{"computation_s", found.computation_s},
          {"comm_init_s", found.initiation_s},
          {"wait_s", found.wait_s},
          {"total_s", found.total_s()},
          {"transfer_s", shape.ranks() > 1 ? transfer_s(s) : 0.0}};
}

}  // namespace ft_probe
