// SPDX-License-Identifier: BSD-3-Clause
/// The right to call MPI, between the threads of a program and the progress thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <linux/futex.h>
#include <plait/core/cpu_pause.hpp>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait::attach {

/// Comm's `mpi_token` gives up the processor in a loop while it waits; here the two threads often
/// share a core with the program's own, and who waits must be woken at once, so the wait is a
/// futex's.
///
/// `state_` is 0 (free), 1 (held) or 2 (held, and somebody may sleep).  [Drepper 2011: Futexes are
/// tricky, mutex 2]  Why exclusion holds: a thread enters by changing 0 to 1 or, by an exchange
/// that returned 0, 0 to 2; both are single atomic steps from 0, and the only step to 0 is the
/// holder's. Why no wake-up is lost: who is about to sleep has put 2 there itself, or found 2
/// there, and the kernel compares with 2 before it sleeps; from then on the holder's exchange
/// returns 2, and it wakes one.  That one enters by an exchange to 2 again, since others may sleep,
/// so its own release wakes the next.  Memory: each entry is an acquire of what the release before
/// it wrote, so that what one thread did in the MPI library happens before what the next does
/// there; this is what MPI_THREAD_SERIALIZED asks of a program.  The progress thread only ever
/// tries, so it delays no call of the program but by a look that is under way.
class futex_token {
 public:
  [[nodiscard]] bool try_acquire() noexcept {
    std::uint32_t free = 0;
    return state_.compare_exchange_strong(free, 1, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void acquire() noexcept {
    if (!try_acquire()) [[unlikely]]
      acquire_slowly();
  }
  void release() noexcept {
    if (state_.exchange(0, std::memory_order_release) == 2) [[unlikely]]
      wake();
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4, "a futex is a 32-bit word");

  void acquire_slowly() noexcept {
    while (state_.exchange(2, std::memory_order_acquire) != 0) {
      syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAIT_PRIVATE, 2, nullptr,
              nullptr, 0);
    }
  }
  void wake() noexcept {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAKE_PRIVATE, 1, nullptr,
            nullptr, 0);
  }

  alignas(64) std::atomic<std::uint32_t> state_{0};
};

/// For some dozens of instructions of bookkeeping.
class spin_lock {
 public:
  void lock() noexcept {
    while (held_.exchange(true, std::memory_order_acquire)) {
      while (held_.load(std::memory_order_relaxed)) cpu_pause();
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace plait::attach
