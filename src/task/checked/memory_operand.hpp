// SPDX-License-Identifier: BSD-3-Clause
/// The bytes that an instruction is about to read or write, decoded: a page fault tells only where
/// an access begins.
#pragma once

#include <cstdint>

namespace plait::detail {

struct memory_operand {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool reads = false;
  bool writes = false;
};

struct touched_memory {
  memory_operand operands[2];
  int count = 0;  ///< 0: an instruction unknown here
  /// A string instruction with a prefix that repeats it: the operands are those of all that is left
  /// of it, as far as the page of its next element reaches.
  bool repeated = false;
};

/// The general registers at the instruction, in the processor's order (rax, rcx, rdx, rbx, rsp,
/// rbp, rsi, rdi, r8 to r15), and the opmasks k0 to k7 (null: not known).
struct register_values {
  std::uint64_t general[16];
  std::uint64_t flags = 0;
  const std::uint64_t* opmasks = nullptr;
};

/// The operands of the instruction at `code` which faulted at `fault`.  For what is not known here
/// (and gathers, whose elements are anywhere), no operand.  On Linux with x86-64 only.  Callable
/// from a signal handler: Zydis allocates nothing and its tables are constant.
[[nodiscard]] touched_memory decode_touched(const std::uint8_t* code, const register_values& at,
                                            std::uintptr_t fault) noexcept;

}  // namespace plait::detail
