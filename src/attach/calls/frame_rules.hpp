// SPDX-License-Identifier: BSD-3-Clause
/// Reads what the compiler says of frames in `.eh_frame`: at a return address, where the caller's
/// frame is.
#pragma once

#include <cstdint>

namespace plait::attach {

struct frame_rule {
  std::int32_t stack_offset = 0;  ///< the caller's stack pointer, from the base
  std::int16_t frame_offset = 0;  ///< the caller's frame pointer, from there; 0: as it is
  bool from_frame = false;        ///< the base is the frame pointer, not the stack pointer
  bool is_known = false;
};

/// Returns an unknown rule where nothing is said, where it takes more than an offset, and on
/// machines other than x86-64.
[[nodiscard]] frame_rule find_frame_rule(std::uintptr_t return_address) noexcept;

}  // namespace plait::attach
