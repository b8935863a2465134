// SPDX-License-Identifier: BSD-3-Clause
/// Networks to compute with.
#pragma once

#include <cmath>
#include <random>

#include <plait/model/parameters.hpp>

namespace plait::test {

/// LogGOPSim's example: L 2500, o 1500, g 1000, G 6, in ns.
inline model::parameters example_network() {
  return {.latency_s = 2500e-9,
          .send_overhead_s = 1500e-9,
          .receive_overhead_s = 1500e-9,
          .gap_s = 1000e-9,
          .gap_per_byte_s = 6e-9};
}

/// Every parameter drawn anew over three decades, so that each is the largest in some networks; L
/// negative in one of four; O and γ absent in half; no rendezvous.
inline model::parameters random_network(std::mt19937& random) {
  const auto one_in = [&](int count) {
    return std::uniform_int_distribution<int>(1, count)(random) == 1;
  };
  const auto between = [&](double low_exponent, double high_exponent) {
    return std::pow(10,
                    std::uniform_real_distribution<double>(low_exponent, high_exponent)(random));
  };
  model::parameters network{.latency_s = between(-7, -4),
                            .send_overhead_s = between(-7, -4),
                            .receive_overhead_s = between(-7, -4),
                            .gap_s = between(-7, -4),
                            .gap_per_byte_s = between(-11, -8)};
  if (one_in(4))
    network.latency_s = -std::uniform_real_distribution<double>(0, 1)(random) *
                        (network.send_overhead_s + network.receive_overhead_s);
  if (one_in(2)) network.overhead_per_byte_s = between(-11, -8);
  if (one_in(2)) network.reduction_per_byte_s = between(-11, -8);
  return network;
}

}  // namespace plait::test
