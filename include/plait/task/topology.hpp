// SPDX-License-Identifier: BSD-3-Clause
/// Finds which processors this process may use, as the operating system and hwloc tell.  Not here:
/// which of them other processes use (that takes communication; see comm).
#pragma once

#include <plait/core/cxx20.hpp>

#include <vector>

namespace plait {

/// The processing units of this machine that this process may run on.
struct topology {
  std::vector<int>
      usable;            ///< operating-system indices of processing units, ascending, never empty
  int usable_cores = 1;  ///< physical cores they belong to
};

/// Looks at the calling thread's affinity mask and the machine.  Errors: `plait::error` when hwloc
/// fails. Local; thread-safe.  Cost: some milliseconds.
[[nodiscard]] topology discover_topology();

}  // namespace plait
