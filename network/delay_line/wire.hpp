// SPDX-License-Identifier: BSD-3-Clause
/// Frames on their way: each arrives a fixed time after it has left, in the order of leaving.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace plait::network::delay_line {

using moment = std::chrono::steady_clock::time_point;
using frame = std::vector<std::byte>;

/// Used by one thread.
class wire {
 public:
  /// `room_bytes`: of the frames on their way; what would exceed it is lost, as in a router.
  wire(std::chrono::nanoseconds delay, std::size_t room_bytes)
      : delay_(delay), room_bytes_(room_bytes) {}

  /// Takes a frame that leaves at `now`.  Precondition: `now` is not before that of an earlier
  /// call.
  void send(frame sent, moment now);

  /// The frame that leaves first, if it has arrived at `now`.
  [[nodiscard]] std::optional<frame> arrived(moment now);

  /// Returns the time at which the next frame arrives; nothing while none is on its way.
  [[nodiscard]] std::optional<moment> next_arrival() const;

  [[nodiscard]] std::size_t lost() const noexcept { return lost_; }

 private:
  struct travelling {
    moment due;
    frame carried;
  };

  std::chrono::nanoseconds delay_;
  std::size_t room_bytes_;
  std::size_t used_bytes_ = 0;
  std::size_t lost_ = 0;
  std::deque<travelling> on_their_way_;
};

}  // namespace plait::network::delay_line
