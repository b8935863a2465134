// SPDX-License-Identifier: BSD-3-Clause
// Judges which of the bytes that an instruction touches are forbidden.
#include "task/checked/guarded_state.hpp"

#if defined(__x86_64__) && defined(__linux__)

#include <algorithm>

#include "task/checked/real_function.hpp"

namespace plait::detail::guard {

namespace {

void note(std::uintptr_t begin, std::uintptr_t end, bool write) noexcept {
  page_array<touched_bytes>& list = all.touched;
  // Loops touch a few ranges in turn.
  const std::size_t look_at = list.size < 8 ? list.size : 8;
  for (std::size_t back = 1; back <= look_at; ++back) {
    touched_bytes& known = list.data[list.size - back];
    if (known.write != write || begin > known.end || end < known.begin) continue;
    if (begin < known.begin) known.begin = begin;
    if (end > known.end) known.end = end;
    return;
  }
  if (list.size == list.capacity) {
    all.incomplete = true;
    return;
  }
  list.data[list.size++] = {begin, end, write};
}

/// Notes which of [begin, end) are in `forbidden`.
void judge(const page_array<byte_range>& forbidden, std::uintptr_t begin, std::uintptr_t end,
           bool write) noexcept {
  for (std::size_t i = forbidden.first_behind(begin);
       i < forbidden.size && forbidden.data[i].begin < end; ++i) {
    const byte_range& bytes = forbidden.data[i];
    note(bytes.begin > begin ? bytes.begin : begin, bytes.end < end ? bytes.end : end, write);
  }
}

}  // namespace

void judge(const memory_operand& operand) noexcept {
  if (operand.reads) judge(all.unreadable, operand.begin, operand.end, false);
  if (operand.writes) judge(all.unwritable, operand.begin, operand.end, true);
}

bool is_overread(std::uint64_t code, const memory_operand& operand) noexcept {
  constexpr std::uintptr_t longest = 256;
  constexpr std::uint64_t longest_code = 8192;
  if (operand.writes) return false;
  const code_range* nearest = nullptr;
  for (int i = 0; i < all.string_code_count; ++i) {
    if (all.string_code[i].begin <= code) nearest = &all.string_code[i];
  }
  if (nearest == nullptr || !nearest->overreads || code - nearest->begin > longest_code) {
    return false;
  }
  const std::uintptr_t page = operand.begin & ~(page_bytes - 1);
  const std::uintptr_t begin = operand.begin - page < longest ? page : operand.begin - longest;
  const std::uintptr_t end = std::min(operand.end + longest, page + page_bytes);
  for (std::size_t i = 0; i < all.unreadable.size; ++i) {
    const byte_range& bytes = all.unreadable.data[i];
    if (bytes.begin <= begin && end <= bytes.end) return false;  // nothing else it could be after
  }
  return true;
}

void find_string_code() {
  constexpr const char* overreading[] = {
      "strlen",    "strnlen", "strchr", "strchrnul",  "strrchr",     "strcmp",  "strncmp",
      "strcpy",    "strncpy", "stpcpy", "stpncpy",    "strcat",      "strncat", "strcspn",
      "strspn",    "strpbrk", "strstr", "strcasecmp", "strncasecmp", "memchr",  "memrchr",
      "rawmemchr", "memcmp",  "wcslen", "wcsnlen",    "wcschr",      "wmemchr"};
  constexpr const char* exact[] = {"memcpy", "memmove", "mempcpy", "memset", "wmemset"};
  all.string_code_count = 0;
  const auto add = [](const char* name, bool overreads) {
    void* const address = real_function(name);
    if (address == nullptr) return;
    all.string_code[all.string_code_count++] = {reinterpret_cast<std::uintptr_t>(address),
                                                overreads};
  };
  for (const char* name : overreading) add(name, true);
  for (const char* name : exact) add(name, false);
  std::sort(all.string_code, all.string_code + all.string_code_count,
            [](const code_range& a, const code_range& b) { return a.begin < b.begin; });
}

}  // namespace plait::detail::guard

#endif
