// SPDX-License-Identifier: BSD-3-Clause
// Threads of ordinary priority that count what others take of their cores.
#pragma once

#include <functional>
#include <vector>

#include "lost_time.hpp"

namespace plait::network::noise {

/// Counts on each of the cores during its window, a thread a core.  Returns the share lost on each,
/// or nothing where `is_ended`, which is asked every 50 ms at the least, returned true before.
[[nodiscard]] std::vector<double> count_lost_time(const std::vector<int>& cores,
                                                  const std::vector<counting_window>& windows,
                                                  const std::function<bool(nanoseconds)>& is_ended);

}  // namespace plait::network::noise
