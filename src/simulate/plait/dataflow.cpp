// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/simulate/dataflow.hpp>

#include "simulate/plait/dataflow_engine.hpp"

namespace plait::simulate {
namespace {

constexpr std::array<std::string_view, 5> policies{"none", "workers", "sleeping", "auto",
                                                   "dedicated"};
constexpr std::array<std::string_view, path_parts> parts{"computation", "core",     "latency",
                                                         "bytes",       "overhead", "looks"};

[[nodiscard]] std::int64_t ps_of(double seconds) noexcept {
  return std::llround(seconds * 1e12);
}

}  // namespace

std::string_view to_string(look_policy policy) noexcept {
  return policies[static_cast<std::size_t>(policy)];
}

look_policy look_policy_from(std::string_view name) {
  const auto found = std::ranges::find(policies, name);
  if (found == policies.end())
    throw usage_error("policy '" + std::string(name) +
                      "': it can be none, workers, sleeping, auto or dedicated");
  return static_cast<look_policy>(found - policies.begin());
}

std::string_view to_string(path_part part) noexcept {
  return parts[static_cast<std::size_t>(part)];
}

machine machine_of(const model::parameters& network) {
  model::validate(network);
  machine made;
  made.latency_ps = ps_of(network.latency_s);
  made.send_overhead_ps = ps_of(network.send_overhead_s);
  made.receive_overhead_ps = ps_of(network.receive_overhead_s);
  made.overhead_byte_ps = network.overhead_per_byte_s * 1e12;
  made.gap_ps = ps_of(network.gap_s);
  made.byte_ps = network.gap_per_byte_s * 1e12;
  if (std::isfinite(network.eager_limit_bytes))
    made.eager_limit_bytes = static_cast<std::uint64_t>(network.eager_limit_bytes);
  return made;
}

path_part prediction::limiter() const noexcept {
  const auto largest = std::ranges::max_element(parts_ps);
  return static_cast<path_part>(largest - parts_ps.begin());
}

prediction predict(const program& of, const machine& on) {
  check(of);
  if (of.ranks() == 0) return {};
  if (on.latency_ps < 0) throw usage_error("L is negative; this dialect takes L from 0");
  dataflow_engine first(of, on);
  const prediction found = first.run();
  std::vector<simulated_pairs> learnt = first.learnt();
  return learnt.empty() ? found : dataflow_engine(of, on, std::move(learnt)).run();
}

}  // namespace plait::simulate
