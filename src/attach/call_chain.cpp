// SPDX-License-Identifier: BSD-3-Clause
#include "attach/call_chain.hpp"

#include <array>

#include <pthread.h>

#include "attach/frame_rules.hpp"

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
  int count = 0;
  while (count < most_callers) {
    const frame_rule& rule = rule_at(from.address);
    if (!rule.is_known) break;
    caller_data one;
    one.stack_offset = rule.stack_offset;
    one.frame_offset = rule.frame_offset;
    one.from_frame = rule.from_frame ? 1 : 0;
    if (!go_up(one, from) || from.address == 0) break;
    one.address = from.address;
    callers[count++] = one;
  }
  return count;
}

}  // namespace plait::attach
