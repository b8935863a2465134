// SPDX-License-Identifier: BSD-3-Clause
/// The processor time that the transport takes from computing (LogGP's o: copies, system calls, the
/// kernel's receive path), as a counting thread notices it.
#pragma once

#include <chrono>
#include <functional>

#include <plait/plait.hpp>

namespace plait::app {

struct transport_probe {
  /// Work of some 100 µs, which the counting thread repeats.  It must not touch what messages
  /// overwrite.
  std::function<void()> work;
  /// One exchange, which sleeps `between_looks` whenever it has found nothing to do.
  std::function<void()> exchange;
  double exchange_s = 0;  ///< about how long an exchange takes
  double window_s = 0.1;  ///< how long to measure in each round
  int rounds = 3;
};

/// Long enough that what the looks themselves cost does not count.
inline constexpr std::chrono::milliseconds between_looks{1};

/// Seconds of processor time of an exchange on this rank's processing unit, whoever spends them:
/// the median over the rounds, at least 0; not finite where other programs left the counting thread
/// no processor.  Collective; blocks for about rounds x 1.5 x `window_s`.
///
/// A thread of the lowest priority (SCHED_IDLE) on the same unit repeats `work` and counts.  With
/// `rate` its count a second during the exchanges and `alone` that of just before and just after,
/// one exchange costs (1 - rate / alone) x time of the exchanges / their number.
[[nodiscard]] double transport_cpu_s(environment& env, const transport_probe& probe);

}  // namespace plait::app
