// SPDX-License-Identifier: BSD-3-Clause
#include "equations.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace spmv_probe {
namespace {

void expect_ranks(const spmv_product& what) {
  PLAIT_EXPECTS(what.ranks >= 2, std::to_string(what.ranks) + " ranks");
}

/// 2L + γ(N/P)G: from the end of a get's beginning to its data's being here.
[[nodiscard]] double trip_s(const parameters& network, const spmv_product& what) {
  return 2 * network.latency_s + what.block_bytes * network.gap_per_byte_s;
}

}  // namespace

double spmv_computing_s(const parameters& network, const spmv_product& what) {
  expect_ranks(what);
  return (network.send_overhead_s + what.block_compute_s) * (what.ranks - 1) + what.block_compute_s;
}

double spmv_communicating_s(const parameters& network, const spmv_product& what) {
  expect_ranks(what);
  const double o = network.send_overhead_s;
  return (o + trip_s(network, what)) +
         (std::max(o, network.gap_s) + trip_s(network, what)) * (what.ranks - 2) +
         what.block_compute_s;
}

double spmv_s(const parameters& network, const spmv_product& what) {
  return std::max(spmv_computing_s(network, what), spmv_communicating_s(network, what));
}

double spmv_exposed_s(const parameters& network, const spmv_product& what) {
  return spmv_s(network, what) - what.ranks * what.block_compute_s;
}

double spmv_gap_per_byte_s(const parameters& network, const spmv_product& what, double alone_s) {
  expect_ranks(what);
  parameters without = network;
  without.gap_per_byte_s = 0;
  spmv_product idle = what;
  idle.block_compute_s = 0;
  const double bytes = what.block_bytes * (what.ranks - 1);
  PLAIT_EXPECTS(bytes > 0, "a block without bytes");
  return std::max(0.0, (alone_s - spmv_communicating_s(without, idle)) / bytes);
}

double spmv_gather_s(const parameters& network, const spmv_product& what, int eta) {
  expect_ranks(what);
  PLAIT_EXPECTS(eta >= 0 && eta < what.ranks, std::to_string(eta));
  double now = 0;
  double next_get = 0;  // g after the last one
  double link_free = 0;
  std::vector<double> here;
  const auto get = [&] {
    const double begin = std::max(now, next_get);
    now = begin + network.send_overhead_s;
    next_get = begin + network.gap_s;
    link_free = std::max(now + 2 * network.latency_s, link_free) +
                what.block_bytes * network.gap_per_byte_s;
    here.push_back(link_free);
  };
  const auto others = static_cast<std::size_t>(what.ranks - 1);
  while (here.size() < static_cast<std::size_t>(eta)) get();
  for (std::size_t block = 0; block <= others; ++block) {
    if (here.size() < others) get();
    if (block > 0) now = std::max(now, here[block - 1]);
    now += what.block_compute_s;
  }
  return now;
}

int spmv_best_prefetch(const parameters& network, const spmv_product& what) {
  expect_ranks(what);
  std::vector<double> times;
  for (int eta = 0; eta < what.ranks; ++eta) times.push_back(spmv_gather_s(network, what, eta));
  constexpr double no_difference = 1.001;
  const double enough = no_difference * std::ranges::min(times);
  return static_cast<int>(std::ranges::find_if(times, [&](double t) { return t <= enough; }) -
                          times.begin());
}

}  // namespace spmv_probe
