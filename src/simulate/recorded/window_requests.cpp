// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/window_requests.hpp"

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/core/window_letter.hpp>

namespace plait::simulate {
namespace {

/// Tags from here on are of windows: a rank has fewer messages.
constexpr std::uint32_t first_tag = 1U << 22;
static_assert(first_tag >= recording::most_items);

[[noreturn]] void refuse(const std::string& where, const message_key& signal, const char* why) {
  throw usage_error(fmt::format("{}: the signal from rank {} to rank {}, number {}: {}", where,
                                signal.from, signal.to, signal.place, why));
}

}  // namespace

message_key window_requests::key_of(std::uint32_t rank, const recorded_message& one) {
  return {one.sent ? rank : one.peer,
          one.sent ? one.peer : rank,
          one.runtime,
          one.communicator,
          one.tag,
          one.place};
}

std::uint32_t window_requests::next_tag(std::uint32_t from, std::uint32_t to) {
  return first_tag + tags_[(std::uint64_t{from} << 32) | to]++;
}

const window_request& window_requests::ask(std::uint32_t rank, const recorded_message& one,
                                           std::uint32_t name) {
  window_request& made = to_[one.peer].emplace_back();
  const bool small = one.size_bytes <= window_letter::largest_in_letter;
  made.from = rank;
  made.name = name;
  made.letter = {sizeof(window_letter) + (one.sent && small ? one.size_bytes : 0),
                 next_tag(rank, one.peer)};
  if (one.sent && !small) made.data = {one.size_bytes, next_tag(rank, one.peer)};
  made.answer = {one.sent ? sizeof(window_letter) : one.size_bytes, next_tag(one.peer, rank)};
  made.signals = one.sent && one.tag != no_signal;
  if (made.signals) made.signal = key_of(rank, one);
  return made;
}

void window_requests::await(const message_key& signal, std::uint32_t operation) {
  if (!awaited_.try_emplace(signal, operation).second) refuse(where_, signal, "two wait for it");
}

std::uint32_t window_requests::raise(const message_key& signal) {
  const auto found = awaited_.find(signal);
  if (found == awaited_.end()) return nobody;
  const std::uint32_t operation = found->second;
  awaited_.erase(found);
  return operation;
}

void window_requests::expect_all_raised() const {
  if (!awaited_.empty()) refuse(where_, awaited_.begin()->first, "nobody has raised it");
}

}  // namespace plait::simulate
