// SPDX-License-Identifier: BSD-3-Clause
/// The links of an emulated cluster: pairs of devices, and what crosses from one to the other.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include "tap.hpp"
#include "wire.hpp"

namespace plait::network::delay_line {

/// Of each link: what 1 Gbit/s brings in half a second.
inline constexpr std::size_t room_bytes = std::size_t{64} << 20;

/// The devices `NAME` and `NAMEx` of each link.  What is sent over `NAMEx` arrives at `NAME` after
/// the delay; the other way there is none, so that a message between two nodes is delayed once.
class forwarder {
 public:
  /// Errors: std::runtime_error in one line.
  forwarder(const std::vector<std::string>& links, std::chrono::nanoseconds delay);

  /// Carries frames until `stopped` is set by a signal handler; `waiting` is the signal mask while
  /// it sleeps.  Blocks.
  void run(const volatile std::sig_atomic_t& stopped, const sigset_t& waiting);

 private:
  struct link {
    tap hub;
    tap node;
    wire out;
  };

  void take_from_node(link& from);
  void deliver(link& to);
  void pass_to_node(const link& to);
  [[nodiscard]] std::chrono::nanoseconds until_next(std::chrono::nanoseconds at_most) const;

  std::vector<link> links_;
  std::vector<std::byte> room_;
};

}  // namespace plait::network::delay_line
