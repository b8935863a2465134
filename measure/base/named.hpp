// SPDX-License-Identifier: BSD-3-Clause
/// Lists of things with a `name`, of which a command line chooses some.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "gather.hpp"

namespace plait::measure {

/// Their names, in their order.
template <class Named>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& each : all) names.emplace_back(each.name);
  return names;
}

/// Returns the entries of `all` that `only` names, in its order; if it is empty, the first
/// `by_default` of them.  Errors: usage_error naming `option`.
template <class Named>
[[nodiscard]] std::vector<Named> chosen(
    const std::string& option, const std::string& only, const std::vector<Named>& all,
    std::size_t by_default = std::numeric_limits<std::size_t>::max()) {
  if (only.empty())
    return {all.begin(),
            all.begin() + static_cast<std::ptrdiff_t>(std::min(by_default, all.size()))};
  const std::vector<std::string> names = names_of(all);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::vector<Named> result;
  for (const std::string& name : parse_names(option, only, known))
    result.push_back(*std::ranges::find(all, name, &Named::name));
  return result;
}

/// Returns what each says about itself, by name.
template <class Named>
[[nodiscard]] json about(const std::vector<Named>& all) {
  json said = json::object();
  for (const Named& each : all) said[each.name] = each.about;
  return said;
}

}  // namespace plait::measure
