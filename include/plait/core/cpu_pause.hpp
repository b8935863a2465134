// SPDX-License-Identifier: BSD-3-Clause
/// Tells the processor that a thread spins.
#pragma once

#include <plait/core/cxx20.hpp>

#include <atomic>

namespace plait {

/// Leaves the core's other hardware thread and its power to those who need them for a moment, some
/// 10 to 100 cycles.  No system call.  Any thread.
inline void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the loop stays one
#endif
}

}  // namespace plait
