// SPDX-License-Identifier: BSD-3-Clause
/// The schedules of a runtime's collectives, kept for calls of the same shape.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include <plait/collective/schedule.hpp>
#include <plait/collective/shape.hpp>
#include <plait/model/parameters.hpp>

namespace plait {

/// Returns `given`, unless the environment variable PLAIT_NETWORK names a file.  Errors:
/// usage_error.
[[nodiscard]] std::optional<model::parameters> named_network(
    const std::optional<model::parameters>& given);

class collective_schedules {
 public:
  struct entry {
    collective::shape shape;
    collective::algorithm how;
    collective::schedule schedule = collective::build(shape, how);
  };

  explicit collective_schedules(const std::optional<model::parameters>& network)
      : network_(network) {}

  /// `named`: left out, the algorithm is chosen.
  [[nodiscard]] std::shared_ptr<const entry> of(const collective::shape& shape,
                                                std::optional<collective::algorithm> named,
                                                bool commutative = true);

 private:
  using key = std::tuple<collective::shape, std::optional<collective::algorithm>, bool>;
  static constexpr std::size_t most = 1024;
  const std::optional<model::parameters> network_;
  std::map<key, std::shared_ptr<const entry>> known_;
};

}  // namespace plait
