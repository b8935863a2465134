// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collectives/collective_schedules.hpp"

#include <exception>
#include <string>

#include <plait/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/model/parameters_file.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>

#include "core/environment_variable.hpp"

namespace plait {

std::optional<model::parameters> named_network(const std::optional<model::parameters>& given) {
  const std::string file = environment_variable("PLAIT_NETWORK");
  try {
    if (!file.empty()) return model::read_parameters(file);
    if (given.has_value()) model::validate(*given);
    return given;
  } catch (const std::exception& refused) {
    throw usage_error(
        std::string(!file.empty() ? "PLAIT_NETWORK: " : "runtime_options::network: ") +
        refused.what());
  }
}

std::shared_ptr<const collective_schedules::entry> collective_schedules::of(
    const collective::shape& shape, std::optional<collective::algorithm> named, bool commutative) {
  const key wanted{shape, named, commutative};
  if (known_.size() >= most && !known_.contains(wanted)) known_.clear();
  std::shared_ptr<const entry>& place = known_[wanted];
  if (place == nullptr) {
    const auto choose = [&] {
      return network_ ? cheapest_algorithm(shape, commutative, *network_)
                      : collective::usual_algorithm(shape, commutative);
    };
    place = std::make_shared<const entry>(entry{shape, named ? *named : choose()});
  }
  return place;
}

}  // namespace plait
