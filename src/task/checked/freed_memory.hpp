// SPDX-License-Identifier: BSD-3-Clause
/// Notes which memory this process gives back, so that accesses which still name it are found.
#pragma once

#include "task/checked/byte_ranges.hpp"

namespace plait::detail {

/// From construction to destruction, notes what the calling thread frees, moves by `realloc` or
/// unmaps.  There can be one.
///
/// Calls of `free`, `realloc` and `munmap` reach the C library by way of the tables that the
/// dynamic linker fills in each object file of the process; these entries are pointed here, as
/// heaptrack does.  C++'s `operator delete` calls `free`.  What is loaded later, or calls its own
/// allocator, is not seen; a program that is linked statically has no such entries.
class freed_memory {
 public:
  freed_memory();
  ~freed_memory();
  freed_memory(const freed_memory&) = delete;
  freed_memory& operator=(const freed_memory&) = delete;

  /// Only what shares a byte with these is noted; they only ever grow.
  void watch(byte_range bytes) noexcept;
  /// Since the last call, in the order in which it was freed.
  [[nodiscard]] range_list take();
};

}  // namespace plait::detail
