// SPDX-License-Identifier: BSD-3-Clause
// What ends the program: its time, a signal, the death of its parent.
#pragma once

#include <csignal>
#include <optional>

#include <sys/types.h>

#include "plan.hpp"

namespace plait::network::noise {

/// Turns SIGINT, SIGTERM, SIGHUP and the death of the parent into an answer to `comes_within`.
/// One a process, made before any thread.
class ending {
 public:
  /// `parent`: the process that must live; without it, the one that started this.
  explicit ending(std::optional<pid_t> parent);

  /// Waits for the end, at most so long.  Returns whether it has come.  To be called by one thread.
  [[nodiscard]] bool comes_within(nanoseconds time);

 private:
  sigset_t signals_{};
  bool has_come_ = false;
};

}  // namespace plait::network::noise
