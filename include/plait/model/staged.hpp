// SPDX-License-Identifier: BSD-3-Clause
/// The time of a message between memories of devices, which goes through memory of the hosts, whole
/// or in parts: part k is copied while part k-1 travels and part k-2 is copied on the other side.
#pragma once

#include <plait/model/parameters.hpp>

namespace plait::model {

/// The way of such a message.  Both sides copy alike.
struct staged_way {
  double copy_latency_s = 0;   ///< of a copy between device and host, of any size
  double copy_per_byte_s = 0;  ///< of a copy, for each byte
  /// Time that the next part waits for the hosts, which enqueue copies, are told of their ends and
  /// call MPI.  Usually two wake-ups of a thread, of 10 us.
  double part_s = 2e-5;
  parameters network = {};
};

/// Returns a network of which nothing was measured: Open MPI over TCP at 10 Gbit/s.
[[nodiscard]] parameters usual_network() noexcept;

/// Returns the time from the first copy's start to the last one's end, of a message of `size_bytes`
/// in so many equal parts: what the first part takes on its way, and for each further part what it
/// takes where it takes longest, in the device's copies or on the link (pipelining, as of LogGP's
/// long messages).  A link carries the next part when its processor is free, the hosts have handled
/// the part, and its handshake, if it has one, is over.  Precondition: size_bytes >= 0, parts >= 1.
[[nodiscard]] double staged_s(const staged_way& way, double size_bytes, int parts);

/// The most parts of a message, and the fewest bytes of a part where there are several.
inline constexpr int most_parts = 64;
inline constexpr double least_part_bytes = 4096;

/// Returns the number of parts with the least time, the smallest of several.  The same wherever the
/// arguments are.  Precondition: size_bytes >= 0.
[[nodiscard]] int cheapest_parts(const staged_way& way, double size_bytes);

}  // namespace plait::model
