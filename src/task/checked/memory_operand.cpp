// SPDX-License-Identifier: BSD-3-Clause
#include "task/checked/memory_operand.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <algorithm>
#include <bit>

#include <Zydis/Zydis.h>

namespace plait::detail {
namespace {

struct instruction : ZydisDecodedInstruction {
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

[[nodiscard]] bool decode(const std::uint8_t* code, instruction& result) {
  ZydisDecoder decoder;  // not made ahead: it would lie among the program's variables
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, ZYDIS_MAX_INSTRUCTION_LENGTH, &result,
                                             result.operands));
}

[[nodiscard]] bool is_memory(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_MEM;
}

/// Instructions that touch other bytes than those of their operand.
[[nodiscard]] bool touches_some(const instruction& is) {
  switch (is.mnemonic) {
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
      return is.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;  // the bit may be anywhere
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ:
      return true;
    default:
      return is.meta.category == ZYDIS_CATEGORY_COMPRESS ||
             is.meta.category == ZYDIS_CATEGORY_EXPAND;
  }
}

[[nodiscard]] std::uint64_t address_of(const instruction& is, const ZydisDecodedOperandMem& memory,
                                       const std::uint8_t* code, const register_values& at,
                                       std::uintptr_t fault) {
  if (memory.segment == ZYDIS_REGISTER_FS || memory.segment == ZYDIS_REGISTER_GS) return fault;
  const auto value = [&](ZydisRegister of) -> std::uint64_t {
    if (of == ZYDIS_REGISTER_NONE) return 0;
    if (of == ZYDIS_REGISTER_RIP || of == ZYDIS_REGISTER_EIP) {
      return reinterpret_cast<std::uintptr_t>(code) + is.length;
    }
    return at.general[ZydisRegisterGetId(of)];
  };
  const std::uint64_t address = value(memory.base) + value(memory.index) * memory.scale +
                                static_cast<std::uint64_t>(memory.disp.value);
  return is.address_width == 32 ? address & 0xFFFFFFFFU : address;
}

/// Only the elements whose bit is set are touched: from the first to the last of them.
void apply_opmask(const instruction& is, const ZydisDecodedOperand& masked,
                  const register_values& at, memory_operand& operand) {
  if (at.opmasks == nullptr) {
    operand.begin = operand.end = 0;  // contains no address: unknown
    return;
  }
  if (is.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) return;
  std::uint64_t count = masked.element_count;
  const ZydisDecodedOperand& result = is.operands[0];
  if (result.type == ZYDIS_OPERAND_TYPE_REGISTER &&
      ZydisRegisterGetClass(result.reg.value) != ZYDIS_REGCLASS_MASK) {
    // A bit stands for an element of the result, which sums of products make of several.
    if (result.size == masked.size) count = result.element_count;
    if (result.element_count != count) return;
  }
  const std::uint64_t element = (operand.end - operand.begin) / count;
  const std::uint64_t all = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  const std::uint64_t active = at.opmasks[ZydisRegisterGetId(is.avx.mask.reg)] & all;
  if (active == 0) return;
  operand.end = operand.begin + static_cast<std::uint64_t>(64 - std::countl_zero(active)) * element;
  operand.begin += static_cast<std::uint64_t>(std::countr_zero(active)) * element;
}

/// Extends `operand` to the rest of a repeated string instruction, as far as the page of its next
/// element reaches.
void extend(const register_values& at, memory_operand& operand) {
  constexpr std::uint64_t page = 4096;
  constexpr std::uint64_t backwards = 0x400;
  const std::uint64_t bytes = at.general[1] * (operand.end - operand.begin);
  if ((at.flags & backwards) != 0) {
    const std::uint64_t lowest = operand.begin & ~(page - 1);
    operand.begin = std::max(operand.end - std::min(bytes, operand.end), lowest);
  } else {
    const std::uint64_t highest = (operand.begin | (page - 1)) + 1;
    operand.end = std::max(operand.end, std::min(operand.begin + bytes, highest));
  }
}

}  // namespace

touched_memory decode_touched(const std::uint8_t* code, const register_values& at,
                              std::uintptr_t fault) noexcept {
  instruction is;
  if (!decode(code, is) || touches_some(is)) return {};
  const bool is_string = is.meta.category == ZYDIS_CATEGORY_STRINGOP;
  touched_memory result;
  result.repeated = is_string && (is.attributes & ZYDIS_ATTRIB_HAS_REP) != 0;
  for (int i = 0; i < is.operand_count && result.count < 2; ++i) {
    const ZydisDecodedOperand& from = is.operands[i];
    // What is hidden, but for strings, is the stack.
    if (!is_memory(from) || from.size == 0) continue;
    if (from.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT && !is_string) continue;
    const std::uint64_t begin = address_of(is, from.mem, code, at, fault);
    memory_operand& operand = result.operands[result.count++];
    operand = {begin, begin + from.size / 8, (from.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0,
               (from.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0};
    if (is.avx.mask.reg > ZYDIS_REGISTER_K0) apply_opmask(is, from, at, operand);
    if (result.repeated) extend(at, operand);
  }
  return result;
}

}  // namespace plait::detail

#endif
