// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstddef>

#include <plait/comm/windows_on.hpp>

#include "core/enumeration_names.hpp"

namespace plait {

constexpr std::array<std::string_view, 3> carrier_names{"auto", "messages", "rma"};
static_assert(carrier_names.size() == static_cast<std::size_t>(windows_on::rma) + 1);

std::string_view to_string(windows_on what) noexcept {
  return name_in(carrier_names, what);
}

std::optional<windows_on> windows_on_from(std::string_view name) noexcept {
  return value_in<windows_on>(carrier_names, name);
}

std::string windows_on_names() {
  return alternatives(carrier_names);
}

}  // namespace plait
