// SPDX-License-Identifier: BSD-3-Clause
/// A network whose links are shared by the bytes of messages, in place of the ports of nodes.  Not
/// here: one that is simulated (the program `simulate` has one on SimGrid).
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <optional>

namespace plait::simulate {

/// Carries flows, each the bytes of one message, on simulated time, and says when each has ended.
/// Nodes are numbered from 0.  Not thread-safe.
class flow_network {
 public:
  /// A flow whose last byte has left.
  struct ended_flow {
    std::uint32_t flow = 0;
    std::int64_t at_ps = 0;
  };

  flow_network() = default;
  flow_network(const flow_network&) = delete;
  flow_network& operator=(const flow_network&) = delete;
  virtual ~flow_network() = default;

  /// Puts the time to 0 for another run.  Precondition: no flow is under way.
  virtual void restart() = 0;

  /// Returns the latency of the way from one node to another.  Errors: usage_error if there is
  /// none.
  [[nodiscard]] virtual std::int64_t latency_ps(std::uint32_t from, std::uint32_t to) = 0;

  /// Starts a flow of 1 byte or more at `at_ps`, which is not before the end of the last flow that
  /// ended, nor before the time that `first_end` has come to.  The number `flow` names no other
  /// flow under way.
  virtual void start(std::uint32_t flow, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                     std::int64_t at_ps) = 0;

  /// Returns the flow under way that ends first, if it ends at `until_ps` at the latest.
  /// Precondition: a flow is under way.  Errors: usage_error for a flow that never ends.
  [[nodiscard]] virtual std::optional<ended_flow> first_end(std::int64_t until_ps) = 0;
};

}  // namespace plait::simulate
