// SPDX-License-Identifier: BSD-3-Clause
#include "modelled.hpp"

#include <algorithm>

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
  loggp found{.overhead_s = measured.busy_initiation_s / messages,
              .gap_s = measured.idle_initiation_s / messages,
              .gap_per_byte_s = measured.gap_per_byte_s};
  // (4) without computation.
  const double transfer_s = measured.total_s - std::max(found.overhead_s, found.gap_s);
  const auto bytes = complex_bytes * static_cast<double>(shape.most_sent() * shape.length());
  found.gap_per_byte_of_pattern_s = std::max(transfer_s, 0.0) / bytes;
  return found;
}

model_symbols symbols_of(const loggp& network, const point& which, const row_blocks& shape,
                         double computation_s) {
  const auto messages = static_cast<double>(which.messages_of(shape));
  return {.ranks = static_cast<double>(shape.ranks()),
          .rows = messages,
          .length = static_cast<double>(shape.most_sent() * shape.length()) / leaving(which, shape),
          .computation_s = computation_s / messages,
          .overhead_s = network.overhead_s,
          .gap_s = network.gap_s,
          .gap_per_byte_s = network.gap_per_byte_s};
}

prediction modelled(const loggp& network, const point& which, const row_blocks& shape,
                    double computation_s) {
  if (shape.ranks() < 2) return {computation_s, 0, 0};
  const model_symbols s = symbols_of(network, which, shape, computation_s);
  return which.overlapped ? predict_overlapped(s) : predict_exchange(s);
}

}  // namespace ft_probe
