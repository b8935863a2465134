// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>

#include <plait/comm/progress_policy.hpp>

#include "core/enumeration_names.hpp"

namespace plait {

constexpr std::array<std::string_view, 5> policy_names{"auto", "dedicated", "sleeping", "workers",
                                                       "none"};
static_assert(policy_names.size() == static_cast<std::size_t>(progress::none) + 1);

std::string_view to_string(progress policy) noexcept {
  return name_in(policy_names, policy);
}

std::optional<progress> progress_from(std::string_view name) noexcept {
  return value_in<progress>(policy_names, name);
}

std::string progress_names() {
  return alternatives(policy_names);
}

}  // namespace plait
