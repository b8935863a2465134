// SPDX-License-Identifier: BSD-3-Clause
/// Asks the kernel to let a thread that runs for microseconds take its turn at once.
#pragma once

#include <cstdint>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait {

/// Asks for the shortest time slice there is (0.1 ms; Linux 6.12 and later, ignored before): a
/// thread that runs for microseconds then takes its turn at once when it wakes on a core that a
/// worker keeps busy, instead of after the worker's slice of some milliseconds.  Needs no
/// privileges, and takes no more than the thread's fair share.  For the calling thread, which keeps
/// its priority; none of another class, such as real time, needs it.
inline void ask_for_short_slices() noexcept {
  if (sched_getscheduler(0) != SCHED_OTHER) return;
  /// The kernel's struct sched_attr, which Debian 12's C library does not declare.
  struct {
    std::uint32_t size = 48;
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = getpriority(PRIO_PROCESS, 0);  // Linux: of the thread
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 100'000;
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
  } attributes;
  static_assert(sizeof attributes == 48);
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace plait
