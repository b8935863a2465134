// SPDX-License-Identifier: BSD-3-Clause
#include "messages_alone.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "measure/base/gather.hpp"
#include "measure/base/statistics.hpp"
#include "transport_cost.hpp"

namespace plait::measure {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::optional<double> wire_s(environment& env, const std::vector<sent_bytes>& sent, double rate) {
  double bytes = 0;
  for (const sent_bytes& one : sent)
    if (env.hosts()[static_cast<std::size_t>(one.peer)] != env.host()) bytes += one.bytes;
  const double busiest = busiest_host_bytes(env, bytes);
  if (!(rate > 0 && busiest > 0)) return std::nullopt;
  return busiest / rate;
}

messages_alone::messages_alone(environment& env, const communication_alone& what, std::string label)
    : env_(env),
      what_(what),
      label_(std::move(label)),
      transport_s_(intervals_between_looks.size()) {}

turn messages_alone::communication() {
  timed_run one;
  one.takes_part = what_.takes_part;
  one.prepare = [this](int) {
    if (what_.takes_part) what_.prepare();
  };
  one.run = what_.run;
  one.finish = [this](int, double total_s) {
    last_s_ = total_s;
    communication_s_.push_back(total_s);
  };
  return {"communication alone" + label_,
          [this, one = std::move(one)](int round) { run_timed(env_, one, round); }};
}

turn messages_alone::transport() {
  return {"transport processor time" + label_, [this](int) {
            if (!is_measurable(last_s_)) {
              for (std::vector<double>& samples : transport_s_) samples.push_back(unknown);
              return;
            }
            transport_probe probe;
            probe.some_sleep = !all_of(env_, what_.takes_part);
            probe.takes_part = what_.takes_part;
            probe.exchange_s = last_s_ / what_.exchanges;
            // Each interval two thirds as long as the communication of a run, within reason.
            probe.sample_s = std::clamp(last_s_, 0.02, 0.15) * 2 / 3;
            probe.intervals.assign(intervals_between_looks.begin(), intervals_between_looks.end());
            probe.work = [] {};
            if (what_.takes_part) {
              what_.prepare();
              probe.exchange = what_.exchange_sparsely;
              if (what_.work) probe.work = what_.work;
            }
            const std::vector<double> exchange_s = transport_cpu_s(env_, probe);
            const bool is_known = what_.takes_part && what_.work != nullptr;
            for (std::size_t way = 0; way < exchange_s.size(); ++way)
              transport_s_[way].push_back(is_known ? exchange_s[way] * what_.exchanges : unknown);
          }};
}

// Of exchanges shorter than the usual look sleeping is most of what they take.
bool messages_alone::is_measurable(double run_s) const {
  const std::chrono::duration<double> look = between_looks;
  return run_s / what_.exchanges >= look.count();
}

measured_messages messages_alone::found(const std::vector<sent_bytes>& sent, int steps,
                                        double rate) const {
  measured_messages result{.communication_s = communication_s_};
  std::vector<std::vector<double>> by_look;
  for (std::vector<double> own : transport_s_) {
    if (!is_measurable(median(communication_s_))) std::ranges::fill(own, unknown);
    by_look.push_back(of_slowest_rank(env_, own));
  }
  const std::size_t way = cheapest(by_look);
  result.transport_cpu_s = std::move(by_look[way]);
  result.transport_look = intervals_between_looks[way];
  if (const auto of_step = wire_s(env_, sent, rate)) result.wire_bound_s = *of_step * steps;
  return result;
}

void messages_alone::forget() {
  communication_s_.clear();
  for (std::vector<double>& samples : transport_s_) samples.clear();
}

}  // namespace plait::measure
