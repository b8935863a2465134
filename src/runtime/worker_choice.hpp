// SPDX-License-Identifier: BSD-3-Clause
/// Chooses how many workers a rank has.
#pragma once

#include <string>

#include <plait/comm/environment.hpp>
#include <plait/runtime/runtime.hpp>

namespace plait {

struct worker_choice {
  int workers = 1;
  std::string remark = {};  ///< what the model says of a service thread; may be empty
};

/// Errors: usage_error for options that contradict each other.  Thread-safe.
[[nodiscard]] worker_choice choose_workers(const environment& env, const runtime_options& options);

}  // namespace plait
