// SPDX-License-Identifier: BSD-3-Clause
// The opcode maps follow Intel's Software Developer's Manual, volume 2, appendix A.
#include "task/checked/memory_operand.hpp"

#include <algorithm>
#include <bit>

namespace plait::detail {
namespace {

using byte = std::uint8_t;

enum : byte { reads = 1, writes = 2, both = 3 };

/// What an opcode does to its memory operand.  Size 0: unknown, or none.
struct effect {
  std::uint32_t size = 0;
  byte how = 0;
};

enum class prefix : byte { none = 0, p66 = 1, f3 = 2, f2 = 3 };

struct decoder {
  const byte* at;
  bool operand_16 = false;
  bool repeat = false;   // f3
  bool repeat2 = false;  // f2
  bool address_32 = false;
  bool segment = false;
  bool wide = false;  // REX.W, VEX.W
  byte extend_index = 0;
  byte extend_base = 0;
  bool vex = false;
  bool evex = false;
  bool broadcast = false;
  byte opmask = 0;
  prefix mandatory = prefix::none;
  std::uint32_t vector = 16;  // bytes
  int map = 0;
  byte opcode = 0;

  byte next() { return *at++; }

  void read_prefixes() {
    for (;; ++at) {
      switch (*at) {
        case 0x66:
          operand_16 = true;
          continue;
        case 0xF2:
          repeat2 = true;
          repeat = false;
          continue;
        case 0xF3:
          repeat = true;
          repeat2 = false;
          continue;
        case 0x67:
          address_32 = true;
          continue;
        case 0x64:
        case 0x65:
          segment = true;
          continue;
        case 0x26:
        case 0x2E:
        case 0x36:
        case 0x3E:
        case 0xF0:
          continue;
        default:
          break;
      }
      break;
    }
    if ((*at & 0xF0) == 0x40) rex(next());
    if (repeat2) {
      mandatory = prefix::f2;
    } else if (repeat) {
      mandatory = prefix::f3;
    } else if (operand_16) {
      mandatory = prefix::p66;
    }
  }

  void rex(byte bits) {
    wide = (bits & 8) != 0;
    extend_index = (bits & 2) != 0 ? 8 : 0;
    extend_base = (bits & 1) != 0 ? 8 : 0;
  }

  void read_opcode() {
    opcode = next();
    if (opcode == 0x0F) {
      map = 1;
      opcode = next();
      if (opcode == 0x38 || opcode == 0x3A) {
        map = opcode == 0x38 ? 2 : 3;
        opcode = next();
      }
    } else if (opcode == 0xC5) {
      vex = true;
      map = 1;
      const byte b = next();
      mandatory = static_cast<prefix>(b & 3);
      vector = (b & 4) != 0 ? 32 : 16;
      opcode = next();
    } else if (opcode == 0xC4) {
      vex = true;
      const byte b1 = next();
      const byte b2 = next();
      map = b1 & 0x1F;
      extend_index = (b1 & 0x40) != 0 ? 0 : 8;
      extend_base = (b1 & 0x20) != 0 ? 0 : 8;
      wide = (b2 & 0x80) != 0;
      mandatory = static_cast<prefix>(b2 & 3);
      vector = (b2 & 4) != 0 ? 32 : 16;
      opcode = next();
    } else if (opcode == 0x62) {
      vex = evex = true;
      const byte b1 = next();
      const byte b2 = next();
      const byte b3 = next();
      map = b1 & 7;
      extend_index = (b1 & 0x40) != 0 ? 0 : 8;
      extend_base = (b1 & 0x20) != 0 ? 0 : 8;
      wide = (b2 & 0x80) != 0;
      mandatory = static_cast<prefix>(b2 & 3);
      vector = 16U << ((b3 >> 5) & 3U);
      broadcast = (b3 & 0x10) != 0;
      opmask = b3 & 7;
      opcode = next();
    }
  }

