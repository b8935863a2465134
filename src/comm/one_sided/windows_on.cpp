// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <utility>

#include <plait/comm/windows_on.hpp>

namespace plait {
namespace {

constexpr std::array<std::pair<windows_on, std::string_view>, 3> windows_on_words{
    {{windows_on::automatic, "auto"},
     {windows_on::messages, "messages"},
     {windows_on::rma, "rma"}}};

}  // namespace

std::string_view to_string(windows_on what) noexcept {
  for (const auto& [one, name] : windows_on_words) {
    if (one == what) return name;
  }
  return "unknown";
}

std::optional<windows_on> windows_on_from(std::string_view name) noexcept {
  for (const auto& [one, its_name] : windows_on_words) {
    if (its_name == name) return one;
  }
  return std::nullopt;
}

std::string windows_on_names() {
  return "auto, messages or rma";
}

}  // namespace plait
