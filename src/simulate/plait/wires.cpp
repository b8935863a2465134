// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/plait/wires.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <plait/simulate/flow_network.hpp>

namespace plait::simulate {

wires::wires(const machine& on, std::uint32_t ranks, critical_steps& steps, event_queue& events)
    : on_(on), steps_(steps), events_(events), node_of_(on.node_of) {
  for (number r = static_cast<number>(node_of_.size()); r < ranks; ++r) node_of_.push_back(r);
  const number nodes = node_of_.empty() ? 0 : *std::ranges::max_element(node_of_) + 1;
  out_.resize(nodes);
  in_.resize(nodes);
  for (auto* ports : {&out_, &in_}) {
    for (port& one : *ports) one.tokens_bytes = static_cast<double>(on.bucket_bytes);
  }
}

wires::number wires::stream_of(number from, number to) {
  const std::uint64_t key = (std::uint64_t{from} << 32) | to;
  const auto [place, is_new] = between_.try_emplace(key, static_cast<number>(streams_.size()));
  if (is_new) {
    stream& made = streams_.emplace_back();
    made.out = node_of_[from];
    made.in = node_of_[to];
    made.within_node = made.out == made.in;
    made.latency_ps = on_.latency_ps;
    if (on_.links != nullptr)
      made.latency_ps = made.within_node ? 0 : on_.links->latency_ps(made.out, made.in);
  }
  return place->second;
}

void wires::send(number from, number to, const packet& what, std::int64_t now_ps) {
  const number which = stream_of(from, to);
  streams_[which].waiting.push_back(what);
  go_on(which, now_ps);
}

void wires::go_on(number which, std::int64_t now_ps) {
  stream& one = streams_[which];
  while (!one.flows && !one.waiting.empty()) {
    if (one.free_at_ps > now_ps) {
      events_.add({.at_ps = one.free_at_ps, .a = which, .what = event::kind::stream_free});
      return;
    }
    const packet& first = one.waiting.front();
    one.began = steps_.later(first.entered, one.last);
    if (steps_.at(one.began) < now_ps)  // the gap between two messages
      one.began = steps_.add(now_ps, one.began, path_part::bytes);
    if (first.size_bytes > 1 && !one.within_node && (on_.links != nullptr || on_.byte_ps > 0)) {
      begin_flow(one, which, now_ps);
      return;
    }
    one.last = one.began;
    left_.push_back(leaves(one));
    if (first.size_bytes > 0) one.free_at_ps = now_ps + on_.gap_ps;
    one.waiting.pop_front();
  }
}

/// Tokens come while nothing flows.
double wires::take_tokens(stream& one, double bytes, std::int64_t now_ps) {
  const auto refill = [&](port& at) {
    if (!at.busy.empty()) return;
    const double most = static_cast<double>(on_.bucket_bytes);
    const double idle = static_cast<double>(now_ps - at.idle_since_ps);
    at.tokens_bytes = std::min(most, at.tokens_bytes + idle / on_.byte_ps);
    at.idle_since_ps = now_ps;
  };
  port& out = out_[one.out];
  port& in = in_[one.in];
  refill(out);
  refill(in);
  const double taken = std::floor(std::min({bytes, out.tokens_bytes, in.tokens_bytes}));
  out.tokens_bytes -= taken;
  in.tokens_bytes -= taken;
  return taken;
}

/// Returns the departure of the first packet, whose last byte has left.
wires::departure wires::leaves(const stream& one) const {
  const packet& first = one.waiting.front();
  departure made{first, one.last, one.latency_ps, 0};
  if (on_.links != nullptr) {
    made.took_ps = steps_.at(one.last) - steps_.at(one.began);
  } else if (first.size_bytes > 0) {
    made.took_ps = std::llround(static_cast<double>(first.size_bytes - 1) * on_.byte_ps);
  }
  return made;
}

void wires::start_flow(number which, std::int64_t now_ps) {
  const stream& one = streams_[which];
  on_.links->start(which, one.out, one.in, one.waiting.front().size_bytes - 1, now_ps);
  events_.starts_elsewhere();
}

void wires::begin_flow(stream& one, number which, std::int64_t now_ps) {
  if (on_.links != nullptr) {  // which may not be that far yet
    one.flows = true;
    events_.add({.at_ps = now_ps, .a = which, .what = event::kind::flow_starts});
    return;
  }
  double bytes = static_cast<double>(one.waiting.front().size_bytes - 1);
  if (on_.bucket_bytes > 0) bytes -= take_tokens(one, bytes, now_ps);
  one.flows = true;
  one.left_ps = bytes * on_.byte_ps;
  one.since_ps = now_ps;
  one.share = 1;
  out_[one.out].busy.push_back(which);
  in_[one.in].busy.push_back(which);
  share_anew(one.out, one.in, now_ps);
}

void wires::set_share(number which, std::int64_t now_ps) {
  stream& one = streams_[which];
  one.left_ps = std::max(0.0, one.left_ps - one.share * static_cast<double>(now_ps - one.since_ps));
  one.since_ps = now_ps;
  const std::size_t sharers = std::max(out_[one.out].busy.size(), in_[one.in].busy.size());
  one.share = 1 / static_cast<double>(sharers);
  const auto left = static_cast<std::int64_t>(std::llround(one.left_ps / one.share));
  events_.add({.at_ps = now_ps + left,
               .a = which,
               .version = ++one.version,
               .what = event::kind::flow_ended});
}

/// Shares may have changed for whoever uses one of the two ports.
void wires::share_anew(number port_out, number port_in, std::int64_t now_ps) {
  for (const number which : out_[port_out].busy) set_share(which, now_ps);
  for (const number which : in_[port_in].busy) {
    if (streams_[which].out != port_out) set_share(which, now_ps);
  }
}

void wires::leave_port(port& at, number which, std::int64_t now_ps) {
  std::erase(at.busy, which);
  if (at.busy.empty()) at.idle_since_ps = now_ps;
}

bool wires::end_flow(const event& ended, departure& left) {
  stream& one = streams_[ended.a];
  if (!one.flows || ended.version != one.version) return false;
  one.flows = false;
  one.last = steps_.add(ended.at_ps, one.began, path_part::bytes);
  one.free_at_ps = ended.at_ps + on_.gap_ps;
  left = leaves(one);
  one.waiting.pop_front();
  if (on_.links == nullptr) {
    leave_port(out_[one.out], ended.a, ended.at_ps);
    leave_port(in_[one.in], ended.a, ended.at_ps);
    share_anew(one.out, one.in, ended.at_ps);
  }
  go_on(ended.a, ended.at_ps);
  return true;
}

}  // namespace plait::simulate
