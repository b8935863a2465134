// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include <plait/comm/progress_policy.hpp>

namespace plait {
namespace {
struct named {
  progress policy;
  std::string_view name;
};
constexpr std::array<named, 5> names{{{progress::automatic, "auto"},
                                      {progress::dedicated, "dedicated"},
                                      {progress::sleeping, "sleeping"},
                                      {progress::workers, "workers"},
                                      {progress::none, "none"}}};
}  // namespace

std::string_view to_string(progress policy) noexcept {
  for (const auto& n : names) {
    if (n.policy == policy) return n.name;
  }
  return "unknown";
}

std::optional<progress> progress_from(std::string_view name) noexcept {
  for (const auto& n : names) {
    if (n.name == name) return n.policy;
  }
  return std::nullopt;
}

std::string progress_names() {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i].name;
  }
  return text;
}

}  // namespace plait
