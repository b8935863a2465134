// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/call_chain.hpp"

#include <array>

#include <pthread.h>

#include "attach/calls/frame_rules.hpp"

namespace plait::attach {

thread_local constinit std::uintptr_t own_stack_end = 0;

namespace {

/// Rules that were found, by return address; a newer one takes the place of an older one.
constexpr std::size_t known_rules = 4096;
struct known_rule {
  std::uintptr_t address = 0;
  frame_rule rule;
};
std::array<known_rule, known_rules> rules;

[[nodiscard]] const frame_rule& rule_at(std::uintptr_t address) noexcept {
  known_rule& one = rules[(address * 0x9e3779b97f4a7c15) >> 52];
  if (one.address != address) one = {address, find_frame_rule(address)};
  return one.rule;
}

}  // namespace

void find_stack_end() noexcept {
  own_stack_end = 1;  // none
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    own_stack_end = reinterpret_cast<std::uintptr_t>(begin) + size;
  }
  pthread_attr_destroy(&attributes);
}

int find_callers(call_place from, caller_data* callers) noexcept {
  const std::uintptr_t begin = from.stack;
  bool is_fixed = true;
  int count = 0;
  while (count < most_callers) {
    const frame_rule& rule = rule_at(from.address);
    if (!rule.is_known) break;
    const std::uintptr_t base = rule.from_frame ? from.frame : from.stack;
    const std::uintptr_t next = base + static_cast<std::uintptr_t>(std::int64_t{rule.stack_offset});
    if (next <= from.stack || next > own_stack_end) break;
    caller_data& one = callers[count];
    one = {};
    one.address = from.address = word_at(next - sizeof(void*));
    if (one.address == 0) break;
    if (rule.frame_offset != 0) {
      from.frame = word_at(next + static_cast<std::uintptr_t>(std::int64_t{rule.frame_offset}));
    }
    from.stack = next;
    is_fixed = is_fixed && !rule.from_frame && next - begin < (std::uintptr_t{1} << 31);
    one.stack_offset = is_fixed ? static_cast<std::int32_t>(next - begin) : rule.stack_offset;
    one.frame_offset = rule.frame_offset;
    if (!is_fixed) one.base = rule.from_frame ? frame_base::frame_pointer : frame_base::below;
    ++count;
  }
  return count;
}

}  // namespace plait::attach
