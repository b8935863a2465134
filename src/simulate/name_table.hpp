// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace plait::simulate {

/// Numbers the names of a program.
class name_table {
 public:
  explicit name_table(std::vector<std::string>& names) : names_(names) { number_of_[""] = 0; }
  [[nodiscard]] std::uint32_t number(const std::string& name) {
    const auto [place, is_new] =
        number_of_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return place->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> number_of_;
};

}  // namespace plait::simulate
