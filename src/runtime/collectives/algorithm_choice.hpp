// SPDX-License-Identifier: BSD-3-Clause
/// The algorithms a runtime's collectives take when nobody says, kept for calls of the same shape.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>

#include <plait/collective/choice.hpp>
#include <plait/comm/environment.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>

namespace plait {

/// `given`, unless the environment variable PLAIT_NETWORK names a file, as rank 0 has it: so that
/// all ranks choose alike.  Collective.  Blocks.  Errors: usage_error, the same on every rank.
[[nodiscard]] std::optional<model::parameters> agreed_network(
    environment& env, const std::optional<model::parameters>& given);

class algorithm_choice {
 public:
  explicit algorithm_choice(std::optional<model::parameters> network)
      : network_(std::move(network)) {}

  [[nodiscard]] const std::optional<model::parameters>& network() const noexcept {
    return network_;
  }

  [[nodiscard]] collective::algorithm of(const collective::shape& call, bool commutative) {
    if (!network_ || !modelled(call.what)) return collective::usual_algorithm(call, commutative);
    const key wanted{call.what,          call.ranks,          call.count,
                     call.element_bytes, call.fragment_bytes, commutative};
    if (const auto known = known_.find(wanted); known != known_.end()) return known->second;
    if (known_.size() >= most) known_.clear();
    const collective::algorithm how = cheapest_algorithm(call, commutative, *network_);
    known_.emplace(wanted, how);
    return how;
  }

 private:
  /// Properties of a call that the choice depends on, within one job.
  using key = std::tuple<collective::operation, int, std::size_t, std::size_t, std::size_t, bool>;
  static constexpr std::size_t most = 1024;
  std::optional<model::parameters> network_;
  std::map<key, collective::algorithm> known_;
};

}  // namespace plait
