// SPDX-License-Identifier: BSD-3-Clause
/// Finds which processors and memory this process may use, as the operating system and hwloc tell,
/// and binds threads and memory to them.  Not here: which of them other processes use (that takes
/// communication; see comm).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <span>
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

/// Memory that some cores reach faster than other cores do (a NUMA node).
struct memory_domain {
  int number = 0;          ///< of the operating system
  std::vector<int> units;  ///< one processing unit of each of its cores, ascending, never empty
};

/// Returns the domains with cores that the calling thread may use; one where the machine has no
/// more.  Errors, cost and thread safety: as `discover_topology`.
[[nodiscard]] std::vector<memory_domain> memory_domains();

/// Asks the operating system to keep pages of `memory` in a domain, and to move those that are
/// elsewhere.  Pages that `memory` covers in part move too.  Returns false if the system refuses.
/// Errors: as `discover_topology`.  Thread-safe.  Cost: that of copying `memory`.
bool keep_in_domain(int domain, std::span<const std::byte> memory);

/// Binds the calling thread to one processing unit for as long as the object lives.  Made and
/// destroyed by the same thread.
class bound_thread {
 public:
  /// Errors: as `discover_topology`.  Where the system refuses, the thread stays as it was.
  explicit bound_thread(int unit);
  ~bound_thread();
  bound_thread(const bound_thread&) = delete;
  bound_thread& operator=(const bound_thread&) = delete;

  [[nodiscard]] bool is_bound() const noexcept { return before_ != nullptr; }

 private:
  struct mask;
  std::unique_ptr<mask> before_;  ///< null: not bound
};

}  // namespace plait
