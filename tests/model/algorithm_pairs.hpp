// SPDX-License-Identifier: BSD-3-Clause
/// All operations with all their algorithms, for tests of the model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <plait/model/collective.hpp>

namespace plait::test {

inline std::vector<std::pair<model::operation, model::algorithm>> all_pairs() {
  std::vector<std::pair<model::operation, model::algorithm>> pairs;
  for (int i = 0; i <= static_cast<int>(model::operation::neighbour_exchange); ++i)
    for (const model::algorithm how : model::algorithms_of(static_cast<model::operation>(i)))
      pairs.emplace_back(static_cast<model::operation>(i), how);
  return pairs;
}

inline std::string name_of(model::operation what, model::algorithm how) {
  return std::string(to_string(what)) + " " + std::string(to_string(how));
}

}  // namespace plait::test
