// SPDX-License-Identifier: BSD-3-Clause
/// The variants of a program: the names that its command line knows, and how each is made.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/plait.hpp>

#include "variant.hpp"

namespace plait::measure {

/// Pairs of a name, which outlives the list, and a function that makes the variant of that name.
///
///     const variant_list<problem> all{{"base", [&] { return make_base(env); }}, …};
template <class Problem>
class variant_list {
 public:
  struct entry {
    std::string_view name;
    std::function<std::unique_ptr<variant<Problem>>()> make;
  };
  variant_list(std::initializer_list<entry> all) : all_(all) {}

  /// Returns the names, in their order.
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> result;
    for (const entry& one : all_) result.push_back(one.name);
    return result;
  }

  /// Makes a variant.  Precondition: the list has its name.
  [[nodiscard]] std::unique_ptr<variant<Problem>> operator()(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &entry::name);
    PLAIT_EXPECTS(found != all_.end(), std::string(name));
    return found->make();
  }

 private:
  std::vector<entry> all_;
};

}  // namespace plait::measure
