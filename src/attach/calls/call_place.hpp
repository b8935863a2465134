// SPDX-License-Identifier: BSD-3-Clause
/// Place where the program calls MPI, a return address and the caller's stack as far as an unwinder
/// needs it, and the time of the call.
#pragma once

#include <cstdint>
#include <cstring>

#include <plait/core/clock.hpp>

namespace plait::attach {

/// Reads a word of a stack.
[[nodiscard]] inline std::uintptr_t word_at(std::uintptr_t address) noexcept {
  std::uintptr_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

struct call_place {
  ticks at = now_ticks();      ///< first: what a wrapper needs may be in no cache
  std::uintptr_t address = 0;  ///< the return address
  std::uintptr_t stack = 0;    ///< the caller's stack pointer, once the call has returned
  std::uintptr_t frame = 0;    ///< the caller's frame pointer register, whatever it holds

  /// Of the caller of a function, by that function's `__builtin_return_address(0)` and, where the
  /// machine's frames are known here, `__builtin_frame_address(0)`.
  call_place(const void* returns_to, [[maybe_unused]] const void* callee) noexcept
      : address(reinterpret_cast<std::uintptr_t>(returns_to)) {
#if defined(__x86_64__)
    const auto below = reinterpret_cast<std::uintptr_t>(callee);
    stack = below + 2 * sizeof(void*);
    frame = word_at(below);
#endif
  }
};

}  // namespace plait::attach

#define PLAIT_CALL_PLACE \
  plait::attach::call_place(__builtin_return_address(0), __builtin_frame_address(0))
