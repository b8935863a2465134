// SPDX-License-Identifier: BSD-3-Clause
/// The exception of `wait` when a task has touched data that it had not declared, in checked mode.
#pragma once

#include <plait/core/error.hpp>

namespace plait {

/// Names the task, and for each access of another task that it has touched: whether it has read or
/// written, which bytes (counted from the beginning of that access), and that task.
class access_error : public error {
 public:
  using error::error;
};

}  // namespace plait
