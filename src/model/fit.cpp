// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/model/fit.hpp>
#include <plait/model/message.hpp>

namespace plait::model {
namespace {

void check(const switch_rule& rule) {
  if (rule.least_points < 3)
    throw usage_error(
        fmt::format("least_points is {}; a residual needs at least 3", rule.least_points));
  if (rule.look_ahead < 2)
    throw usage_error(fmt::format("look_ahead is {}; a line needs at least 2", rule.look_ahead));
  if (!(rule.factor > 1))
    throw usage_error(fmt::format("factor is {:g}; it must be above 1", rule.factor));
  if (!(rule.least_residual_s > 0))
    throw usage_error(
        fmt::format("least_residual_s is {:g}; it must be above 0", rule.least_residual_s));
}

void check(const round_trips& m) {
  if (!std::isfinite(m.size_bytes) || m.size_bytes < 1)
    throw usage_error(fmt::format("a round trip of {:g} bytes; it needs at least 1", m.size_bytes));
  if (m.messages < 2)
    throw usage_error(fmt::format("a burst of {} at {:g} bytes; it needs 2 messages or more",
                                  m.messages, m.size_bytes));
  for (const double time_s :
       {m.prtt_1_0_s, m.prtt_n_0_s, m.prtt_n_d_s, m.delay_s, m.receiving_s, m.receive_delay_s}) {
    if (!std::isfinite(time_s) || time_s < 0)
      throw usage_error(
          fmt::format("a time of {:g} s at {:g} bytes; it must be finite and at "
                      "least 0",
                      time_s, m.size_bytes));
  }
}

std::vector<round_trips> checked_by_size(std::span<const round_trips> measured) {
  std::vector<round_trips> sorted(measured.begin(), measured.end());
  for (const round_trips& m : sorted) check(m);
  std::ranges::sort(sorted, {}, &round_trips::size_bytes);
  if (sorted.size() < 2)
    throw usage_error(
        fmt::format("{} size was measured; g and G need two", sorted.empty() ? "no" : "one"));
  if (sorted.front().size_bytes != 1)
    throw usage_error(
        fmt::format("the smallest size measured is {:g} bytes; L needs the round trip of 1 byte",
                    sorted.front().size_bytes));
  const auto twice = std::ranges::adjacent_find(sorted, {}, &round_trips::size_bytes);
  if (twice != sorted.end())
    throw usage_error(fmt::format("{:g} bytes were measured twice; give the medians of each size",
                                  twice->size_bytes));
  return sorted;
}

std::vector<point> over_sizes(std::span<const round_trips> measured,
                              double (*estimate)(const round_trips&)) {
  std::vector<point> points;
  for (const round_trips& m : measured) points.push_back({m.size_bytes, estimate(m)});
  return points;
}

// Every one of the points after the first `length` at least multiplies the residual.
bool ends_after(std::span<const point> points, std::size_t length, const switch_rule& rule) {
  const auto look_ahead = static_cast<std::size_t>(rule.look_ahead);
  if (length + look_ahead > points.size()) return false;
  const double residual_s = fit_line(points.first(length)).residual_s;
  const double limit_s = rule.factor * std::max(residual_s, rule.least_residual_s);
  std::vector<point> with_next(points.begin(), points.begin() + static_cast<long>(length) + 1);
  for (std::size_t next = length; next < length + look_ahead; ++next) {
    with_next.back() = points[next];
    if (fit_line(with_next).residual_s < limit_s) return false;
  }
  return true;
}

// Less than a nanosecond in all, which is what rounding leaves of 0, is not worth a remark.
double not_negative(double value_s, double bytes, const std::string& what,
                    std::vector<std::string>& remarks) {
  if (value_s >= 0) return value_s;
  if (value_s * bytes < -1e-9)
    remarks.push_back(fmt::format("{} came out at {:.3g} s; it is taken as 0", what, value_s));
  return 0;
}

// What o = (o_s + o_r) / 2 gains per byte: least squares, through o at one byte.
double overhead_per_byte_s(const network_fit& fit, double first_bytes, double last_bytes) {
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < fit.send_overheads.size(); ++i) {
    const double size_bytes = fit.send_overheads[i].size_bytes;
    if (size_bytes < first_bytes || size_bytes > last_bytes) continue;
    const double grown_s = (fit.send_overheads[i].time_s - fit.send_overheads[0].time_s +
                            fit.receive_overheads[i].time_s - fit.receive_overheads[0].time_s) /
                           2;
    products += (size_bytes - 1) * grown_s;
    squares += (size_bytes - 1) * (size_bytes - 1);
  }
  return squares > 0 ? products / squares : 0;
}

// L, o_s and o_r, which all segments share.
parameters of_one_byte(const network_fit& fit, double prtt_1_0_s,
                       std::vector<std::string>& remarks) {
  parameters network;
  network.send_overhead_s = not_negative(fit.send_overheads.front().time_s, 1, "o_s", remarks);
  network.receive_overhead_s =
      not_negative(fit.receive_overheads.front().time_s, 1, "o_r", remarks);
  network.latency_s = prtt_1_0_s / 2 - network.send_overhead_s - network.receive_overhead_s;
  if (network.latency_s < 0)
    remarks.push_back(fmt::format(
        "L came out at {:.3g} s: sender and receiver work at the same time, as on shared memory",
        network.latency_s));
  return network;
}

segment fitted_segment(const network_fit& fit, std::span<const point> gaps,
                       const parameters& of_all, line_method method,
                       std::vector<std::string>& remarks) {
  segment result{gaps.front().size_bytes, gaps.back().size_bytes, fit_line(gaps, method), of_all};
  const auto named = [&](const char* symbol) {
    return fmt::format("{} of {:g} to {:g} bytes", symbol, result.first_bytes, result.last_bytes);
  };
  result.network.gap_s = not_negative(result.gaps.at(1), 1, named("g"), remarks);
  result.network.gap_per_byte_s =
      not_negative(result.gaps.per_byte_s, result.last_bytes, named("G"), remarks);
  result.network.overhead_per_byte_s =
      not_negative(overhead_per_byte_s(fit, result.first_bytes, result.last_bytes),
                   result.last_bytes, named("O"), remarks);
  return result;
}

// The points between known limits: cut before the first of at least each limit.
std::vector<std::span<const point>> between_limits(std::span<const point> points,
                                                   std::vector<double> limits_bytes) {
  std::vector<std::span<const point>> parts;
  std::ranges::sort(limits_bytes);
  for (const double limit_bytes : limits_bytes) {
    const auto at = std::ranges::lower_bound(points, limit_bytes, {}, &point::size_bytes);
    const auto below = static_cast<std::size_t>(at - points.begin());
    if (below < 2 || points.size() - below < 2) continue;
    parts.push_back(points.first(below));
    points = points.subspan(below);
  }
  parts.push_back(points);
  return parts;
}

// What a message of a segment takes beside its bytes: the median, so that no size decides.
double beside_bytes_s(const segment& of, std::span<const round_trips> by_size) {
  std::vector<double> found;
  for (const round_trips& m : by_size) {
    if (m.size_bytes < of.first_bytes || m.size_bytes > of.last_bytes) continue;
    found.push_back(m.prtt_1_0_s / 2 - (m.size_bytes - 1) * of.network.gap_per_byte_s);
  }
  const auto middle = found.begin() + static_cast<long>(found.size() / 2);
  std::ranges::nth_element(found, middle);
  return *middle;
}

std::optional<double> eager_limit_bytes(const std::vector<segment>& segments,
                                        std::span<const round_trips> by_size) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    parameters asking = segments[i].network;
    asking.eager_limit_bytes = 0;
    const double handshake = handshake_s(asking, 1);
    const double longer_s =
        beside_bytes_s(segments[i + 1], by_size) - beside_bytes_s(segments[i], by_size);
    if (handshake > 0 && 3 * longer_s >= 2 * handshake && 2 * longer_s <= 3 * handshake)
      return segments[i].last_bytes;
  }
  return std::nullopt;
}

}  // namespace

