// SPDX-License-Identifier: BSD-3-Clause
/// The lists of operations that `all_operations` joins.
#pragma once

#include <vector>

#include "operation.hpp"

namespace plait::network::nbc {

/// The v forms: parts differ in size.
[[nodiscard]] const std::vector<operation>& uneven_operations();
/// Among the two neighbours in a ring.
[[nodiscard]] const std::vector<operation>& neighbour_operations();

}  // namespace plait::network::nbc
