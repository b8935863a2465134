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

namespace {

/// Not to be inlined: see of_suspendable_task.
[[gnu::noinline]] detail::thread_role this_role() noexcept {
  return detail::role;
}

}  // namespace

void scheduler::waited() {
  const detail::thread_role role = this_role();
  if (role.owner == nullptr) return;
  const auto& s = *static_cast<const implementation*>(role.owner);
  if (s.checker != nullptr && role.facade->in_program()) s.checker->forget_finished();
}

void scheduler::pause_checks(bool pause) noexcept {
  const detail::thread_role role = this_role();
  if (role.owner == nullptr) return;
  detail::access_checker* const checker =
      static_cast<const implementation*>(role.owner)->checker.get();
  if (checker == nullptr) return;
  pause ? checker->pause() : checker->unpause();
}

}  // namespace plait
