// SPDX-License-Identifier: BSD-3-Clause
/// Measures L, o, g and G of a network between two processes, as netgauge does: which round trips
/// are timed, and in what order.  How messages are sent is comm's (burst.hpp), how parameters
/// follow from times is model's (fit.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <plait/comm/burst.hpp>
#include <plait/model/fit.hpp>

namespace plait::probe {

/// Says which sizes are measured, and how often.
struct loggp_plan {
  std::vector<std::size_t> sizes_bytes{};  ///< ascending, the first is 1, at least two
  int messages = 10;                       ///< n: of a burst; few, so that nothing is saturated
  int repeat = 10;                         ///< rounds over all sizes, after one that does not count
  /// Rate at which the link between the two ranks carries a program's own bytes, each way; 0: not
  /// known.
  double link_rate_Bps = 0;
  /// Bytes that the link lets through at once after a rest, before its rate holds (the token bucket
  /// of a traffic shaper); 0: none.  Needs `link_rate_Bps`.
  double link_burst_bytes = 0;
};

/// Returns 1, 1025, 2049, … not above `largest_bytes`  [netgauge].
[[nodiscard]] std::vector<std::size_t> netgauge_sizes(std::size_t largest_bytes);

/// Returns nine sizes from two to four times the bytes that a link lets through at once.  Only
/// messages above that take the time that the link's rate says.
[[nodiscard]] std::vector<std::size_t> sizes_beyond(double link_burst_bytes);

/// Throws usage_error, one line, unless it can be measured.
void validate(const loggp_plan& plan);

/// The times of one size: one of each kind a round, in seconds.
struct size_times {
  std::size_t size_bytes = 0;
  double delay_s = 0;               ///< d: see `measure_loggp`
  std::vector<double> prtt_1_0_s;   ///< PRTT(1, 0, s)
  std::vector<double> prtt_n_0_s;   ///< PRTT(n, 0, s)
  std::vector<double> prtt_n_d_s;   ///< PRTT(n, d, s)
  std::vector<double> receiving_s;  ///< T_last - T_first on a server that waits d

  /// Returns the times that one round measured.  Precondition: the round exists.
  [[nodiscard]] model::round_trips round(std::size_t index, int messages) const;
  /// Returns the medians over all rounds.
  [[nodiscard]] model::round_trips medians(int messages) const;
};

/// The measured times, and the parameters that follow.
struct loggp_measurement {
  std::vector<size_times> sizes;
  model::network_fit fit;
};

/// Runs one burst and returns its times.
using run_burst = std::function<burst_times(const burst&)>;
/// Told before each size of each round; the last time with done == total.
using tell_progress = std::function<void(int done, int total, std::size_t size_bytes)>;

/// Measures the parameters of LogGP. For each size d is the median of five PRTT(1, 0, s) of the
/// first round.  Where the link's rate is known, d is at least the time that the link takes for s
/// bytes.  Nothing queues then, though a message alone is faster than the rate because the link
/// lets it through at once.
///
/// Each further round measures PRTT(1, 0, s), PRTT(n, 0, s), PRTT(n, d, s) and T_last - T_first of
/// every size, one after the other, so that a slow phase of the machine hits all.  The fit takes
/// medians, and lays its lines by Theil-Sen, which sizes whose medians were disturbed do not move.
/// Before each burst the link rests until it can let as much through as ever.  Segments end where a
/// burst, and where a message, no longer passes at once: at `link_burst_bytes` / n and at
/// `link_burst_bytes`.
///
/// Decides nothing by the clock but by the results of `run`.  So two ranks whose `run` returns the
/// same (burst_pair) may both call measure_loggp.  Throws usage_error for a plan that is not valid.
[[nodiscard]] loggp_measurement measure_loggp(const run_burst& run, const loggp_plan& plan,
                                              const tell_progress& tell = {});

/// Returns the segment whose G is the link's: the last.  Null where the plan has no size above the
/// bytes that the link lets through at once.
[[nodiscard]] const model::segment* beyond_link_burst(const model::network_fit& fit,
                                                      const loggp_plan& plan);

}  // namespace plait::probe
