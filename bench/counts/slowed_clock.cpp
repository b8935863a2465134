// SPDX-License-Identifier: BSD-3-Clause
// Under callgrind a program runs some fifty times as slowly.  So that plait, which reads the clock
// less often around short tasks, decides as it does elsewhere, its seconds are as much longer: this
// takes the place of the C library's clock, against which time stamps are calibrated.
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t which,
                                                            timespec* at) noexcept {
  constexpr long slowed = 50;
  constexpr long long second_ns = 1'000'000'000;
  const long code = syscall(SYS_clock_gettime, which, at);
  if (code != 0 || which != CLOCK_MONOTONIC) return static_cast<int>(code);
  const long long ns = (at->tv_sec * second_ns + at->tv_nsec) / slowed;
  at->tv_sec = static_cast<time_t>(ns / second_ns);
  at->tv_nsec = static_cast<long>(ns % second_ns);
  return 0;
}
