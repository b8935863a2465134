// SPDX-License-Identifier: BSD-3-Clause
// [DWARF 5, 6.4: call frame information; Linux Standard Base, 10.6: .eh_frame; x86-64 psABI, figure
// 3.36: register numbers]
#include "attach/calls/frame_rules.hpp"

#include <cstring>
#include <limits>

extern "C" {
struct plait_eh_bases {  // libgcc's struct dwarf_eh_bases
  void* text;
  void* data;
  void* function;
};
/// Of libgcc, by which exceptions are unwound.
const void* _Unwind_Find_FDE(void* address, plait_eh_bases* bases);
}

namespace plait::attach {
namespace {

constexpr std::uint64_t frame_register = 6;
constexpr std::uint64_t stack_register = 7;
constexpr std::uint64_t return_register = 16;
constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t as_it_is = unknown + 1;

class cursor {
 public:
  explicit cursor(const unsigned char* at) noexcept : at_(at) {}
  template <class T>
  T take() noexcept {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t unsigned_number() noexcept {
    int shift = 0;
    return number(shift);
  }
  std::int64_t signed_number() noexcept {
    int shift = 0;
    const std::uint64_t value = number(shift);
    const bool is_negative = shift < 64 && (at_[-1] & 0x40U) != 0;
    return static_cast<std::int64_t>(is_negative ? value | ~std::uint64_t{0} << shift : value);
  }
  void skip(std::uint64_t bytes) noexcept { at_ += bytes; }
  [[nodiscard]] const unsigned char* at() const noexcept { return at_; }

 private:
  /// Reads a number of 7 bits a byte, the lowest first.  `shift`: from 0 to behind its last bit.
  std::uint64_t number(int& shift) noexcept {
    std::uint64_t value = 0;
    unsigned char byte = 0;
    do {
      byte = *at_++;
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
    } while ((byte & 0x80U) != 0);
    return value;
  }

  const unsigned char* at_;
};

/// Bytes of an encoded pointer; 0: not of a fixed size.
[[nodiscard]] std::uint64_t size_of_encoded(unsigned char encoding) noexcept {
  constexpr unsigned char sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8};
  return sizes[encoding & 0x0fU];
}

/// Common information entry.
struct common_entry {
  const unsigned char* begin = nullptr;  ///< of its instructions
  const unsigned char* end = nullptr;
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  unsigned char pointers = 0;
  bool is_sized = false;  ///< its functions' entries have sized data before the instructions
};

[[nodiscard]] bool read_common(const unsigned char* at, common_entry& to) noexcept {
  cursor in(at);
  const auto length = in.take<std::uint32_t>();
  if (length == 0 || length == 0xffffffffU) return false;
  to.end = in.at() + length;
  in.skip(4);
  const auto version = in.take<unsigned char>();
  const auto* text = reinterpret_cast<const char*>(in.at());
  in.skip(std::strlen(text) + 1);
  to.code_unit = in.unsigned_number();
  to.data_unit = in.signed_number();
  const std::uint64_t returns = version == 1 ? in.take<unsigned char>() : in.unsigned_number();
  if (returns != return_register) return false;
  if (*text == 'z') {
    to.is_sized = true;
    const std::uint64_t size = in.unsigned_number();
    to.begin = in.at() + size;
    for (++text; *text != 0; ++text) {
      if (*text == 'R') {
        to.pointers = in.take<unsigned char>();
      } else if (*text == 'P') {
        const std::uint64_t bytes = size_of_encoded(in.take<unsigned char>());
        if (bytes == 0) return false;
        in.skip(bytes);
      } else if (*text == 'L') {
        in.skip(1);
      } else {  // a signal's frame, or what is not known
        return false;
      }
    }
  } else if (*text != 0) {
    return false;
  } else {
    to.begin = in.at();
  }
  return true;
}

struct frame_state {
  std::uint64_t base = 0;
  std::int64_t offset = unknown;  ///< of the caller's stack pointer, from the base
  std::int64_t frame_at = as_it_is;
  std::int64_t return_at = unknown;

  void keep(std::uint64_t reg, std::int64_t at) noexcept {
    if (reg == frame_register) frame_at = at;
    if (reg == return_register) return_at = at;
  }
  void restore(std::uint64_t reg, const frame_state& from) noexcept {
    if (reg == frame_register) frame_at = from.frame_at;
    if (reg == return_register) return_at = from.return_at;
  }
};

/// Runs instructions until they tell of code behind `wanted`.
class machine {
 public:
  machine(const common_entry& common, std::uintptr_t function, std::uintptr_t wanted) noexcept
      : common_(common), at_(function), wanted_(wanted) {}

  [[nodiscard]] bool run(const unsigned char* begin, const unsigned char* end) noexcept {
    cursor in(begin);
    while (in.at() < end && at_ <= wanted_) {
      const auto code = in.take<unsigned char>();
      const std::uint64_t low = code & 0x3fU;
      switch (code >> 6U) {
        case 1:
          advance(low);
          break;
        case 2:
          now.keep(low, times_unit(in.unsigned_number()));
          break;
        case 3:
          now.restore(low, first);
          break;
        default:
          if (!extended(code, in)) return false;
      }
    }
    return true;
  }

