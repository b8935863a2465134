// SPDX-License-Identifier: BSD-3-Clause
#include "lanes_engine.hpp"

#include <algorithm>
#include <utility>

namespace plait::simulate {

lanes_engine::lanes_engine(const unrolled_program& what, const loggops_parameters& network)
    : what_(what), network_(network), hosts_(what.ranks()), unmet_(what) {}

loggops_outcome lanes_engine::run() {
  start();
  for (;;) {
    // The queue moves on to the time of its first entry only if no message comes before it.
    const std::uint64_t of_hosts = queue_.time();
    if (messages_.empty()) {
      if (of_hosts == time_queue::never) break;
      step_of_host();
      continue;
    }
    const message& first = messages_.front();
    if (first.at < of_hosts || (first.at == of_hosts && first.stamp < queue_.top().stamp)) {
      step_of_message();
    } else {
      step_of_host();
    }
  }
  return outcome();
}

void lanes_engine::start() {
  const rank_template* last = nullptr;
  std::vector<std::uint32_t> roots;
  for (std::uint32_t host = 0; host < what_.ranks(); ++host) {
    const rank_template& of = what_.of_rank(host);
    if (&of != last) {
      last = &of;
      roots.clear();
      const std::vector<std::uint32_t>& unmet = what_.unmet_of_rank(host);
      for (std::uint32_t i = 0; i < of.size(); ++i)
        if (unmet[i] == 0) roots.push_back(i);
    }
    released_ = roots;
    add_released(host, released_);
    queue_again(host);
  }
}

void lanes_engine::step_of_message() {
  const message first = messages_.front();
  messages_.pop_front();
  host_state& host = hosts_[first.to];
  if (std::max(host.cpu, host.receive_card) > first.at) {
    waiting_.append(host.late, {first.stamp, first.from, first.number, 0});
  } else {
    arrive(first.to, first.at, first.from, first.number);
  }
  settle(first.to);
}

void lanes_engine::step_of_host() {
  const queued first = queue_.top();
  queue_.pop();
  host_state& host = hosts_[first.host];
  if (host.queued_time != first.time || host.queued_stamp != first.stamp) return;  // an older entry
  host.queued_time = host.queued_stamp = none;
  const next_event next = next_of(host);
  if (next.time == first.time && next.stamp == first.stamp) run_lane(first.host, next);
  settle(first.host);
}

lanes_engine::next_event lanes_engine::next_of(const host_state& host) const {
  next_event next;
  const auto consider = [&](node_number host_state::*lane, std::uint64_t time) {
    const std::uint64_t stamp = waiting_.first(host.*lane).stamp;
    if (time < next.time || (time == next.time && stamp < next.stamp)) next = {time, stamp, lane};
  };
  if (host.calculations != 0) consider(&host_state::calculations, host.cpu);
  if (host.sends != 0) consider(&host_state::sends, std::max(host.cpu, host.send_card));
  if (host.receives != 0) consider(&host_state::receives, waiting_.first(host.receives).extra);
  if (host.late != 0) consider(&host_state::late, std::max(host.cpu, host.receive_card));
  return next;
}

void lanes_engine::run_lane(std::uint32_t host, const next_event& next) {
  const waiting first = waiting_.remove_first(hosts_[host].*next.lane);
  if (next.lane == &host_state::calculations) {
    calculate(host, next.time, first.number);
  } else if (next.lane == &host_state::sends) {
    send(host, next.time, first.number);
  } else if (next.lane == &host_state::receives) {
    receive(host, next.time, first.number);
  } else {
    arrive(host, next.time, static_cast<std::uint32_t>(first.extra), first.number);
  }
}

void lanes_engine::calculate(std::uint32_t host, std::uint64_t now, std::uint32_t number) {
  ++events_;
  const rank_template& of = what_.of_rank(host);
  hosts_[host].cpu = now + what_.duration(host, number);
  release(host, of.after_start.of(number));
  release(host, of.after_end.of(number));
  ++done_;
}

void lanes_engine::send(std::uint32_t host, std::uint64_t now, std::uint32_t number) {
  ++events_;
  const rank_template& of = what_.of_rank(host);
  const operation& what = of.operations[number];
  const std::uint64_t further = what.size - 1;
  hosts_[host].cpu = now + network_.o + further * network_.O;
  hosts_[host].send_card = now + network_.g + further * network_.G;
  messages_.push_back(
      {now + network_.o + network_.L, stamp_++, what_.peer(what, host), host, number});
  release(host, of.after_start.of(number));
  if (what.size > network_.S) return;
  release(host, of.after_end.of(number));
  ++done_;
}

void lanes_engine::receive(std::uint32_t host, std::uint64_t now, std::uint32_t number) {
  ++events_;
  const rank_template& of = what_.of_rank(host);
  const operation& what = of.operations[number];
  release(host, of.after_start.of(number));
  const std::uint32_t peer = what_.peer(what, host);
  unmatched found;
  if (!take(hosts_[host].early, peer, what.tag, found)) {
    unmatched_.append(hosts_[host].posted, {peer, what.tag, number, 0});
    return;
  }
  if (what.size > network_.S) end_send(found.peer, found.number, now, host);
  release(host, of.after_end.of(number));
  ++done_;
}

void lanes_engine::arrive(std::uint32_t host, std::uint64_t now, std::uint32_t from,
                          std::uint32_t number) {
  ++events_;
  const operation& sent = what_.of_rank(from).operations[number];
  const std::uint64_t further = sent.size - 1;
  hosts_[host].cpu = now + network_.o + further * std::max(network_.O, network_.G);
  hosts_[host].receive_card = now + network_.g + further * network_.G;
  unmatched found;
  if (!take(hosts_[host].posted, from, sent.tag, found)) {
    unmatched_.append(hosts_[host].early, {from, sent.tag, number, 0});
    return;
  }
  if (sent.size > network_.S) end_send(from, number, now, host);
  const rank_template& of = what_.of_rank(host);
  release(host, of.after_end.of(found.number));
  ++done_;
}

void lanes_engine::end_send(std::uint32_t sender, std::uint32_t number, std::uint64_t now,
                            std::uint32_t host) {
  const rank_template& of = what_.of_rank(sender);
  std::vector<std::uint32_t>& released = sender == host ? released_ : released_sender_;
  for (const dependent& one : of.after_end.of(number))
    if (unmet_.met(sender, one.operation())) released.push_back(one.operation());
  if (sender != host) sender_ = sender;
  ++done_;
  hosts_[sender].cpu = std::max(hosts_[sender].cpu, now);
  hosts_[sender].send_card = std::max(hosts_[sender].send_card, now);
}

bool lanes_engine::take(node_number& list, std::uint32_t peer, std::uint32_t tag,
                        unmatched& taken) {
  if (list == 0) return false;
  const auto agree = [](std::uint32_t a, std::uint32_t b) {
    return a == b || a == any || b == any;
  };
  for (node_number before = list;;) {
    const node_number at = unmatched_[before].next;
    const unmatched& one = unmatched_[at];
    if (agree(peer, one.peer) && agree(tag, one.tag)) {
      taken = unmatched_.remove_behind(list, before);
      return true;
    }
    if (at == list) return false;
    before = at;
  }
}

void lanes_engine::release(std::uint32_t host, std::span<const dependent> those) {
  for (const dependent& one : those)
    if (unmet_.met(host, one.operation())) released_.push_back(one.operation());
}

void lanes_engine::add_released(std::uint32_t host, std::vector<std::uint32_t>& ready) {
  const rank_template& of = what_.of_rank(host);
  host_state& state = hosts_[host];
  if (ready.size() > 1) sort_released(ready, of);
  for (const std::uint32_t number : ready) {
    const waiting added{stamp_++, state.cpu, number, 0};
    switch (of.operations[number].kind) {
      case operation_kind::calculation:
        waiting_.append(state.calculations, added);
        break;
      case operation_kind::send:
        waiting_.append(state.sends, added);
        break;
      case operation_kind::receive:
        waiting_.append(state.receives, added);
        break;
    }
  }
  ready.clear();
}

/// Inserts by ascending rank what an event has released: of its own rank, and of a sender.
void lanes_engine::settle(std::uint32_t host) {
  const std::uint32_t sender = std::exchange(sender_, any);
  if (sender < host) add_released(sender, released_sender_);
  add_released(host, released_);
  queue_again(host);
  if (sender == any) return;
  if (sender > host) add_released(sender, released_sender_);
  queue_again(sender);
}

void lanes_engine::queue_again(std::uint32_t number) {
  host_state& host = hosts_[number];
  const next_event next = next_of(host);
  if (next.time > host.queued_time ||
      (next.time == host.queued_time && next.stamp >= host.queued_stamp))
    return;  // its entry comes up no later
  host.queued_time = next.time;
  host.queued_stamp = next.stamp;
  queue_.push({next.time, next.stamp, number});
}

loggops_outcome lanes_engine::outcome() const {
  loggops_outcome all;
  all.operations = what_.operations();
  all.done = done_;
  all.events = events_;
  left_over left(what_, all.left);
  all.finish_ns.reserve(hosts_.size());
  for (std::uint32_t host = 0; host < what_.ranks(); ++host) {
    const host_state& state = hosts_[host];
    all.finish_ns.push_back(state.cpu);
    unmatched_.each(state.posted, [&](const unmatched& one) {
      ++all.left_receives;
      left.receive(host, one.number);
    });
    unmatched_.each(state.early, [&](const unmatched& one) {
      ++all.left_messages;
      left.message(host, one.peer, one.number);
    });
  }
  if (all.done != all.operations) {
    for (std::uint32_t host = 0; host < what_.ranks() && left.more(); ++host) {
      std::vector<std::uint32_t> unmet(what_.of_rank(host).size());
      for (std::uint32_t i = 0; i < unmet.size(); ++i) unmet[i] = unmet_.of(host, i);
      left.never_ready(host, unmet);
    }
  }
  return all;
}

}  // namespace plait::simulate
