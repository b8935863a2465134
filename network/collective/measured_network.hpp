// SPDX-License-Identifier: BSD-3-Clause
/// The model's parameters from bursts of messages of some sizes, at any size: L, g and G as
/// functions of the message's size, as PLogP has them  [Kielmann, Bal, Verstoep 2000].  They follow
/// from times; who takes these is session.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "kernels.hpp"
#include "measure/base/gather.hpp"

namespace plait::network::collectives {

/// Holds what one round, or the median of all, found for one size.  Seconds.
struct message_times {
  std::size_t size_bytes = 0;
  double first_s = 0;  ///< one message, from a common start of both ranks
  double next_s = 0;   ///< what another one adds that waits for it: a message of a later round
  /// Counts the first where each rank sends to the next one at once.
  double first_both_ways_s = 0;
  double next_both_ways_s = 0;
  double interval_s = 0;  ///< G_all(s): between messages of a burst
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  kernel_times kernels;
  task_times tasks;  ///< the same for all sizes
};

/// Says whether ranks send and receive at the same time in an operation's rounds.
enum class direction : std::uint8_t { one, both };

/// Holds what is known of a shaped link; zeros: nothing.
struct shaped_link {
  double payload_Bps = 0;
  double burst_bytes = 0;
};

class measured_network {
 public:
  /// `rounds`: each of the same sizes, ascending, the first of one byte; at least two sizes below
  /// what a burst lets through, and two above it if there is such a thing.  `messages`: of a burst.
  measured_network(const std::vector<std::vector<message_times>>& rounds, int messages,
                   const shaped_link& link);

  /// The parameters of messages of a size, where everything passes as fast as it can.  L is that of
  /// messages both ways where these are the faster ones.
  [[nodiscard]] model::parameters at(double size_bytes, direction way) const;

  /// Returns how much longer a message takes that begins an operation: submission, waking, cold
  /// caches.  Below zero where a later one does: the bytes have to come from another cache.
  [[nodiscard]] double start_s(double size_bytes, direction way) const;

  /// Returns what the model says of a call that begins after a rest, and what `local_steps` of the
  /// busiest rank take as tasks.
  [[nodiscard]] double predicted_s(model::operation what, model::algorithm how,
                                   const model::call_shape& shape, int local_steps) const;

  [[nodiscard]] measure::json to_json() const;
  [[nodiscard]] std::string to_text() const;

 private:
  /// Returns the parameters at the link's rate.
  [[nodiscard]] model::parameters at_rate(double size_bytes, direction way) const;
  /// Of sizes up to a limit.
  [[nodiscard]] double between(double size_bytes, double limit_bytes,
                               double (*time)(const message_times&)) const;
  [[nodiscard]] double rate_of(double (*time)(const message_times&)) const;
  [[nodiscard]] double begin_s(double size_bytes, double limit_bytes,
                               double (*first)(const message_times&),
                               double (*next)(const message_times&)) const;
  [[nodiscard]] bool is_shaped() const noexcept { return link_.burst_bytes > 0; }

  std::vector<message_times> sizes_;  ///< medians
  shaped_link link_;
  double burst_limit_bytes_;  ///< of which a whole burst passes at once, and two messages do
  double alone_limit_bytes_;  ///< of which one does
};

/// Returns what is to be measured: powers of four up to the largest message or, where a link lets
/// some bytes through at once, up to where a burst passes so, then a message alone; and sizes
/// beyond it.
[[nodiscard]] std::vector<std::size_t> message_sizes(std::size_t largest_bytes, int messages,
                                                     const shaped_link& link);

}  // namespace plait::network::collectives
