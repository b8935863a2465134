// SPDX-License-Identifier: BSD-3-Clause
/// The time of messages between two processes, and the processor time in it.  Nothing of
/// contention: others' messages do not slow these.
///
/// Times are in seconds, sizes in bytes, for parameters that `validate` accepts.  A message without
/// bytes takes the time of one byte.  Precondition of all: size_bytes >= 0.
#pragma once

#include <plait/model/parameters.hpp>

namespace plait::model {

/// Returns the time that rendezvous adds to a message longer than S: 2 (o + L), that is o_s + o_r +
/// 2 L; else 0.
[[nodiscard]] double handshake_s(const parameters& network, double size_bytes);

/// Returns the time from the start of the send to the end of the receive, when the receive waits
/// for it: o_s + L + (m - 1) max(G, O) + o_r + handshake.  The processors handle a message's bytes
/// while the network moves them, so the slower of the two counts [LogGP's with O = 0; LogGOPSim].
[[nodiscard]] double message_s(const parameters& network, double size_bytes);

/// Returns the processor time of the sender: o_s + (m - 1) O, and o_s more for a handshake.
[[nodiscard]] double send_processor_s(const parameters& network, double size_bytes);

/// Returns the processor time of the receiver: o_r + (m - 1) O, and o_r more for a handshake.
[[nodiscard]] double receive_processor_s(const parameters& network, double size_bytes);

/// Returns the time from the start of a send to the earliest start of the next: the larger of the
/// sender's processor time and g + (m - 1) G.
[[nodiscard]] double send_interval_s(const parameters& network, double size_bytes);

/// Returns the time between two receives of a process: the larger of the receiver's processor time
/// and g + (m - 1) G.
[[nodiscard]] double receive_interval_s(const parameters& network, double size_bytes);

/// Returns the time of `count` messages back to back, from the start of the first send to the end
/// of the last receive: (n - 1) intervals and one message.  Precondition: count >= 1.
[[nodiscard]] double burst_s(const parameters& network, double size_bytes, int count);

/// Times at which a send and its receive are posted.
struct posting {
  double send_s = 0;
  double receive_s = 0;
};

/// Times at which a send and its receive are complete.
struct completion {
  double send_s = 0;     ///< the sender may use its buffer again
  double receive_s = 0;  ///< the receiver has the data
};

/// One message.  Up to S bytes it is sent at once: the sender is free after its processor time, and
/// a later receive takes the waiting message at no further cost.  A longer one starts when both
/// sides are posted, and both complete together [LogGPS].
[[nodiscard]] completion deliver(const parameters& network, double size_bytes, posting posted);

}  // namespace plait::model
