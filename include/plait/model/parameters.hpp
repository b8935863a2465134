// SPDX-License-Identifier: BSD-3-Clause
/// Holds the costs of a network: the parameters of LogGP and of its extensions LogGPS and LogGOPS.
/// Only the numbers are here: message.hpp and collective.hpp compute with them, fit.hpp finds them.
#pragma once

#include <plait/core/cxx20.hpp>

#include <limits>

namespace plait::model {

/// In SI units throughout: seconds and bytes.  All but L, o, g and G may keep their defaults, which
/// leave LogGP [Alexandrov et al. 1995; S: Ino et al. 2001; O: Hoefler et al. 2010].
struct parameters {
  /// L: from the first byte's leaving the sender to its being at the receiver.  May be negative, as
  /// it is measured where sender and receiver work at the same time (shared memory).
  double latency_s = 0;
  double send_overhead_s = 0;      ///< o_s: processor time per send
  double receive_overhead_s = 0;   ///< o_r: processor time per receive
  double gap_s = 0;                ///< g: smallest time between two messages of a process
  double gap_per_byte_s = 0;       ///< G: time per further byte of a message, 1 / bandwidth
  double overhead_per_byte_s = 0;  ///< O: processor time per further byte, on each side
  /// S: longer messages are sent by rendezvous.  Infinite: none is.
  double eager_limit_bytes = std::numeric_limits<double>::infinity();
  double reduction_per_byte_s = 0;  ///< γ: processor time to combine two operands, per byte of one
  /// G₂: time per further byte of a message where both sides send at once, each way.  G at least,
  /// and no more where the network carries both ways as fast as one; up to 2 G where the same
  /// processors copy both (shared memory), or data of one way delays the handshakes of the other.
  double both_ways_per_byte_s = 0;
  double copy_per_byte_s = 0;  ///< κ: processor time to copy a byte within a rank
};

/// Checks the parameters.  Throws usage_error, one line that names the parameter, where one is not
/// finite (S may be infinite) or negative.  L may be negative down to -(o_s + o_r).  A smaller L
/// would let messages arrive before they are sent.
void validate(const parameters& network);

}  // namespace plait::model
