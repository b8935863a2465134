// SPDX-License-Identifier: BSD-3-Clause
// Going before other threads, and onto one core.
#pragma once

#include <string>
#include <vector>

namespace plait::network::noise {

/// Returns the cores that this process may use, in order.
[[nodiscard]] std::vector<int> allowed_cores();

/// Keeps the calling thread on a core.  Errors: `refused`.
void stay_on(int core);

/// Ways of going before threads of ordinary priority.
enum class precedence { automatic, real_time, nice };

/// Lets the calling thread go first, by SCHED_FIFO or else by nice -20; `automatic` takes the first
/// of the two that is allowed.  Returns the way in words.  Errors: `refused` where none is allowed.
std::string go_first(precedence how);

}  // namespace plait::network::noise
