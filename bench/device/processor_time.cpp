// SPDX-License-Identifier: BSD-3-Clause
#include "processor_time.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>

namespace plait::bench::device {
namespace {

[[nodiscard]] double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// As the kernel makes the clock of a thread (include/linux/posix-timers_types.h): the complement
/// of its number, and the bits for "of a thread" (4) and "time in the scheduler" (2).
[[nodiscard]] clockid_t clock_of(pid_t thread) {
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U);
}

}  // namespace

stopwatch::stopwatch()
    : start_(std::chrono::steady_clock::now()), processor_s_(processor_seconds_without({})) {}

spent stopwatch::so_far() const {
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
  return {wall.count(), processor_seconds_without({}) - processor_s_};
}

std::vector<pid_t> threads_now() {
  std::vector<pid_t> all;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/task"))
    all.push_back(std::stoi(one.path().filename().string()));
  std::ranges::sort(all);
  return all;
}

std::vector<pid_t> threads_since(const std::vector<pid_t>& before, const std::vector<pid_t>& now) {
  std::vector<pid_t> added;
  std::ranges::set_difference(now, before, std::back_inserter(added));
  return added;
}

double processor_seconds_without(const std::vector<pid_t>& others) {
  double sum = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (const pid_t one : others) sum -= seconds_of(clock_of(one));
  return sum;
}

}  // namespace plait::bench::device
