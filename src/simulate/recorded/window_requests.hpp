// SPDX-License-Identifier: BSD-3-Clause
/// Requests of ranks to each other for operations on windows.  Only the rank that asks has recorded
/// it; the other's engine answers, whatever its program does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <plait/trace/recording.hpp>

#include "simulate/recorded/message_tags.hpp"

namespace plait::simulate {

/// The messages of one operation, as windows on messages have them (src/comm/one_sided): a put is a
/// letter with its data, or a letter and a message with the data, and is answered; a get is a
/// letter, and a message with the data comes back.
struct window_request {
  struct message {
    std::uint64_t bytes = 0;
    std::uint32_t tag = 0;
  };
  std::uint32_t from = 0;
  std::uint32_t name = 0;
  message letter;
  std::optional<message> data;  ///< of a large put
  message answer;
  bool signals = false;
  message_key signal{};
};

/// Of all ranks, of which one after the other asks, before anyone is answered.
class window_requests {
 public:
  /// Signals and puts without one have this tag in recordings; so have gets.
  static constexpr std::int32_t no_signal = -1;

  /// `where` begins the errors, and outlives this.
  explicit window_requests(const std::string& where) : where_(where) {}

  /// Adds a put, a get or a signal of `rank` to another.
  [[nodiscard]] const window_request& ask(std::uint32_t rank, const recorded_message& one,
                                          std::uint32_t name);
  /// Notes that an operation of the rank waits for a signal.  Errors: usage_error for the second
  /// that waits for it.
  void await(const message_key& signal, std::uint32_t operation);
  /// Returns what the others ask of a rank.
  [[nodiscard]] const std::vector<window_request>& to(std::uint32_t rank) { return to_[rank]; }
  /// Returns the operation that waits for a signal, once; `nobody`: none does.
  [[nodiscard]] std::uint32_t raise(const message_key& signal);
  static constexpr std::uint32_t nobody = 0xffff'ffffU;
  /// Errors: usage_error if a signal is waited for that nobody has raised.
  void expect_all_raised() const;

  [[nodiscard]] static message_key key_of(std::uint32_t rank, const recorded_message& one);

 private:
  [[nodiscard]] std::uint32_t next_tag(std::uint32_t from, std::uint32_t to);

  const std::string& where_;
  std::unordered_map<std::uint32_t, std::vector<window_request>> to_;
  std::map<message_key, std::uint32_t> awaited_;
  std::unordered_map<std::uint64_t, std::uint32_t> tags_;  ///< taken, by sender and receiver
};

}  // namespace plait::simulate