  [[nodiscard]] std::uint32_t general() const { return wide ? 8 : operand_16 ? 2 : 4; }
  [[nodiscard]] std::uint32_t general_32_or_64() const { return wide ? 8 : 4; }
  /// Of ps, pd, ss and sd.
  [[nodiscard]] std::uint32_t scalar_or_packed() const {
    return mandatory == prefix::f3 ? 4 : mandatory == prefix::f2 ? 8 : vector;
  }
  /// Of instructions that began as MMX.
  [[nodiscard]] std::uint32_t packed_integers() const {
    return !vex && mandatory == prefix::none ? 8 : vector;
  }

  [[nodiscard]] effect one_byte_map(byte extension) const;
  [[nodiscard]] effect x87(byte extension) const;
  [[nodiscard]] effect map_0f(byte extension) const;
  [[nodiscard]] effect map_0f38() const;
  [[nodiscard]] effect map_0f3a() const;
  [[nodiscard]] effect find(byte extension) const;
};

effect decoder::x87(byte extension) const {
  static constexpr effect table[8][8] = {
      {{4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads}},
      {{4, reads},
       {},
       {4, writes},
       {4, writes},
       {28, reads},
       {2, reads},
       {28, writes},
       {2, writes}},
      {{4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads},
       {4, reads}},
      {{4, reads}, {4, writes}, {4, writes}, {4, writes}, {}, {10, reads}, {}, {10, writes}},
      {{8, reads},
       {8, reads},
       {8, reads},
       {8, reads},
       {8, reads},
       {8, reads},
       {8, reads},
       {8, reads}},
      {{8, reads}, {8, writes}, {8, writes}, {8, writes}, {}, {}, {}, {2, writes}},
      {{2, reads},
       {2, reads},
       {2, reads},
       {2, reads},
       {2, reads},
       {2, reads},
       {2, reads},
       {2, reads}},
      {{2, reads},
       {2, writes},
       {2, writes},
       {2, writes},
       {10, reads},
       {8, reads},
       {10, writes},
       {8, writes}},
  };
  return table[opcode & 7][extension];
}

effect decoder::one_byte_map(byte extension) const {
  if (opcode < 0x40) {  // add, or, adc, sbb, and, sub, xor, cmp
    const std::uint32_t size = (opcode & 1) != 0 ? general() : 1;
    const bool compares = opcode >= 0x38;
    switch (opcode & 7) {
      case 0:
      case 1:
        return {size, compares ? reads : both};
      case 2:
      case 3:
        return {size, reads};
      default:
        return {};
    }
  }
  if (opcode >= 0xD8 && opcode <= 0xDF) return x87(extension);
  const std::uint32_t size = (opcode & 1) != 0 ? general() : 1;
  switch (opcode) {
    case 0x63:
      return {4, reads};
    case 0x69:
    case 0x6B:
      return {general(), reads};
    case 0x80:
    case 0x81:
      return {size, extension == 7 ? reads : both};
    case 0x83:
      return {general(), extension == 7 ? reads : both};
    case 0x84:
    case 0x85:
    case 0x8A:
    case 0x8B:
      return {size, reads};
    case 0x86:
    case 0x87:
      return {size, both};
    case 0x88:
    case 0x89:
    case 0xC6:
    case 0xC7:
      return {size, writes};
    case 0x8F:
      return {operand_16 ? 2U : 8U, writes};
    case 0xC0:
    case 0xC1:
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
      return {size, both};
    case 0xF6:
    case 0xF7:
      return {size, extension == 2 || extension == 3 ? both : reads};
    case 0xFE:
      return {1, both};
    case 0xFF:
      if (extension < 2) return {general(), both};
      return {8, reads};
    default:
      return {};
  }
}

effect decoder::map_0f(byte extension) const {
  if ((opcode & 0xF0) == 0x40) return {general(), reads};  // cmov
  if ((opcode & 0xF0) == 0x90) return {1, writes};         // set
  const bool f2 = mandatory == prefix::f2;
  const bool f3 = mandatory == prefix::f3;
  const bool p66 = mandatory == prefix::p66;
  switch (opcode) {
    case 0x10:
      return {scalar_or_packed(), reads};
    case 0x11:
      return {scalar_or_packed(), writes};
    case 0x12:
      return {f3 ? vector : f2 && vector > 16 ? vector : 8, reads};
    case 0x16:
      return {f3 ? vector : 8, reads};
    case 0x13:
    case 0x17:
      return {8, writes};
    case 0x14:
    case 0x15:
    case 0x28:
      return {vector, reads};
    case 0x29:
    case 0x2B:
      return {vector, writes};
    case 0x2A:
      return {f2 || f3 ? general_32_or_64() : 8, reads};
    case 0x2C:
    case 0x2D:
      return {f3 ? 4U : p66 ? 16U : 8U, reads};
    case 0x2E:
    case 0x2F:
      return {p66 ? 8U : 4U, reads};
    case 0x5B:
      return {vector, reads};
    case 0x5A:
      return {f3 ? 4U : f2 ? 8U : p66 ? vector : vector / 2, reads};
    case 0x6E:
      return {general_32_or_64(), reads};
    case 0x6F:
      return {packed_integers(), reads};
    case 0x7E:
      if (f3) return {8, reads};
      return {general_32_or_64(), writes};
    case 0x7F:
      return {packed_integers(), writes};
    case 0xA3:
      return {};  // the bit may be anywhere
    case 0xA4:
    case 0xA5:
    case 0xAC:
    case 0xAD:
      return {general(), both};
    case 0xAE:
      if (vex) return {4, extension == 2 ? reads : writes};
      if (extension < 2) return {512, extension == 0 ? writes : reads};
      if (extension < 4) return {4, extension == 2 ? reads : writes};
      return {};
    case 0xAF:
    case 0xB8:
    case 0xBC:
    case 0xBD:
      return {general(), reads};
    case 0xB0:
    case 0xC0:
      return {1, both};
    case 0xB1:
    case 0xC1:
      return {general(), both};
    case 0xB6:
    case 0xBE:
      return {1, reads};
    case 0xB7:
    case 0xBF:
      return {2, reads};
    case 0xBA:
      return {general(), extension == 4 ? reads : both};
    case 0xC2:
      return {scalar_or_packed(), reads};
    case 0xC3:
      return {general_32_or_64(), writes};
    case 0xC4:
      return {2, reads};
    case 0xC6:
      return {vector, reads};
    case 0xC7:
      return extension == 1 ? effect{wide ? 16U : 8U, both} : effect{};
    case 0xD6:
      return {8, writes};
    case 0xE6:
      return {f3 ? vector / 2 : vector, reads};
    case 0xE7:
      return {packed_integers(), writes};
    case 0xF0:
      return {vector, reads};
    default:
      break;
  }
  if (opcode >= 0x51 && opcode <= 0x5F) return {scalar_or_packed(), reads};
  if (opcode >= 0x60 && opcode <= 0x6D) return {packed_integers(), reads};
  if (opcode >= 0x70 && opcode <= 0x76) return {packed_integers(), reads};
  if (opcode == 0x7C || opcode == 0x7D) return {vector, reads};
  // Shifts by a count in memory take 16 bytes of it.
  const bool shift = (opcode >= 0xD1 && opcode <= 0xD3) || opcode == 0xE1 || opcode == 0xE2 ||
                     (opcode >= 0xF1 && opcode <= 0xF3);
  if (shift) return {packed_integers() == 8 ? 8U : 16U, reads};
  if (opcode >= 0xD0 && opcode != 0xF7 && opcode != 0xFF) return {packed_integers(), reads};
  return {};
}

effect decoder::map_0f38() const {
  const bool extends = (opcode >= 0x20 && opcode <= 0x25) || (opcode >= 0x30 && opcode <= 0x35);
  if (extends) {  // pmovsx, pmovzx; or, with f3, pmov to narrower elements
    if (evex && mandatory == prefix::f3) return {};
    static constexpr std::uint32_t part[6] = {2, 4, 8, 2, 4, 2};
    return {vector / part[opcode & 7], reads};
  }
  if (evex && mandatory == prefix::f3) return {};
  const byte low = opcode & 0x0F;
  if (vex && opcode >= 0x96 && opcode <= 0xBF && low >= 6) {  // fused multiply-add
    const bool scalar = low == 9 || low == 0xB || low == 0xD || low == 0xF;
    return {scalar ? general_32_or_64() : vector, reads};
  }
  switch (opcode) {
    case 0x13:
      return vex ? effect{vector / 2, reads} : effect{};
    case 0x18:
    case 0x58:
      return vex ? effect{4, reads} : effect{};
    case 0x19:
      return {8, reads};
    case 0x59:
      return {8, reads};
    case 0x1A:
    case 0x5A:
      return {16, reads};
    case 0x1B:
    case 0x5B:
      return {32, reads};
    case 0x78:
      return {1, reads};
    case 0x79:
      return {2, reads};
    case 0xF0:
      return {mandatory == prefix::f2 ? 1 : general(), reads};
    case 0xF1:
      return {general(), mandatory == prefix::f2 ? reads : writes};
    case 0xF2:
    case 0xF3:
    case 0xF5:
    case 0xF6:
    case 0xF7:
      return {general_32_or_64(), reads};
    default:
      break;
  }
  // Masked loads and stores, compressions, gathers and scatters: elements here and there.
  if ((opcode >= 0x2C && opcode <= 0x2F) || (opcode >= 0x88 && opcode <= 0x93) ||
      (opcode >= 0xA0 && opcode <= 0xA3) || opcode >= 0xC0) {
    return {};
  }
  if (opcode <= 0x47 || (opcode >= 0x64 && opcode <= 0x76)) return {packed_integers(), reads};
  return {};
}

effect decoder::map_0f3a() const {
  switch (opcode) {
    case 0x0A:
      return {4, reads};
    case 0x0B:
      return {8, reads};
    case 0x14:
      return {1, writes};
    case 0x15:
      return {2, writes};
    case 0x16:
      return {general_32_or_64(), writes};
    case 0x17:
      return {4, writes};
    case 0x18:
    case 0x38:
      return {16, reads};
    case 0x19:
    case 0x39:
      return {16, writes};
    case 0x1A:
    case 0x3A:
      return {32, reads};
    case 0x1B:
    case 0x3B:
      return {32, writes};
    case 0x1D:
      return {vector / 2, writes};
    case 0x20:
      return {1, reads};
    case 0x21:
      return {4, reads};
    case 0x22:
    case 0xF0:
      return {general_32_or_64(), reads};
    default:
      return {packed_integers(), reads};
  }
}

effect decoder::find(byte extension) const {
  switch (map) {
    case 0:
      return one_byte_map(extension);
    case 1:
      return map_0f(extension);
    case 2:
      return map_0f38();
    case 3:
      return map_0f3a();
    default:
      return {};
  }
}

/// Only the elements whose bit is set are touched: from the first to the last of them.
void apply_opmask(const decoder& d, const register_values& at, memory_operand& operand) {
  if (at.opmasks == nullptr) {
    operand.begin = operand.end = 0;  // contains no address: unknown
    return;
  }
  const bool floats =
      d.map == 1 && (d.opcode == 0x10 || d.opcode == 0x11 || d.opcode == 0x28 || d.opcode == 0x29);
  const bool narrow =
      d.map == 1 && (d.opcode == 0x6F || d.opcode == 0x7F) && d.mandatory == prefix::f2;
  const std::uint32_t element = narrow   ? (d.wide ? 2 : 1)
                                : floats ? (d.mandatory == prefix::none ? 4 : 8)
                                : d.wide ? 8
                                         : 4;
  const std::uint64_t count = (operand.end - operand.begin) / element;
  const std::uint64_t all = count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  const std::uint64_t active = at.opmasks[d.opmask] & all;
  if (active == 0 || d.broadcast) return;
  operand.end = operand.begin + static_cast<std::uint64_t>(64 - std::countl_zero(active)) * element;
  operand.begin += static_cast<std::uint64_t>(std::countr_zero(active)) * element;
}

/// movs, stos, lods, cmps and scas.
[[nodiscard]] touched_memory string_instruction(const decoder& d, const register_values& at) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t element = (d.opcode & 1) != 0 ? d.general() : 1;
  const byte kind = d.opcode & 0xFE;
  touched_memory result;
  result.repeated = (d.repeat || d.repeat2) && (kind == 0xA4 || kind == 0xAA || kind == 0xAC);
  const bool backwards = (at.flags & 0x400) != 0;
  const auto add = [&](std::uint64_t pointer, bool is_read) {
    std::uint64_t begin = pointer;
    std::uint64_t end = pointer + element;
    if (result.repeated) {
      const std::uint64_t bytes = at.general[1] * element;
      if (backwards) {
        begin = std::max(end - std::min(bytes, end), pointer & ~(page - 1));
      } else {
        end = std::max(end, std::min(begin + bytes, (begin | (page - 1)) + 1));
      }
    }
    result.operands[result.count++] = {begin, end, is_read, !is_read};
  };
  const std::uint64_t source = at.general[6];
  const std::uint64_t target = at.general[7];
  if (kind == 0xA4 || kind == 0xA6 || kind == 0xAC) add(source, true);
  if (kind == 0xA4 || kind == 0xAA) add(target, false);
  if (kind == 0xA6 || kind == 0xAE) add(target, true);
  return result;
}

[[nodiscard]] bool is_string_instruction(const decoder& d) {
  const byte kind = d.opcode & 0xFE;
  return d.map == 0 && !d.vex &&
         (kind == 0xA4 || kind == 0xA6 || kind == 0xAA || kind == 0xAC || kind == 0xAE);
}

}  // namespace

