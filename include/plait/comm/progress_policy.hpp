// SPDX-License-Identifier: BSD-3-Clause
/// Says which thread drives communication, when it polls, and on which requests messages run.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plait {

/// Says which thread calls the MPI library so that messages move on.
enum class progress : std::uint8_t {
  automatic,  ///< `dedicated` where a core is really free, else `sleeping` and `workers` together
  dedicated,  ///< a proxy thread polls all the time (KeLP's XTRA, Thyme's service CPU)
  sleeping,   ///< a proxy thread sleeps between polls, at most `worst_delay_s`
  workers,    ///< workers poll when they are idle, and between tasks when a poll is due
  none,       ///< only the thread inside `wait` polls; for comparison
};

[[nodiscard]] std::string_view to_string(progress policy) noexcept;
/// Returns the policy of that name ("auto" for `automatic`), if there is one.
[[nodiscard]] std::optional<progress> progress_from(std::string_view name) noexcept;
/// Returns "auto, dedicated, sleeping, workers or none".
[[nodiscard]] std::string progress_names();

/// Random delay and reordering, to find programs (and engines) that rely on luck.  What promises 1
/// and 2 guarantee holds with any of it.
struct disturbance {
  std::uint64_t seed = 0;
  double probability = 0;      ///< of an operation's start, and of its completion, being held back
  double longest_delay_s = 0;  ///< for how long
};

/// Says which of the messages that are posted again and again run on persistent MPI requests.
/// Others get a new request each time.
enum class persistence : std::uint8_t {
  where_faster,  ///< as measured with this MPI library
  always,
  never,
};

/// Says whether receives of 64 KiB and more wait for sends of that length to the same rank, where
/// they have come in pairs before.  Over TCP they then travel both ways at once.  A receive waits
/// for no longer than twice as long as pairs took before.
enum class pairing : std::uint8_t {
  where_it_pays,  ///< between hosts that have no network card which copies by itself
  always,
  never,
};

/// Says how an engine drives the operations of its process.
struct engine_options {
  progress policy = progress::automatic;
  /// Workers of this process; `automatic` gives the proxy a core only where more than these are
  /// free.  A runtime sets it.
  int workers = 1;
  /// Longest time between two polls while communication is in flight, under `sleeping` and
  /// `automatic`.  Where workers poll between short tasks and a long one follows: six times this.
  /// Once nothing has moved for 128 times as long: a 128th of that time, up to four times this.
  /// Where n ranks share a core: n times as long, all of it.  Seconds, > 0.
  double worst_delay_s = 3e-3;
  /// For measurements.  Above 0, the proxy and the workers poll at this interval from the post on,
  /// and `worst_delay_s` has no effect.  At 0 the schedule of the engine decides.  Seconds, >= 0.
  double poll_every_s = 0;
  disturbance disturb = {};
  persistence persistent_requests = persistence::where_faster;
  pairing paired_receives = pairing::where_it_pays;
  /// Cores that the workers and the proxy of this process have for themselves.  0: its fair share.
  int cores = 0;
  /// Follows the reason for the policy, such as what a model says of another one.  May be empty.
  /// A runtime sets it.
  std::string remark = {};
};

}  // namespace plait
