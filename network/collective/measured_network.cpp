// SPDX-License-Identifier: BSD-3-Clause
#include "measured_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace plait::network::collectives {
namespace {

using measure::json;

constexpr double everything = std::numeric_limits<double>::infinity();
// Of what a link lets through at once: headers and handshakes pass there, too.
constexpr double surely_at_once = 0.75;

double first_s(const message_times& one) {
  return one.first_s;
}
double next_s(const message_times& one) {
  return one.next_s;
}
double interval_s(const message_times& one) {
  return one.interval_s;
}
double first_both_ways_s(const message_times& one) {
  return one.first_both_ways_s;
}
double next_both_ways_s(const message_times& one) {
  return one.next_both_ways_s;
}
double combine_s(const message_times& one) {
  return one.kernels.combine_s;
}
double copy_s(const message_times& one) {
  return one.kernels.copy_s;
}

// A member's median over all rounds, for one size.
template <class Member>
double median_of(const std::vector<std::vector<message_times>>& rounds, std::size_t size,
                 Member member) {
  std::vector<double> values;
  for (const auto& round : rounds) values.push_back(member(round[size]));
  return model::median(std::move(values));
}

// The bytes of a message of which the algorithm sends most.
double message_bytes(model::operation what, model::algorithm how, const model::call_shape& shape) {
  const double m = shape.size_bytes;
  if (how == model::algorithm::chain) return std::min(m, shape.fragment_bytes);
  if (what == model::operation::allreduce && how == model::algorithm::ring) return m / shape.ranks;
  return m;
}

direction direction_of(model::operation what, model::algorithm how) {
  using enum model::operation;
  switch (what) {
    case bcast:
    case reduce:
    case gather:
    case scatter:
      return direction::one;
    case allreduce:
      return how == model::algorithm::binomial ? direction::one : direction::both;
    case scan:
    case exscan:
      return how == model::algorithm::linear ? direction::one : direction::both;
    default:
      return direction::both;
  }
}

}  // namespace

measured_network::measured_network(const std::vector<std::vector<message_times>>& rounds,
                                   int messages, const shaped_link& link)
    : link_(link),
      burst_limit_bytes_(is_shaped() ? link.burst_bytes / messages : everything),
      alone_limit_bytes_(is_shaped() ? surely_at_once * link.burst_bytes : everything) {
  PLAIT_EXPECTS(!rounds.empty(), "no rounds");
  for (std::size_t i = 0; i < rounds.front().size(); ++i) {
    const auto median = [&](auto member) { return median_of(rounds, i, member); };
    sizes_.push_back(
        {.size_bytes = rounds.front()[i].size_bytes,
         .first_s = median(first_s),
         .next_s = median(next_s),
         .first_both_ways_s = median(first_both_ways_s),
         .next_both_ways_s = median(next_both_ways_s),
         .interval_s = median(interval_s),
         .send_overhead_s = median([](const message_times& one) { return one.send_overhead_s; }),
         .receive_overhead_s =
             median([](const message_times& one) { return one.receive_overhead_s; }),
         .kernels = {median(combine_s), median(copy_s)},
         .tasks = {median([](const message_times& one) { return one.tasks.call_s; }),
                   median([](const message_times& one) { return one.tasks.task_s; })}});
  }
}

// Between the two next sizes along a straight line; beyond the last one along the last line.
double measured_network::between(double size_bytes, double limit_bytes,
                                 double (*time)(const message_times&)) const {
  auto next = sizes_.begin() + 1;
  while (next + 1 != sizes_.end() && static_cast<double>(next->size_bytes) < size_bytes &&
         static_cast<double>((next + 1)->size_bytes) <= limit_bytes)
    ++next;
  const auto& before = *(next - 1);
  const auto low = static_cast<double>(before.size_bytes);
  const double share = (size_bytes - low) / (static_cast<double>(next->size_bytes) - low);
  return time(before) + share * (time(*next) - time(before));
}

model::parameters measured_network::at(double size_bytes, direction way) const {
  model::parameters p;
  p.send_overhead_s = std::max(0.0, sizes_.front().send_overhead_s);
  p.receive_overhead_s = std::max(0.0, sizes_.front().receive_overhead_s);
  p.gap_s = std::max(0.0, sizes_.front().interval_s);
  const double in_burst = std::clamp(size_bytes, 2.0, burst_limit_bytes_);
  p.gap_per_byte_s =
      std::max(0.0, between(in_burst, burst_limit_bytes_, interval_s) - p.gap_s) / (in_burst - 1);
  // L is the rest of the time of a later round's message, handshakes included.
  const double alone = std::clamp(size_bytes, 2.0, alone_limit_bytes_);
  const double both_s = p.send_overhead_s + p.receive_overhead_s;
  const double two = std::clamp(size_bytes, 2.0, burst_limit_bytes_);
  const double next_both_s = between(two, burst_limit_bytes_, next_both_ways_s);
  double next_alone_s = between(alone, alone_limit_bytes_, next_s);
  if (way == direction::both) next_alone_s = std::min(next_alone_s, next_both_s);
  p.latency_s = std::max(-both_s, next_alone_s - both_s - (alone - 1) * p.gap_per_byte_s);
  p.both_ways_per_byte_s = std::max(0.0, next_both_s - both_s - p.latency_s) / (two - 1);
  const auto nearest = std::ranges::min_element(sizes_, {}, [&](const message_times& one) {
    return std::abs(static_cast<double>(one.size_bytes) - size_bytes);
  });
  p.reduction_per_byte_s = nearest->kernels.combine_s;
  p.copy_per_byte_s = nearest->kernels.copy_s;
  return p;
}

