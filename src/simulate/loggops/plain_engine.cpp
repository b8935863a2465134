// SPDX-License-Identifier: BSD-3-Clause
#include "plain_engine.hpp"

#include <algorithm>
#include <utility>

namespace plait::simulate {

plain_engine::plain_engine(const unrolled_program& what, const loggops_parameters& network,
                           frozen_order* order)
    : what_(what), network_(network), order_(order) {
  const std::size_t ranks = what.ranks();
  cpu_.resize(ranks * what.cpus());
  sends_.resize(ranks * what.nics());
  receives_.resize(ranks * what.nics());
  released_.resize(ranks);
  posted_.resize(ranks);
  early_.resize(ranks);
  unmet_.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) unmet_.push_back(what.unmet_of_rank(rank));
}

loggops_outcome plain_engine::run() {
  for (std::uint32_t host = 0; host < what_.ranks(); ++host) {
    for (std::uint32_t i = 0; i < unmet_[host].size(); ++i)
      if (unmet_[host][i] == 0) released_[host].push_back(i);
    insert_released(host, true);
  }
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), later{});
    event now = queue_.back();
    queue_.pop_back();
    switch (now.kind) {
      case event_kind::calculation:
        calculate(now);
        break;
      case event_kind::send:
        send(now);
        break;
      case event_kind::receive:
        receive(now);
        break;
      case event_kind::message:
        arrive(now);
        break;
    }
    std::ranges::sort(touched_);
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const std::uint32_t host : touched_) insert_released(host, false);
    touched_.clear();
  }
  return outcome();
}

void plain_engine::calculate(event& now) {
  moment& clock = cpu(now.host, now.cpu);
  if (!free(now, clock, nullptr)) return;
  const std::uint64_t takes = what_.duration(now.host, now.number);
  clock = after(now, now.at + takes, time_term::calculation, takes);
  const rank_template& of = what_.of_rank(now.host);
  release(now.host, of.after_start.of(now.number));
  release(now.host, of.after_end.of(now.number));
  ++done_;
}

void plain_engine::send(event& now) {
  moment& clock = cpu(now.host, now.cpu);
  moment& card = sends(now.host, now.nic);
  if (!free(now, clock, &card)) return;
  const rank_template& of = what_.of_rank(now.host);
  const std::uint64_t further = now.size - 1;  // wraps for 0 bytes, as there
  release(now.host, of.after_start.of(now.number));
  clock = after(now, now.at + network_.o + further * network_.O, time_term::send_cpu, further);
  card = after(now, now.at + network_.g + further * network_.G, time_term::card, further);
  event sent = now;
  const moment arrival = after(now, now.at + network_.o + network_.L, time_term::wire, 0);
  sent.at = arrival.at;
  sent.time = arrival.time;
  sent.stamp = stamp_++;
  sent.kind = event_kind::message;
  sent.host = now.peer;
  sent.peer = now.host;
  insert(sent);
  if (now.size > network_.S) return;
  release(now.host, of.after_end.of(now.number));
  ++done_;
}

void plain_engine::receive(const event& now) {
  ++events_;
  const rank_template& of = what_.of_rank(now.host);
  release(now.host, of.after_start.of(now.number));
  waiting found;
  if (!take(early_[now.host], now, found)) {
    posted_[now.host].push_back({now.peer, now.tag, now.number});
    return;
  }
  // The processor and the card are those of the receive, in the sender.
  if (now.size > network_.S) end_send(found.peer, found.number, now);
  release(now.host, of.after_end.of(now.number));
  ++done_;
}

void plain_engine::arrive(event& now) {
  moment& clock = cpu(now.host, now.cpu);
  moment& card = receives(now.host, now.nic);
  if (!free(now, clock, &card)) return;
  const std::uint64_t further = now.size - 1;
  const std::uint64_t by_cpu = further * network_.O;
  const std::uint64_t by_card = further * network_.G;
  clock = after(now, now.at + network_.o + std::max(by_cpu, by_card),
                by_cpu > by_card ? time_term::receive_cpu : time_term::receive_bytes, further);
  card = after(now, now.at + network_.g + by_card, time_term::card, further);
  waiting found;
  if (!take(posted_[now.host], now, found)) {
    early_[now.host].push_back({now.peer, now.tag, now.number});
    return;
  }
  if (now.size > network_.S) end_send(now.peer, now.number, now);
  release(now.host, what_.of_rank(now.host).after_end.of(found.number));
  ++done_;
}

void plain_engine::end_send(std::uint32_t host, std::uint32_t number, const event& now) {
  release(host, what_.of_rank(host).after_end.of(number));
  ++done_;
  raise(cpu(host, now.cpu), now);
  raise(sends(host, now.nic), now);
}

