// SPDX-License-Identifier: BSD-3-Clause
/// The right to call MPI, between the threads of a program and the progress thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <linux/futex.h>
#include <plait/core/cpu_pause.hpp>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/progress/asymmetric_order.hpp"

namespace plait::attach {

/// The program enters MPI up to millions of times a second and the progress thread some thousand
/// times, so the token leans to the program: its threads enter and leave by plain stores.  They
/// call MPI one at a time by the rules of their thread level, so the token does not keep them
/// apart.  It keeps the one progress thread apart from them.
///
/// `inside_` is 1 while the program is in MPI.  `looking_` is 0, 1 (the progress thread looks, or
/// finds out whether it may), or 2 (and the program may sleep until it has looked).
///
/// Why exclusion holds: each side stores its own word before it loads the other's, and
/// `asymmetric_order.hpp` proves that one of the two sees the other's store.  If the program sees a
/// look it waits until `looking_` is 0, and leaves `inside_` at 1 meanwhile.  If the progress
/// thread sees the program inside it gives up; it never waits for the program.  So both may give
/// way, and both are never inside.  Why no wake-up is lost: the program sleeps only while the
/// kernel finds 2 in `looking_`.  Only the progress thread changes a 2, to 0 by an exchange that
/// returns the 2, and then it wakes the program.  [Drepper 2011: Futexes are tricky, mutex 2]
/// Memory: each side enters after it has read, acquiring, the 0 that the other has stored,
/// releasing, when it left.  So what one thread did in the MPI library happens before what the
/// other does there, which is what MPI_THREAD_SERIALIZED asks of a program.
class look_token {
 public:
  // Threads of the program, one at a time
  // ---------------------------------------------------------------------------------------------
  void acquire() noexcept {
    store_before_loads(inside_, 1U);
    if (looking_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      wait_for_the_look();
  }
  void release() noexcept { inside_.store(0, std::memory_order_release); }
  /// Keeps the progress thread out for good, whichever thread of the program is in MPI.
  void close() noexcept {
    is_closed_.store(true, std::memory_order_seq_cst);
    wait_for_the_look();
  }

  // The progress thread
  // ---------------------------------------------------------------------------------------------
  /// Returns true if the program is in MPI, or was a moment ago.
  [[nodiscard]] bool is_taken() const noexcept {
    return inside_.load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] bool try_look() noexcept {
    if (inside_.load(std::memory_order_relaxed) != 0) return false;
    looking_.store(1, std::memory_order_seq_cst);
    order_other_threads();
    if (inside_.load(std::memory_order_seq_cst) == 0 &&
        !is_closed_.load(std::memory_order_seq_cst)) {
      return true;
    }
    looked();
    return false;
  }
  void looked() noexcept {
    if (looking_.exchange(0, std::memory_order_release) == 2) [[unlikely]]
      syscall(SYS_futex, word(), FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4, "a futex is a 32-bit word");

  void wait_for_the_look() noexcept {
    std::uint32_t seen = looking_.load(std::memory_order_acquire);
    while (seen != 0) {
      if (seen == 2 || looking_.compare_exchange_strong(seen, 2, std::memory_order_acquire)) {
        syscall(SYS_futex, word(), FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);
      }
      seen = looking_.load(std::memory_order_acquire);
    }
  }
  [[nodiscard]] std::uint32_t* word() noexcept {
    return reinterpret_cast<std::uint32_t*>(&looking_);
  }

  alignas(64) std::atomic<std::uint32_t> inside_{0};
  std::atomic<bool> is_closed_{false};
  alignas(64) std::atomic<std::uint32_t> looking_{0};
};

/// Guards some dozens of instructions of bookkeeping.  Who waits for longer yields: the holder may
/// have lost its core to them.
class spin_lock {
 public:
  void lock() noexcept {
    while (held_.exchange(true, std::memory_order_acquire)) {
      constexpr int pauses = 64;
      for (int i = 0; held_.load(std::memory_order_relaxed); ++i) {
        if (i < pauses) {
          cpu_pause();
        } else {
          sched_yield();
        }
      }
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace plait::attach
