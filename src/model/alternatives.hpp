// SPDX-License-Identifier: BSD-3-Clause
/// Lists of names in messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace plait::model {

/// "a, b or c"
[[nodiscard]] inline std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace plait::model
