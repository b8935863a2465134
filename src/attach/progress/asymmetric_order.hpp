// SPDX-License-Identifier: BSD-3-Clause
/// An order between two threads of which one pays for both: the program's threads store and load
/// with plain instructions, and the progress thread, which does so a thousand times less often,
/// asks the kernel to order theirs.
#pragma once

#include <atomic>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait::attach {

/// True if the kernel orders the program's threads.  Written before there is a progress thread.
inline bool kernel_orders_threads = false;

/// Asks the kernel whether it can (Linux 4.14; containers may forbid it).  Before the progress
/// thread starts, by the thread that will start it.
inline void ask_kernel_to_order_threads() noexcept {
  kernel_orders_threads =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/// The program's side: stores, and lets no later load of this thread come before the store, as seen
/// by a thread that calls `order_other_threads` between a store and a load of its own.  Either this
/// thread's load sees that thread's store, or that thread's load sees this one's.
///
/// Why: the kernel runs a full fence on this thread's processor at some point P within the other's
/// call.  The compiler keeps this store before the load.  If the load comes after P, it sees what
/// the other thread stored before its call.  If the load comes before P, so does the store, and the
/// other's load after its call sees that.  Without the kernel both sides store and load
/// sequentially consistent, of which the same holds.  The later load is to be sequentially
/// consistent in both cases: on most processors that is a plain one.
template <class Value>
void store_before_loads(std::atomic<Value>& to, Value value) noexcept {
  if (kernel_orders_threads) [[likely]] {
    to.store(value, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    to.store(value, std::memory_order_seq_cst);
  }
}

/// The progress thread's side, between a store and a load that are both sequentially consistent.
/// Cost: a system call, and an interrupt of each other processor that runs the program.
inline void order_other_threads() noexcept {
  if (kernel_orders_threads) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/// Adds to a counter that only one thread writes at a time: without the cost of a locked
/// instruction.
template <class Value>
void add_alone(std::atomic<Value>& to, Value more) noexcept {
  to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace plait::attach
