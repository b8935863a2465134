// SPDX-License-Identifier: BSD-3-Clause
/// Computes how many processors of a shared machine are one process's own.
#pragma once

#include <plait/core/cxx20.hpp>

#include <vector>

namespace plait {

/// Every processing unit is divided equally among the processes of the node that may run on it; the
/// result is the sum of process `self`'s shares, rounded down, at least 1.  `units[p]`: the units
/// process p may run on, ascending.
[[nodiscard]] int fair_share(const std::vector<std::vector<int>>& units, int self);

/// Returns how many processes share one processing unit of process `self`: the inverse of its
/// share, rounded up, at least 1.
[[nodiscard]] int processes_a_unit(const std::vector<std::vector<int>>& units, int self);

}  // namespace plait