double measured_network::begin_s(double size_bytes, double limit_bytes,
                                 double (*first)(const message_times&),
                                 double (*next)(const message_times&)) const {
  const double bytes = std::clamp(size_bytes, 2.0, limit_bytes);
  return between(bytes, limit_bytes, first) - between(bytes, limit_bytes, next);
}

double measured_network::start_s(double size_bytes, direction way) const {
  return way == direction::both
             ? begin_s(size_bytes, burst_limit_bytes_, first_both_ways_s, next_both_ways_s)
             : begin_s(size_bytes, alone_limit_bytes_, first_s, next_s);
}

// The slope of the sizes beyond what passes at once.
double measured_network::rate_of(double (*time)(const message_times&)) const {
  std::vector<model::point> points;
  for (const message_times& one : sizes_) {
    if (static_cast<double>(one.size_bytes) > link_.burst_bytes)
      points.push_back({static_cast<double>(one.size_bytes), time(one)});
  }
  return std::max(0.0, model::fit_line(points, model::line_method::theil_sen).per_byte_s);
}

model::parameters measured_network::at_rate(double size_bytes, direction way) const {
  model::parameters p = at(size_bytes, way);
  p.gap_per_byte_s = std::max(p.gap_per_byte_s, rate_of(interval_s));
  p.both_ways_per_byte_s = std::max(p.both_ways_per_byte_s, rate_of(next_both_ways_s));
  return p;
}

double measured_network::predicted_s(model::operation what, model::algorithm how,
                                     const model::call_shape& shape, int local_steps) const {
  const double bytes = message_bytes(what, how, shape);
  const direction way = direction_of(what, how);
  const task_times& tasks = sizes_.front().tasks;
  const double own_s = tasks.call_s + local_steps * tasks.task_s + start_s(bytes, way);
  const model::parameters alone = at(bytes, way);
  if (!is_shaped()) return own_s + model::cost(what, how, alone, shape).total_s;
  return own_s +
         model::cost_after_rest(what, how, at_rate(bytes, way), alone, link_.burst_bytes, shape)
             .total_s;
}

measure::json measured_network::to_json() const {
  measure::json sizes = measure::json::array();
  for (const message_times& one : sizes_) {
    sizes.push_back({{"size_bytes", one.size_bytes},
                     {"first_s", one.first_s},
                     {"next_s", one.next_s},
                     {"first_both_ways_s", one.first_both_ways_s},
                     {"next_both_ways_s", one.next_both_ways_s},
                     {"interval_s", one.interval_s},
                     {"combine_per_byte_s", one.kernels.combine_s},
                     {"copy_per_byte_s", one.kernels.copy_s}});
  }
  const model::parameters small = at(1, direction::one);
  measure::json all{{"latency_s", small.latency_s},
                    {"send_overhead_s", small.send_overhead_s},
                    {"receive_overhead_s", small.receive_overhead_s},
                    {"gap_s", small.gap_s},
                    {"start_s", start_s(1, direction::one)},
                    {"call_s", sizes_.front().tasks.call_s},
                    {"task_s", sizes_.front().tasks.task_s}};
  const auto largest = static_cast<double>(sizes_.back().size_bytes);
  const model::parameters large =
      is_shaped() ? at_rate(largest, direction::one) : at(largest, direction::one);
  all["gap_per_byte_s"] = large.gap_per_byte_s;
  all["both_ways_per_byte_s"] = large.both_ways_per_byte_s;
  all["reduction_per_byte_s"] = large.reduction_per_byte_s;
  all["copy_per_byte_s"] = large.copy_per_byte_s;
  all["sizes"] = sizes;
  return all;
}

std::string measured_network::to_text() const {
  const measure::json all = to_json();
  const auto of = [&](const char* name, double factor) {
    return factor * all.at(name).get<double>();
  };
  return fmt::format(
      "L {:.3f} us   o_s {:.3f} us   o_r {:.3f} us   g {:.3f} us   G {:.4f} ns/byte   "
      "both ways {:.4f} ns/byte   combining {:.4f} ns/byte   copying {:.4f} ns/byte",
      of("latency_s", 1e6), of("send_overhead_s", 1e6), of("receive_overhead_s", 1e6),
      of("gap_s", 1e6), of("gap_per_byte_s", 1e9), of("both_ways_per_byte_s", 1e9),
      of("reduction_per_byte_s", 1e9), of("copy_per_byte_s", 1e9));
}

std::vector<std::size_t> message_sizes(std::size_t largest_bytes, int messages,
                                       const shaped_link& link) {
  std::vector<std::size_t> sizes{1};
  const auto add = [&sizes](double size) {
    const auto whole = static_cast<std::size_t>(size);
    if (whole > sizes.back()) sizes.push_back(whole);
  };
  const bool is_shaped = link.burst_bytes > 0;
  const double burst_limit = link.burst_bytes / messages;
  const double most = is_shaped ? burst_limit : static_cast<double>(largest_bytes);
  add(8);
  for (double size = 64; size <= most; size *= 4) add(size);
  add(most);
  if (is_shaped)
    for (const double times : {0.5, surely_at_once, 2.0, 4.0, 8.0}) add(times * link.burst_bytes);
  return sizes;
}

}  // namespace plait::network::collectives
