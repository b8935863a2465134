// SPDX-License-Identifier: BSD-3-Clause
// Messages of the dialect `plait`, and who looks after them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>

#include "simulate/plait/dataflow_engine.hpp"

namespace plait::simulate {
namespace {

[[nodiscard]] std::uint64_t key_of(std::uint32_t source, std::uint32_t tag) noexcept {
  return (std::uint64_t{source} << 32) | tag;
}

}  // namespace

/// Whoever releases a send posts it, before anything else that thread does.
void dataflow_engine::post_send(number rank, number operation, number step, std::int32_t by) {
  const simulate::operation& one = ranks_[rank].program->operations[operation];
  const auto message = static_cast<number>(messages_.size());
  flying_message& made = messages_.emplace_back();
  made.from = rank;
  made.to = peer_of(program_, one, rank);
  made.send = operation;
  made.size_bytes = one.size;
  made.asks_first = one.size > on_.eager_limit_bytes;
  simulated_thread& poster = thread(rank, by);
  const number began = poster.free_at_ps > steps_.at(step) ? poster.last : step;
  const std::int64_t end = std::max(steps_.at(step), poster.free_at_ps) + on_.send_overhead_ps;
  const number step_of_post = steps_.add(end, began, path_part::overhead);
  poster.last = step_of_post;
  poster.free_at_ps = end;
  ranks_[rank].looks->posted(end);
  events_.add(
      {.at_ps = end, .a = message, .step = step_of_post, .by = by, .what = event::kind::posted});
  // The first byte leaves before the last one has been copied.
  if (!made.asks_first) copy(made, poster);
  if (by == proxy) lengthen_task(rank, poster.free_at_ps - end + on_.send_overhead_ps);
  release(rank, ranks_[rank].program->after_start, operation, step_of_post, by);
}

/// The thread copies the bytes of a message that it has sent.
void dataflow_engine::copy(const flying_message& sent, simulated_thread& by) {
  if (copy_ps(sent) == 0) return;
  by.free_at_ps += copy_ps(sent);
  by.last = steps_.add(by.free_at_ps, by.last, path_part::overhead);
}

std::int64_t dataflow_engine::copy_ps(const flying_message& one) const {
  if (one.size_bytes == 0) return 0;
  return std::llround(static_cast<double>(one.size_bytes - 1) * on_.overhead_byte_ps);
}

/// It has copied while bytes came.
std::int64_t dataflow_engine::left_to_copy_ps(const flying_message& one,
                                              std::int64_t idle_ps) const {
  if (one.size_bytes == 0) return 0;
  return std::max<std::int64_t>(0, copy_ps(one) - std::min(idle_ps, one.came_ps));
}

void dataflow_engine::posted(const event& one) {
  flying_message& message = messages_[one.a];
  message.at = message.asks_first ? flying_message::stage::request : flying_message::stage::data;
  const std::uint64_t size = message.asks_first ? 0 : message.size_bytes;
  const number from = message.from;
  wires_.send(from, message.to, {one.a, size, one.step}, one.at_ps);
  if (!message.asks_first) {  // the kernel has it
    const number send = message.send;
    ranks_[from].looks->completed(one.at_ps);
    if (const std::int64_t end = one.at_ps + copy_ps(message); end > one.at_ps) {
      events_.add({.at_ps = end,
                   .a = from,
                   .b = send,
                   .step = steps_.add(end, one.step, path_part::overhead),
                   .by = one.by,
                   .what = event::kind::completed});
      return;
    }
    finish(from, send, one.step, one.by);
    assign(from, one.at_ps);
    return;
  }
  // Behind the request, so that the answer does not overtake it.
  note_long_send(from, ranks_[from].program->operations[message.send], one.step, one.by);
  if (ranks_[from].looks->has_proxy()) ask_proxy(from, one.at_ps);
}

void dataflow_engine::depart(const wires::departure& left) {
  const number message = left.what.message;
  flying_message& one = messages_[message];
  one.came_ps = left.took_ps;
  const std::int64_t at = steps_.at(left.left) + left.latency_ps;
  const number arrived = steps_.add(at, left.left, path_part::latency);
  events_.add({.at_ps = at, .a = message, .step = arrived, .what = event::kind::arrived});
  // A long message is complete here when it has left.
  if (one.asks_first && one.at == flying_message::stage::data) {
    ranks_[one.from].looks->completed(steps_.at(left.left));
    const number from = one.from;
    finish(from, one.send, left.left, 0);
    assign(from, steps_.at(left.left));
  }
}

void dataflow_engine::arrive(number message, number step) {
  flying_message& one = messages_[message];
  one.arrived = step;
  const number rank = one.at == flying_message::stage::answer ? one.from : one.to;
  simulated_rank& of = ranks_[rank];
  const std::int64_t now = steps_.at(step);
  of.unseen.push_back(message);
  const std::int32_t by = who_looks(rank);
  if (by != proxy || of.looks->always()) {
    look(rank, by, now, 0);
    assign(rank, now);
    return;
  }
  if (!of.looks->has_proxy()) return;
  of.looks->news();
  ask_proxy(rank, now);
}

/// Returns an idle worker that looks without pause, or the proxy.
std::int32_t dataflow_engine::who_looks(number rank) const {
  const simulated_rank& of = ranks_[rank];
  if (of.looks->always()) return proxy;
  for (std::size_t w = 0; w < of.workers.size(); ++w) {
    if (!of.workers[w].runs && of.looks->idle_looks(w)) return static_cast<std::int32_t>(w);
  }
  return proxy;
}

void dataflow_engine::ask_proxy(number rank, std::int64_t now_ps) {
  simulated_rank& of = ranks_[rank];
  if (!of.looks->has_proxy() || of.looks->is_idle()) return;
  const pace_verdict verdict = of.looks->proxy(now_ps);
  if (verdict.what == pace_verdict::kind::look) {
    lengthen_task(rank, on_.look_ps);
    look(rank, proxy, now_ps, on_.look_ps);
    assign(rank, now_ps);
    if (of.looks->is_idle() || (events_.nothing_moves() && of.unseen.empty())) return;
    const pace_verdict next = of.looks->proxy(now_ps);
    const std::int64_t until = next.what == pace_verdict::kind::look ? now_ps + 1 : next.until;
    events_.add({.at_ps = std::max(until, now_ps + 1),
                 .a = rank,
                 .version = ++of.proxy_version,
                 .what = event::kind::proxy_decides});
    return;
  }
  if (events_.nothing_moves() && of.unseen.empty()) return;  // nor will anything, ever
  events_.add({.at_ps = std::max(verdict.until, now_ps + 1),
               .a = rank,
               .version = ++of.proxy_version,
               .what = event::kind::proxy_decides});
}

/// Sees all that has come.
void dataflow_engine::look(number rank, std::int32_t by, std::int64_t now_ps,
                           std::int64_t price_ps) {
  simulated_rank& of = ranks_[rank];
  simulated_thread& eyes = thread(rank, by);
  if (price_ps > 0) {
    const std::int64_t begin = std::max(now_ps, eyes.free_at_ps);
    // What the look cost is on the path of what it has seen.
    eyes.free_at_ps = begin + price_ps;
    const number seen = of.unseen.empty() ? eyes.last : messages_[of.unseen.front()].arrived;
    eyes.last = steps_.add(eyes.free_at_ps, steps_.later(eyes.last, seen), path_part::looks);
  }
  const bool saw = !of.unseen.empty();
  while (!of.unseen.empty()) {
    const number message = of.unseen.front();
    of.unseen.pop_front();
    see(rank, message, by, std::max(now_ps, eyes.free_at_ps));
  }
  of.looks->looked(now_ps, saw, price_ps);
}

void dataflow_engine::see(number rank, number message, std::int32_t by, std::int64_t now_ps) {
  flying_message& one = messages_[message];
  simulated_thread& eyes = thread(rank, by);
  number from = one.arrived;
  if (eyes.free_at_ps > steps_.at(from)) {
    from = eyes.last;
  }
  if (steps_.at(from) < now_ps) from = steps_.add(now_ps, from, path_part::looks);
  const bool is_answer = one.at == flying_message::stage::answer;
  const bool is_data = one.at == flying_message::stage::data;
  const std::int64_t price = is_answer ? on_.send_overhead_ps : on_.receive_overhead_ps;
  if (one.at == flying_message::stage::data && !one.asks_first && !match(message)) {
    ranks_[rank]
        .unexpected[key_of(one.from, ranks_[one.from].program->operations[one.send].tag)]
        .push_back(message);
    return;  // its receive pays when it is posted
  }
  const std::int64_t idle_ps = std::max<std::int64_t>(0, now_ps - eyes.free_at_ps);
  const std::int64_t cost = price + (is_data ? left_to_copy_ps(one, idle_ps) : 0);
  if (by == proxy) lengthen_task(rank, price + (is_data || is_answer ? copy_ps(one) : 0));
  eyes.free_at_ps = std::max(now_ps, eyes.free_at_ps) + cost;
  eyes.last = steps_.add(eyes.free_at_ps, from, path_part::overhead);
  if (is_answer) {
    one.at = flying_message::stage::data;
    wires_.send(one.from, one.to, {message, one.size_bytes, eyes.last}, eyes.free_at_ps);
    copy(one, eyes);
  } else if (one.at == flying_message::stage::request) {
    see_request(message, eyes.last);
  } else {
    ranks_[rank].looks->completed(eyes.free_at_ps);
    events_.add({.at_ps = eyes.free_at_ps,
                 .a = rank,
                 .b = one.receive,
                 .step = eyes.last,
                 .by = by,
                 .what = event::kind::completed});
  }
}

/// Answers, if the receive is there; else the receive answers when it is posted.
void dataflow_engine::see_request(number message, number seen) {
  flying_message& one = messages_[message];
  one.arrived = seen;
  if (!match(message)) {
    ranks_[one.to]
        .unexpected[key_of(one.from, ranks_[one.from].program->operations[one.send].tag)]
        .push_back(message);
    return;
  }
  one.at = flying_message::stage::answer;
  wires_.send(one.to, one.from, {message, 0, seen}, steps_.at(seen));
}

/// Gives a message its receive, if one is posted.
bool dataflow_engine::match(number message) {
  flying_message& one = messages_[message];
  if (one.is_matched) return true;
  const number tag = ranks_[one.from].program->operations[one.send].tag;
  for (const std::uint64_t key :
       {key_of(one.from, tag), key_of(one.from, any), key_of(any, tag), key_of(any, any)}) {
    const auto found = ranks_[one.to].receives.find(key);
    if (found == ranks_[one.to].receives.end()) continue;
    one.receive = found->second.front().operation;
    one.is_matched = true;
    const number posted = found->second.front().step;
    found->second.pop_front();
    if (found->second.empty()) ranks_[one.to].receives.erase(found);
    one.arrived = steps_.later(one.arrived, posted);
    expect_same_size(one);
    return true;
  }
  return false;
}

void dataflow_engine::expect_same_size(const flying_message& one) const {
  const simulate::operation& receive = ranks_[one.to].program->operations[one.receive];
  if (receive.size == one.size_bytes) return;
  const simulate::operation& send = ranks_[one.from].program->operations[one.send];
  throw usage_error(fmt::format("rank {}: {} meets rank {}: {}: the sizes differ", one.from,
                                text_of(program_, send, one.from), one.to,
                                text_of(program_, receive, one.to)));
}

/// Takes the message that waits for such a receive; of several the one that came first.
std::optional<std::uint32_t> dataflow_engine::take_unexpected(number rank, number source,
                                                              number tag) {
  auto& all = ranks_[rank].unexpected;
  auto best = all.end();
  if (source != any && tag != any) {
    best = all.find(key_of(source, tag));
  } else {
    const auto is_earlier = [this](number a, number b) {
      return std::pair(steps_.at(messages_[a].arrived), a) <
             std::pair(steps_.at(messages_[b].arrived), b);
    };
    for (auto one = all.begin(); one != all.end(); ++one) {
      const bool of_source = source == any || (one->first >> 32) == source;
      const bool of_tag = tag == any || static_cast<number>(one->first) == tag;
      if (!of_source || !of_tag) continue;
      if (best == all.end() || is_earlier(one->second.front(), best->second.front())) best = one;
    }
  }
  if (best == all.end()) return std::nullopt;
  const number found = best->second.front();
  best->second.pop_front();
  if (best->second.empty()) all.erase(best);
  return found;
}

void dataflow_engine::post_receive(number rank, number operation, number step, std::int32_t by) {
  simulated_rank& of = ranks_[rank];
  of.looks->posted(steps_.at(step));
  const bool is_kept = keep_receive(rank, operation, step);
  if (!is_kept) add_receive(rank, operation, step);
  release(rank, of.program->after_start, operation, step, by);  // receives that come behind it
  if (!is_kept) take_early(rank, operation, step, by);
}

void dataflow_engine::add_receive(number rank, number operation, number step) {
  const simulate::operation& one = ranks_[rank].program->operations[operation];
  const number peer = peer_of(program_, one, rank);
  ranks_[rank].receives[key_of(peer, one.tag)].push_back({operation, step});
}

/// Gives a receive the message that came before it.
void dataflow_engine::take_early(number rank, number operation, number step, std::int32_t by) {
  simulated_rank& of = ranks_[rank];
  const simulate::operation& one = of.program->operations[operation];
  const number peer = peer_of(program_, one, rank);
  const std::int64_t now = steps_.at(step);
  const std::optional<number> waits = take_unexpected(rank, peer, one.tag);
  if (!waits.has_value()) {
    if (of.looks->has_proxy()) ask_proxy(rank, now);
    return;
  }
  flying_message& found = messages_[*waits];
  found.arrived = steps_.later(found.arrived, step);
  if (found.at == flying_message::stage::request) {
    see_request(*waits, found.arrived);
    for (const wires::departure& passed : wires_.take_left()) depart(passed);
  } else {
    see(rank, *waits, by, std::max(now, thread(rank, by).free_at_ps));
  }
}

}  // namespace plait::simulate
