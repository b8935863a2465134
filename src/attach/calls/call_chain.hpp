// SPDX-License-Identifier: BSD-3-Clause
/// The way to a call of MPI: return addresses on the stack above it.  Programs keep no frame
/// pointers as a rule, but at one return address the caller's frame is always at the same place
/// relative to the stack pointer, or to the frame pointer where a function has one.  The compiler
/// says so for exceptions [DWARF 5, 6.4].  So a way is found once, and from then on it is checked
/// by a comparison for each frame.
#pragma once

#include "attach/books/profile_data.hpp"
#include "attach/calls/call_place.hpp"

namespace plait::attach {

/// The end of this thread's stack; 0: not asked yet, and no way is recognised.
extern thread_local constinit std::uintptr_t own_stack_end
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
void find_stack_end() noexcept;

/// Returns true if a call came through the callers of a site, as far as those are known.  Where no
/// function below has a frame pointer, no load waits for another.
[[nodiscard]] inline bool came_through(const site_data& site, const call_place& from) noexcept {
  std::uintptr_t stack = from.stack;
  std::uintptr_t frame = from.frame;
  for (int i = 0; i < site.callers; ++i) {
    const caller_data& one = site.caller[i];
    std::uintptr_t base = from.stack;
    if (one.base != frame_base::call) [[unlikely]]
      base = one.base == frame_base::below ? stack : frame;
    const std::uintptr_t next = base + static_cast<std::uintptr_t>(std::int64_t{one.stack_offset});
    if (next <= stack || next > own_stack_end) return false;
    if (word_at(next - sizeof(void*)) != one.address) return false;
    if (one.frame_offset != 0) {
      frame = word_at(next + static_cast<std::uintptr_t>(std::int64_t{one.frame_offset}));
    }
    stack = next;
  }
  return true;
}

/// Finds the callers of a call, at most `most_callers`; returns how many.  Fewer where a frame does
/// not say how to go on.  One thread at a time.
int find_callers(call_place from, caller_data* callers) noexcept;

}  // namespace plait::attach