bool plain_engine::free(event& now, const moment& cpu, const moment* card) {
  const bool by_card = card != nullptr && card->at > cpu.at;
  const moment& last = by_card ? *card : cpu;
  if (last.at > now.at) {
    now.at = last.at;
    if (order_ != nullptr) {
      order_->operand({now.time}, false);
      order_->operand({last.time}, true);
      now.time = order_->close(now.at);
    }
    insert(now);
    return false;
  }
  ++events_;
  if (order_ != nullptr) {  // what it would wait for, if it came earlier
    order_->operand({now.time}, true);
    order_->operand({cpu.time}, false);
    if (card != nullptr) order_->operand({card->time}, false);
    now.time = order_->close(now.at);
  }
  return true;
}

void plain_engine::insert(const event& added) {
  queue_.push_back(added);
  std::push_heap(queue_.begin(), queue_.end(), later{});
}

/// A count that would wrap stays at 0: it would not come to 0 again.
void plain_engine::release(std::uint32_t host, std::span<const dependent> those) {
  touched_.push_back(host);
  for (const dependent& one : those) {
    std::uint32_t& unmet = unmet_[host][one.operation()];
    if (unmet > 0 && --unmet == 0) released_[host].push_back(one.operation());
  }
}

void plain_engine::insert_released(std::uint32_t host, bool at_start) {
  std::vector<std::uint32_t>& ready = released_[host];
  const rank_template& of = what_.of_rank(host);
  sort_released(ready, of);
  for (const std::uint32_t number : ready) {
    const operation& what = of.operations[number];
    event added{.at = 0,
                .stamp = stamp_++,
                .time = 0,
                .host = host,
                .peer = 0,
                .number = number,
                .tag = what.tag,
                .size = what.size,
                .kind = static_cast<event_kind>(what.kind),
                .cpu = what.cpu,
                .nic = what.nic};
    if (what.kind != operation_kind::calculation) added.peer = what_.peer(what, host);
    if (!at_start) {
      const moment& clock = cpu(host, what.cpu);
      const moment& card = sends(host, what.nic);
      const bool by_card = what.kind == operation_kind::send && card.at > clock.at;
      const moment& ready_at = by_card ? card : clock;
      added.at = ready_at.at;
      if (order_ != nullptr) {
        order_->operand({clock.time}, !by_card);
        if (what.kind == operation_kind::send) order_->operand({card.time}, by_card);
        added.time = order_->close(added.at);
      }
    }
    insert(added);
  }
  ready.clear();
}

bool plain_engine::take(waiting_list& from, const event& matched, waiting& taken) {
  const auto agree = [](std::uint32_t a, std::uint32_t b) {
    return a == any || b == any || a == b;
  };
  const auto found = std::ranges::find_if(from, [&](const waiting& one) {
    return agree(matched.peer, one.peer) && agree(matched.tag, one.tag);
  });
  if (found == from.end()) return false;
  taken = *found;
  from.erase(found);
  return true;
}

void plain_engine::raise(moment& clock, const event& now) {
  const bool raised = clock.at < now.at;
  if (order_ != nullptr) {
    order_->operand({clock.time}, !raised);
    order_->operand({now.time}, raised);
    clock.time = order_->close(std::max(clock.at, now.at));
  }
  if (raised) clock.at = now.at;
}

plain_engine::moment plain_engine::after(const event& now, std::uint64_t at, time_term term,
                                         std::uint64_t amount) {
  moment result{at, 0};
  if (order_ == nullptr) return result;
  if (term == time_term::receive_cpu || term == time_term::receive_bytes) {
    const bool by_cpu = term == time_term::receive_cpu;
    order_->operand({now.time, time_term::receive_cpu, now.host, now.number, amount}, by_cpu);
    order_->operand({now.time, time_term::receive_bytes, now.host, now.number, amount}, !by_cpu);
    result.time = order_->close(at);
  } else {
    result.time = order_->one({now.time, term, now.host, now.number, amount}, at);
  }
  return result;
}

loggops_outcome plain_engine::outcome() {
  loggops_outcome all;
  all.operations = what_.operations();
  all.done = done_;
  all.events = events_;
  left_over left(what_, all.left);
  for (std::uint32_t host = 0; host < what_.ranks(); ++host) {
    const auto clocks = std::span(cpu_).subspan(std::size_t{host} * what_.cpus(), what_.cpus());
    const moment last = *std::ranges::max_element(clocks, {}, &moment::at);
    all.finish_ns.push_back(last.at);
    if (order_ != nullptr) order_->finish.push_back(last.time);
    all.left_receives += posted_[host].size();
    all.left_messages += early_[host].size();
    for (const waiting& one : posted_[host]) left.receive(host, one.number);
    for (const waiting& one : early_[host]) left.message(host, one.peer, one.number);
  }
  for (std::uint32_t host = 0; host < what_.ranks(); ++host) left.never_ready(host, unmet_[host]);
  return all;
}

}  // namespace plait::simulate
