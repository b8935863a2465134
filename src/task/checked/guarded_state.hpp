// SPDX-License-Identifier: BSD-3-Clause
/// State that page_guard and its signal handlers share, its lock, and the functions that each part
/// offers the others.  The parts: guarded_pages.cpp (opens and closes pages), forbidden_bytes.cpp
/// (judges what was touched), fault_handlers.cpp (lets one instruction through),
/// guarded_system_calls.cpp.
///
/// Everything here is hidden, so that a handler reaches it without reading a table of addresses,
/// which may lie on a closed page.  So may what belongs to the thread, and the C library: the files
/// are built without stack protection and without calls to memcpy and its kin that the source does
/// not make (src/CMakeLists.txt).
#pragma once

#if defined(__x86_64__) && defined(__linux__)

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <sys/mman.h>
#include <sys/ucontext.h>

#include "task/checked/memory_operand.hpp"
#include "task/checked/page_guard.hpp"

namespace plait::detail::guard {

#pragma GCC visibility push(hidden)

inline constexpr std::uintptr_t page_bytes = page_guard::page_bytes;

/// An array of ranges in pages of its own.
template <class T>
struct page_array {
  T* data = nullptr;
  std::size_t size = 0;
  std::size_t capacity = 0;
  std::size_t mapped_bytes = 0;

  void reserve(std::size_t wanted) {
    if (wanted <= capacity) return;
    const std::size_t count = std::max(2 * capacity, wanted);
    const std::size_t bytes = (count * sizeof(T) + page_bytes - 1) / page_bytes * page_bytes;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    T* const fresh = static_cast<T*>(memory);
    std::copy(data, data + size, fresh);
    if (data != nullptr) munmap(data, mapped_bytes);
    data = fresh;
    capacity = bytes / sizeof(T);
    mapped_bytes = bytes;
  }
  void assign(const std::vector<T>& from) {
    std::copy(from.begin(), from.end(), data);
    size = from.size();
  }
  /// Returns the place of the first range that ends behind `address`.  Precondition: they are
  /// sorted.
  [[nodiscard, gnu::always_inline]] std::size_t first_behind(
      std::uintptr_t address) const noexcept {
    std::size_t low = 0;
    for (std::size_t high = size; low < high;) {
      const std::size_t middle = (low + high) / 2;
      if (data[middle].end <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

struct code_range {
  std::uintptr_t begin = 0;
  bool overreads = false;
};

/// Places in `signals`.
enum : int { segv = 0, trap = 1, sys = 2 };
inline constexpr int signals[3] = {SIGSEGV, SIGTRAP, SIGSYS};

/// All that the handlers use.  On pages of its own.
struct alignas(page_bytes) everything {
  /// The kernel reads it at each system call of the guarded thread.
  volatile char dispatch = 0;  // SYSCALL_DISPATCH_FILTER_ALLOW
  bool claimed = false;
  bool can_dispatch = false;
  std::atomic<bool> busy{false};  ///< a lock on what follows
  bool closed = false;
  page_array<byte_range> unreadable;
  page_array<byte_range> unwritable;
  page_array<guarded_pages> pages;
  page_array<touched_bytes> touched;
  std::uint64_t faults = 0;
  bool incomplete = false;

  // The guarded thread lets one instruction through.
  bool stepping = false;
  bool stepping_system_call = false;
  bool stepping_string = false;
  std::uint64_t step_at = 0;
  std::uintptr_t opened[64] = {};
  int opened_count = 0;
  /// While the decoder, a library, runs: pages that it has used, closed again behind it.
  bool decoding = false;
  std::uintptr_t decoders[16] = {};
  int decoders_count = 0;
  /// Left open until the next `close`.
  std::uintptr_t left_open[256] = {};
  int left_open_count = 0;

  // A fault of another thread that was noticed when all was open again.
  std::uintptr_t late_fault = 0;
  std::uint64_t late_at = 0;
  int late_times = 0;

  std::uintptr_t stack_begin = 0;
  std::uintptr_t stack_end = 0;
  unsigned opmask_offset = 0;  ///< in what the kernel saves; 0: there is none
  code_range string_code[48] = {};
  int string_code_count = 0;
  struct sigaction previous[3] = {};
  stack_t previous_stack = {};
};
extern constinit everything all;

inline void lock() noexcept {
  while (all.busy.exchange(true, std::memory_order_acquire)) asm volatile("pause");
}
inline void unlock() noexcept {
  all.busy.store(false, std::memory_order_release);
}

inline constexpr char dispatch_allow = 0;
inline constexpr char dispatch_block = 1;
inline constexpr greg_t trap_flag = 0x100;

/// The kernel's own view of a disposition.
struct kernel_action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

// guarded_pages.cpp
long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) noexcept;
[[nodiscard]] bool protect(std::uintptr_t begin, std::uintptr_t end, int protection) noexcept;
[[nodiscard]] const guarded_pages* find_pages(std::uintptr_t address) noexcept;
[[nodiscard]] bool is_in(const std::uintptr_t* list, int count, std::uintptr_t page) noexcept;
void open_pages() noexcept;
[[nodiscard]] bool close_pages() noexcept;
void give_up_checking() noexcept;
void leave_open(const guarded_pages& in, std::uintptr_t page) noexcept;

// forbidden_bytes.cpp
/// Notes which bytes of an operand are forbidden.
void judge(const memory_operand& operand) noexcept;
/// strlen and its kin read up to some 250 bytes before and after what they are given, never in
/// another page.
[[nodiscard]] bool is_overread(std::uint64_t code, const memory_operand& operand) noexcept;
/// Finds the C library's functions that read beyond what they are given, and those that do not.
void find_string_code();

// fault_handlers.cpp
[[nodiscard]] bool is_guarded_thread() noexcept;
/// Passes on a signal that is not ours, as if this handler were not there.  With the lock held;
/// returns without it.
void chain(int which, siginfo_t* info, void* context) noexcept;
void on_fault(int, siginfo_t* info, void* context) noexcept;
void on_trap(int, siginfo_t* info, void* context) noexcept;
/// Returns where the opmask registers are in what the kernel saves; 0 where there are none.
[[nodiscard]] unsigned find_opmasks() noexcept;

// guarded_system_calls.cpp
void on_system_call(int, siginfo_t* info, void* context) noexcept;
/// Returns whether the kernel hands back the guarded thread's system calls.  Returning from a
/// signal is a system call too; it stays allowed.
[[nodiscard]] bool dispatch_system_calls() noexcept;
void stop_dispatching() noexcept;

#pragma GCC visibility pop

}  // namespace plait::detail::guard

#endif
