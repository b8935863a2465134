// SPDX-License-Identifier: BSD-3-Clause
/// Processor time of this process without that of a driver's own threads, which are the device
/// where a driver makes one of the host's cores.
#pragma once

#include <chrono>
#include <vector>

#include <sys/types.h>

namespace plait::bench::device {

/// Wall time and processor time of all threads.
struct spent {
  double wall_s = 0;
  double processor_s = 0;
};

/// Measures both from when it is made.
class stopwatch {
 public:
  stopwatch();
  [[nodiscard]] spent so_far() const;

 private:
  std::chrono::steady_clock::time_point start_;
  double processor_s_;
};

/// Returns the threads of this process.
[[nodiscard]] std::vector<pid_t> threads_now();

/// Returns those of `now` that are not in `before`.
[[nodiscard]] std::vector<pid_t> threads_since(const std::vector<pid_t>& before,
                                               const std::vector<pid_t>& now);

/// Returns the processor time of this process so far, in seconds, without that of `others`, threads
/// of it that live.
[[nodiscard]] double processor_seconds_without(const std::vector<pid_t>& others);

}  // namespace plait::bench::device
