// SPDX-License-Identifier: BSD-3-Clause
/// The processor time that the transport takes from computing (LogGP's o: copies, system calls, the
/// kernel's receive path), as a counting thread notices it.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <vector>

#include <plait/plait.hpp>

namespace plait::measure {

/// Long enough that what the looks themselves cost does not count.
inline constexpr std::chrono::microseconds between_looks{1000};

/// Intervals of which one is the cheapest way of looking after messages: early looks keep a
/// rendezvous going, late ones find more that is complete.
inline constexpr std::array<std::chrono::microseconds, 3> intervals_between_looks{
    std::chrono::microseconds{1000}, std::chrono::microseconds{4000},
    std::chrono::microseconds{16000}};

struct transport_probe {
  /// Work of some 100 µs, which the counting thread repeats.  It must not touch what messages
  /// overwrite.
  std::function<void()> work;
  /// One exchange, which sleeps for the interval whenever it has found nothing to do.
  std::function<void(std::chrono::microseconds)> exchange;
  double exchange_s = 0;  ///< about how long an exchange takes
  double sample_s = 0.1;  ///< how long to measure with each interval in each round
  int rounds = 3;
  /// Between looks; they take turns within a round.
  std::vector<std::chrono::microseconds> intervals{between_looks};
  /// Says whether this rank exchanges anything.  One that does not sleeps, and `some_sleep` is true
  /// on all ranks.
  bool takes_part = true;
  bool some_sleep = false;
};

/// Seconds of processor time of an exchange on this rank's processing unit, whoever spends them, by
/// interval: the median over the rounds, at least 0; not finite where other programs left the
/// counting thread no processor, and on a rank that takes no part.  Collective; blocks for about
/// rounds x intervals x 1.5 x `sample_s`.
///
/// A thread of the lowest priority (SCHED_IDLE) on the same unit repeats `work` and counts.  With
/// `rate` its count a second during the exchanges and `alone` that of just before and just after,
/// one exchange costs (1 - rate / alone) x time of the exchanges / their number.
[[nodiscard]] std::vector<double> transport_cpu_s(environment& env, const transport_probe& probe);

/// The way with the least median, by its place; the first where none has one.  Precondition: there
/// are ways.
[[nodiscard]] std::size_t cheapest(std::span<const std::vector<double>> samples_by_way);

}  // namespace plait::measure
