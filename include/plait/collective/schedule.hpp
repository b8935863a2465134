// SPDX-License-Identifier: BSD-3-Clause
/// Describes one rank's part of a collective operation as data: messages, local operations and
/// copies on bytes of three buffers.  Not here: building a schedule (shape.hpp) and executing one.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plait::collective {

/// Says which memory an action of a schedule touches.
enum class buffer : std::uint8_t {
  send,     ///< only read
  receive,  ///< the result; the input too, where a call is in place and for `bcast`
  scratch,  ///< `schedule::scratch_bytes` of its own; what they hold at first does not matter
};

/// The bytes [begin, end) of a buffer.
struct slice {
  buffer where = buffer::send;
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - begin; }
  [[nodiscard]] constexpr bool empty() const noexcept { return begin == end; }
  friend bool operator==(const slice&, const slice&) = default;
};

/// No slice of an action is empty, and `from` and `to` of one action never overlap.
struct action {
  enum class kind : std::uint8_t {
    send,     ///< `from` to `peer`
    receive,  ///< `to` from `peer`
    operate,  ///< to = to OP from where `to_is_left`, else to = from OP to; whole elements
    copy,     ///< `from` to `to`
  };

  kind what = kind::copy;
  int peer = -1;  ///< never the rank itself
  slice from = {};
  slice to = {};
  bool to_is_left = false;
  /// The step it belongs to if all ranks went in lock-step; the same for a send and its receive.
  /// For models and traces: nothing waits for a round to end.
  int round = 0;

  friend bool operator==(const action&, const action&) = default;
};

/// Holds the actions of one rank.  Two things order the actions, and no others:
/// - Data.  An action waits for each earlier one with which it shares a byte that one of them
///   writes.
/// - Matching.  The k-th send of a to b meets the k-th receive of b from a, in this order.
///
/// Any execution that honours both is right, terminates even if no send completes before its
/// receive is posted, and gives the same bits.  The rank is done when all of its actions are.
///
/// One of these executions begins each action when its predecessor has begun (a message) or is done
/// (anything else).  So a rank that may have one task in flight can submit the actions in order.
/// An action that puts an arrived message elsewhere comes after the sends that others wait for.
struct schedule {
  std::vector<action> actions;
  /// Slices of scratch on which elements are operated begin at multiples of 64 bytes, or whole
  /// elements behind one.
  std::size_t scratch_bytes = 0;
  /// Bytes of the buffers that belong to the call, including those that no action touches.
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
  int rounds = 0;  ///< the same on every rank

  friend bool operator==(const schedule&, const schedule&) = default;
};

}  // namespace plait::collective