touched_memory decode_touched(const std::uint8_t* code, const register_values& at,
                              std::uintptr_t fault) noexcept {
  decoder d{code};
  d.read_prefixes();
  d.read_opcode();
  if (is_string_instruction(d)) return string_instruction(d, at);

  const byte modrm = d.next();
  const byte mod = modrm >> 6;
  if (mod == 3) return {};
  effect found = d.find((modrm >> 3) & 7);
  if (found.size == 0) return {};
  if (d.broadcast) found.size = d.wide ? 8 : 4;

  std::uint64_t address = 0;
  bool from_next_instruction = false;
  byte base = modrm & 7;
  if (base == 4) {
    const byte sib = d.next();
    const byte index = ((sib >> 3) & 7) | d.extend_index;
    if (index != 4) address = at.general[index] << (sib >> 6);
    base = sib & 7;
    if (base == 5 && mod == 0) {
      base = 16;  // none
    } else {
      address += at.general[base | d.extend_base];
    }
  } else if (base == 5 && mod == 0) {
    from_next_instruction = true;
    base = 16;
  } else {
    address = at.general[base | d.extend_base];
  }
  if (mod == 1) {
    const auto displacement = static_cast<std::int64_t>(static_cast<std::int8_t>(d.next()));
    address += static_cast<std::uint64_t>(displacement * (d.evex ? found.size : 1));
  } else if (mod == 2 || base == 16) {
    std::uint32_t displacement = 0;
    for (unsigned i = 0; i < 4; ++i) displacement |= std::uint32_t{d.next()} << (8 * i);
    address += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(displacement)});
  }
  if (d.address_32) address &= 0xFFFFFFFFU;
  if (d.segment) address = fault;
  if (from_next_instruction) {
    // What follows is an immediate operand of so many bytes.
    const std::uint64_t relative = address + reinterpret_cast<std::uintptr_t>(d.at);
    address = relative;
    for (const std::uint64_t immediate : {4, 2, 1, 0}) {
      const std::uint64_t candidate = relative + immediate;
      if (fault - candidate < found.size) address = candidate;
      if (candidate == fault) break;
    }
  }
  touched_memory result;
  result.count = 1;
  result.operands[0] = {address, address + found.size, (found.how & reads) != 0,
                        (found.how & writes) != 0};
  if (d.opmask != 0) apply_opmask(d, at, result.operands[0]);
  return result;
}

}  // namespace plait::detail