  frame_state now;
  frame_state first;

 private:
  void advance(std::uint64_t units) noexcept { at_ += units * common_.code_unit; }
  [[nodiscard]] std::int64_t times_unit(std::uint64_t number) const noexcept {
    return static_cast<std::int64_t>(number) * common_.data_unit;
  }

  [[nodiscard]] bool extended(unsigned char code, cursor& in) noexcept {
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x02:  // advance_loc1, 2, 4
        advance(in.take<std::uint8_t>());
        return true;
      case 0x03:
        advance(in.take<std::uint16_t>());
        return true;
      case 0x04:
        advance(in.take<std::uint32_t>());
        return true;
      case 0x0a:  // remember_state
        if (depth_ == most_kept) return false;
        kept_[depth_++] = now;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        now = kept_[--depth_];
        return true;
      case 0x0d:  // def_cfa_register
        now.base = in.unsigned_number();
        return true;
      case 0x0c:  // def_cfa
        now.base = in.unsigned_number();
        [[fallthrough]];
      case 0x0e:  // def_cfa_offset
        now.offset = static_cast<std::int64_t>(in.unsigned_number());
        return true;
      case 0x0f:  // def_cfa_expression
        now.offset = unknown;
        in.skip(in.unsigned_number());
        return true;
      case 0x12:  // def_cfa_sf
        now.base = in.unsigned_number();
        [[fallthrough]];
      case 0x13:  // def_cfa_offset_sf
        now.offset = in.signed_number() * common_.data_unit;
        return true;
      case 0x2e:  // GNU_args_size
        (void)in.unsigned_number();
        return true;
      default:
        return of_register(code, in);
    }
  }

  [[nodiscard]] bool of_register(unsigned char code, cursor& in) noexcept {
    const std::uint64_t reg = in.unsigned_number();
    switch (code) {
      case 0x05:  // offset_extended
        now.keep(reg, times_unit(in.unsigned_number()));
        return true;
      case 0x06:  // restore_extended
        now.restore(reg, first);
        return true;
      case 0x07:  // undefined
        now.keep(reg, unknown);
        return true;
      case 0x08:  // same_value
        now.keep(reg, as_it_is);
        return true;
      case 0x09:  // register
      case 0x14:  // val_offset
        (void)in.unsigned_number();
        now.keep(reg, unknown);
        return true;
      case 0x10:  // expression
      case 0x16:  // val_expression
        in.skip(in.unsigned_number());
        now.keep(reg, unknown);
        return true;
      case 0x11:  // offset_extended_sf
        now.keep(reg, in.signed_number() * common_.data_unit);
        return true;
      default:
        return false;
    }
  }

  static constexpr int most_kept = 8;
  const common_entry& common_;
  std::uintptr_t at_;
  std::uintptr_t wanted_;
  frame_state kept_[most_kept];
  int depth_ = 0;
};

/// Returns the rule that a state amounts to.
[[nodiscard]] frame_rule rule_of(const frame_state& state) noexcept {
  frame_rule rule;
  const bool has_base = state.base == stack_register || state.base == frame_register;
  if (!has_base || state.offset < 0 || state.offset > std::numeric_limits<std::int32_t>::max()) {
    return rule;
  }
  if (state.return_at != -std::int64_t{sizeof(void*)} || state.frame_at == unknown) return rule;
  if (state.frame_at != as_it_is) {
    if (state.frame_at >= 0 || state.frame_at < std::numeric_limits<std::int16_t>::min()) {
      return rule;
    }
    rule.frame_offset = static_cast<std::int16_t>(state.frame_at);
  }
  rule.stack_offset = static_cast<std::int32_t>(state.offset);
  rule.from_frame = state.base == frame_register;
  rule.is_known = true;
  return rule;
}

}  // namespace

frame_rule find_frame_rule(std::uintptr_t return_address) noexcept {
#if defined(__x86_64__)
  const std::uintptr_t wanted = return_address - 1;  // in the call, not behind it
  plait_eh_bases bases{};
  const void* entry = _Unwind_Find_FDE(reinterpret_cast<void*>(wanted), &bases);
  if (entry == nullptr) return {};
  cursor in(static_cast<const unsigned char*>(entry));
  const auto length = in.take<std::uint32_t>();
  if (length == 0 || length == 0xffffffffU) return {};
  const unsigned char* end = in.at() + length;
  const unsigned char* here = in.at();
  common_entry common;
  if (!read_common(here - in.take<std::uint32_t>(), common)) return {};
  const std::uint64_t bytes = size_of_encoded(common.pointers);
  if (bytes == 0) return {};
  in.skip(2 * bytes);
  if (common.is_sized) in.skip(in.unsigned_number());
  machine frames(common, reinterpret_cast<std::uintptr_t>(bases.function), wanted);
  if (!frames.run(common.begin, common.end)) return {};
  frames.first = frames.now;
  if (!frames.run(in.at(), end)) return {};
  return rule_of(frames.now);
#else
  (void)return_address;
  return {};
#endif
}

}  // namespace plait::attach
