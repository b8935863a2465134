// SPDX-License-Identifier: BSD-3-Clause
/// Protects pages while a task's body runs and notes which forbidden bytes it touches.  Knows
/// bytes, not tasks (access_checker.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include <plait/task/access.hpp>

namespace plait::detail {

/// Forbidden bytes that were touched.
struct touched_bytes {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool write = false;
};

/// Pages of one mapping, and their protection while guarded and otherwise.
struct guarded_pages {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  int open = 0;
  int closed = 0;
};

/// The pages of this process, while a checked scheduler lives; there can be one.
///
/// An access to a closed page faults.  The handler finds out which bytes the instruction is about
/// to touch, notes those that are forbidden, opens the page, and lets the processor run this one
/// instruction (trap flag); the trap closes the page again.  So bytes that merely share a page with
/// others cost time, but nothing else.
///
/// System calls would fail on closed pages rather than fault: where Linux can (5.11 and later), it
/// hands those of the guarded thread back (syscall user dispatch), and they pass with all pages
/// open.
///
/// The handlers touch nothing but their own pages and the faulting instruction: anything else may
/// be on a closed page.  They call no library but Zydis, for which such a page is opened.
class page_guard {
 public:
  static constexpr std::uintptr_t page_bytes = 4096;

  /// For the calling thread.  Errors: usage_error when it is not available here, or another one
  /// lives.
  page_guard();
  ~page_guard();
  page_guard(const page_guard&) = delete;
  page_guard& operator=(const page_guard&) = delete;

  /// Sets the bytes that are forbidden to read and to write, and their pages, from the next `close`
  /// on.  Precondition: all three lists are sorted and disjoint.
  void forbid(const std::vector<byte_range>& to_read, const std::vector<byte_range>& to_write,
              const std::vector<guarded_pages>& pages);
  /// Returns false when the kernel has refused: it keeps a limited number of mappings.
  [[nodiscard]] bool close() noexcept;
  void open() noexcept;
  /// Returns the forbidden bytes that were touched since the last call.  Precondition: pages are
  /// open.
  [[nodiscard]] std::vector<touched_bytes> take_touched();
  /// Returns true if pages had to be left open since the last call, because too many accesses
  /// faulted, or because the task made a process.
  [[nodiscard]] bool take_incomplete() noexcept;
};

}  // namespace plait::detail