double gap_s(const round_trips& m) {
  PLAIT_EXPECTS(m.messages >= 2, std::to_string(m.messages));
  return (m.prtt_n_0_s - m.prtt_1_0_s) / (m.messages - 1);
}

double send_overhead_s(const round_trips& m) {
  PLAIT_EXPECTS(m.messages >= 2, std::to_string(m.messages));
  return (m.prtt_n_d_s - m.prtt_1_0_s) / (m.messages - 1) - m.delay_s;
}

double receive_overhead_s(const round_trips& m) {
  PLAIT_EXPECTS(m.messages >= 2, std::to_string(m.messages));
  return (m.receiving_s - m.receive_delay_s * (m.messages - 1)) / (m.messages - 1);
}

std::vector<std::span<const point>> protocol_segments(std::span<const point> points,
                                                      const switch_rule& rule) {
  check(rule);
  PLAIT_EXPECTS(std::ranges::is_sorted(points, {}, &point::size_bytes), "points by size");
  std::vector<std::span<const point>> segments;
  auto length = static_cast<std::size_t>(rule.least_points);
  while (length < points.size()) {
    if (ends_after(points, length, rule)) {
      segments.push_back(points.first(length));
      points = points.subspan(length);
      length = static_cast<std::size_t>(rule.least_points);
    } else {
      ++length;
    }
  }
  if (!points.empty()) segments.push_back(points);
  return segments;
}

const segment& network_fit::at(double size_bytes) const {
  PLAIT_EXPECTS(!segments.empty(), "no segments");
  for (const segment& s : segments) {
    if (size_bytes <= s.last_bytes) return s;
  }
  return segments.back();
}

network_fit fit_network(std::span<const round_trips> measured, const fit_options& options) {
  const std::vector<round_trips> sorted = checked_by_size(measured);
  network_fit fit;
  fit.gaps = over_sizes(sorted, gap_s);
  fit.send_overheads = over_sizes(sorted, send_overhead_s);
  fit.receive_overheads = over_sizes(sorted, receive_overhead_s);
  const parameters of_all = of_one_byte(fit, sorted.front().prtt_1_0_s, fit.remarks);
  for (const std::span<const point> part : between_limits(fit.gaps, options.known_limits_bytes)) {
    for (const std::span<const point> gaps : protocol_segments(part, options.protocol))
      fit.segments.push_back(fitted_segment(fit, gaps, of_all, options.method, fit.remarks));
  }
  fit.eager_limit_bytes = eager_limit_bytes(fit.segments, sorted);
  return fit;
}

}  // namespace plait::model
