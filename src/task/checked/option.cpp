// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <plait/core/error.hpp>

#include "core/environment_variable.hpp"
#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

bool scheduler::checks_accesses(bool option) {
  const std::string value = environment_variable("PLAIT_CHECKED");
  if (value.empty()) return option;
  if (value != "0" && value != "1") {
    throw usage_error("PLAIT_CHECKED is '" + value + "'; it can be 1 (check accesses) or 0");
  }
  return value == "1";
}

void scheduler::waited() {
  const detail::crew::role role = detail::crew::this_role();
  if (role.of == nullptr) return;
  detail::access_checker* const checker = role.facade->self_->watch.checker();
  if (checker != nullptr && role.facade->in_program()) checker->forget_finished();
}

void scheduler::pause_checks(bool pause) noexcept {
  const detail::crew::role role = detail::crew::this_role();
  if (role.of == nullptr) return;
  detail::access_checker* const checker = role.facade->self_->watch.checker();
  if (checker == nullptr) return;
  pause ? checker->pause() : checker->unpause();
}

}  // namespace plait
