// SPDX-License-Identifier: BSD-3-Clause
/// Names of the values of an enumeration, listed in the order of the values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plait {

/// Returns "unknown" for what is no value.
template <class Enumeration>
[[nodiscard]] std::string_view name_in(std::span<const std::string_view> names,
                                       Enumeration value) noexcept {
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : "unknown";
}

/// Returns the value of that name, if there is one.
template <class Enumeration>
[[nodiscard]] std::optional<Enumeration> value_in(std::span<const std::string_view> names,
                                                  std::string_view name) noexcept {
  for (std::size_t place = 0; place < names.size(); ++place) {
    if (names[place] == name) return static_cast<Enumeration>(place);
  }
  return std::nullopt;
}

/// Returns "a, b or c".
[[nodiscard]] inline std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace plait
