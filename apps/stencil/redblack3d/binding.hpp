// SPDX-License-Identifier: BSD-3-Clause
/// Gives IRR's two sets of threads cores and memory of their own, where the machine has several
/// memory domains.  [Baden and Shalit 2001, Table 3: threads unbound but under IRR]
#pragma once

#include <span>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "policy.hpp"

namespace redblack3d {

/// Places of the threads of a policy.
struct binding {
  std::vector<int> unit_of_thread;    ///< empty: threads go where they like
  std::vector<int> domain_of_thread;  ///< likewise
  std::string said;                   ///< for the result: what is bound, or why nothing is

  [[nodiscard]] bool is_on() const noexcept { return !unit_of_thread.empty(); }
};

/// Returns the places for IRR's threads: the first half (rounded up) in one domain, the others in
/// another, each on a core of its own.  The domains with most cores are taken, the larger for the
/// first set.  Off for other policies, for one domain, where a set has more threads than its domain
/// has cores, and where `shared`: other processes may use the same cores.
[[nodiscard]] binding bind_sets(const policy& how, std::vector<plait::memory_domain> domains,
                                bool shared);

/// Returns the places that this process may use, beside the other ranks of its node.
[[nodiscard]] binding bind_sets(const plait::environment& env, const policy& how);

}  // namespace redblack3d
