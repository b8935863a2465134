// SPDX-License-Identifier: BSD-3-Clause
// Which bursts are wanted on which core, from the words of a command line.  Pure arithmetic.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace plait::network::noise {

using std::chrono::nanoseconds;
using moment = std::chrono::steady_clock::time_point;

/// Says in one line why noise cannot be made as it was asked for.
class refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The noise of one core: a burst of `length` every `period`, the first one after `phase`.
struct burst_plan {
  int core;
  nanoseconds period, length, phase;
};

/// Returns a duration such as "25us", "2.5ms" or "1s".  Errors: `refused`, which names the option.
[[nodiscard]] nanoseconds parse_duration(const std::string& option, const std::string& word);

/// Writes a duration as it is read: "2.5ms".
[[nodiscard]] std::string duration_text(nanoseconds duration);

/// Returns the cores that a text such as "0,2-3" or "all" names, each once, of the `allowed` ones.
/// Errors: `refused` for a core that is not allowed or is named twice.
[[nodiscard]] std::vector<int> parse_cores(const std::string& text,
                                           const std::vector<int>& allowed);

/// Returns the plan of each core.  Without phases those of n cores lie a period / n apart.
/// `phases` are empty or one a core, below the period.  Errors: `refused` where a burst is shorter
/// than 5 us, a period longer than 10 s, or more than nine tenths of a core would be taken.
[[nodiscard]] std::vector<burst_plan> plan(nanoseconds period, nanoseconds length,
                                           const std::vector<int>& cores,
                                           const std::vector<nanoseconds>& phases);

/// Returns the share of a core that its bursts take, from 0 to 1.
[[nodiscard]] double wanted_share(const burst_plan& plan);

}  // namespace plait::network::noise
