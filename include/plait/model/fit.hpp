// SPDX-License-Identifier: BSD-3-Clause
/// Finds a network's parameters in measured round trips, as netgauge does.  Measures nothing.
///
/// A round trip PRTT(n, d, s): the client sends n messages of s bytes and waits d between them; the
/// server answers with one of s bytes once it has them all; the client takes the time from its
/// start to the answer  [Hoefler, Lichei and Rehm 2007].
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/model/line.hpp>
#include <plait/model/parameters.hpp>

namespace plait::model {

/// The medians measured for one size.  Seconds and bytes.
struct round_trips {
  double size_bytes = 0;   ///< s, at least 1
  int messages = 10;       ///< n, at least 2
  double prtt_1_0_s = 0;   ///< PRTT(1, 0, s)
  double prtt_n_0_s = 0;   ///< PRTT(n, 0, s)
  double prtt_n_d_s = 0;   ///< PRTT(n, d, s)
  double delay_s = 0;      ///< d: PRTT(1, 0, s), so that nothing queues
  double receiving_s = 0;  ///< T_last - T_first on the server, from its first to its last receive
  double receive_delay_s = 0;  ///< d between the server's receives
};

/// Returns G_all(s) = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1) = g + (s - 1) G.
[[nodiscard]] double gap_s(const round_trips& measured);
/// Returns o_s(s) = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d.
[[nodiscard]] double send_overhead_s(const round_trips& measured);
/// Returns o_r(s) = (T_last - T_first - d (n - 1)) / (n - 1).
[[nodiscard]] double receive_overhead_s(const round_trips& measured);

/// Says when a protocol is taken to end.
struct switch_rule {
  /// Points of a segment, at least 3.  Few points lie on a line by chance.  Of 64 times with 1 % of
  /// noise and no switch, one is found in 16 % of series with 3, in 0.8 % with 5, in 0.3 % with 6.
  int least_points = 6;
  int look_ahead = 5;  ///< so many points in a row, at least 2
  double factor = 2;   ///< least growth of the residual by each point, added alone; above 1
  /// A smaller residual counts as this: points that lie exactly on a line leave none to multiply.
  double least_residual_s = 1e-8;
};

/// Divides the points into those of each protocol: while they last, a segment ends where every one
/// of the next five points, added alone, at least doubles the residual of its least-squares line.
/// One wild point therefore ends nothing, and fewer than five at the end start nothing.  Points by
/// ascending size; the parts are parts of `points`, which must outlive them.  Throws usage_error
/// for a rule out of its bounds.
[[nodiscard]] std::vector<std::span<const point>> protocol_segments(std::span<const point> points,
                                                                    const switch_rule& rule = {});

/// The sizes between two changes of protocol.
struct segment {
  double first_bytes = 0;
  double last_bytes = 0;
  line gaps;           ///< G_all over s, as fitted
  parameters network;  ///< L, o_s and o_r are those of one byte; g, G and O of this segment
};

/// Parameters of a network, and how well they fit what was measured.
struct network_fit {
  /// At least one.  S is infinite in each.
  std::vector<segment> segments;
  /// S, where round trips show it: the end of a segment after which a message, apart from its
  /// bytes, takes a handshake longer, o_s + o_r + 2 L within a third less and a half more.  A
  /// network whose messages say nothing of it has none, or one too short to be seen.
  std::optional<double> eager_limit_bytes;
  std::vector<point> gaps;               ///< G_all(s)
  std::vector<point> send_overheads;     ///< o_s(s)
  std::vector<point> receive_overheads;  ///< o_r(s)
  /// One line for each parameter that came out negative, by a nanosecond or more over its sizes.  L
  /// stays so; the others are taken as 0.
  std::vector<std::string> remarks;

  /// Returns the segment of a size: the first that does not end before the size, else the last.
  [[nodiscard]] const segment& at(double size_bytes) const;
};

/// Says how lines are put through the measurements.
struct fit_options {
  line_method method = line_method::least_squares;  ///< for g and G
  switch_rule protocol{};
  /// Sizes from which something else is known to hold (S, what a shaped link lets through at once):
  /// no segment reaches across one, unless one of its sides has fewer than two sizes.
  std::vector<double> known_limits_bytes{};
};

/// Fits L, o, g, G and O to measurements in any order of sizes, one for each size.  G and g from
/// the line through G_all(s); o_s and o_r at one byte; O from how they grow with s; L = PRTT(1, 0,
/// 1)/2 - o_s - o_r.  What g cannot tell: where o_s is larger, a burst shows o_s instead.  Throws
/// usage_error, one line, where there are not two sizes, not one of 1 byte, a size twice, or a
/// figure out of its bounds.
[[nodiscard]] network_fit fit_network(std::span<const round_trips> measured,
                                      const fit_options& options = {});

}  // namespace plait::model
