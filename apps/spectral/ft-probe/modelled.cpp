// SPDX-License-Identifier: BSD-3-Clause
#include "modelled.hpp"

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
