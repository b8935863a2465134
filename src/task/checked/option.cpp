// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <string>

#include <plait/core/error.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

bool scheduler::checks_accesses(bool option) {
  const char* const text = std::getenv("PLAIT_CHECKED");
  if (text == nullptr || *text == '\0') return option;
  const std::string value = text;
  if (value != "0" && value != "1") {
    throw usage_error("PLAIT_CHECKED is '" + value + "'; it can be 1 (check accesses) or 0");
  }
  return value == "1";
}

/// Not to be inlined: see of_suspendable_task.
[[gnu::noinline]] scheduler::implementation::thread_role
scheduler::implementation::this_role() noexcept {
  return role;
}

void scheduler::waited() {
  const implementation::thread_role role = implementation::this_role();
  if (role.owner == nullptr) return;
  const implementation& s = *role.owner;
  if (s.checker != nullptr && role.facade->in_program()) s.checker->forget_finished();
}

void scheduler::pause_checks(bool pause) noexcept {
  const implementation::thread_role role = implementation::this_role();
  if (role.owner == nullptr) return;
  detail::access_checker* const checker = role.owner->checker.get();
  if (checker == nullptr) return;
  pause ? checker->pause() : checker->unpause();
}

}  // namespace plait
