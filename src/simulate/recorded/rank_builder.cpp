// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/rank_builder.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {
namespace {

/// Numbers of processors have one byte; threads beyond share the last one.
constexpr std::uint32_t last_processor = 254;
/// Of an item that is no operation.
constexpr std::uint32_t skipped = too_many_operations;
/// Of what takes no thread of its own: a thread that is free takes it first.
constexpr std::uint8_t no_task = 0;
/// Of the task that ends a `wait_on`.
constexpr std::string_view ends_wait = "wait_on";
constexpr const char* programs_own = "the program";
/// A program that computes more than this share of its time itself before messages, without a wait
/// before, is refused: its order would be lost.
constexpr std::uint64_t least_share_refused = 10;

/// Returns the place of the one item that each item waits for, last of several.
[[nodiscard]] std::vector<std::uint32_t> earlier_of(const recorded_part& part) {
  std::vector<std::uint32_t> earlier(part.items.size(), skipped);
  for (const recorded_order& one : part.orders) {
    std::uint32_t& of = earlier[one.later];
    of = of == skipped ? one.earlier : std::max(of, one.earlier);
  }
  return earlier;
}

/// Steps of a call that are one operation have brought their edges, as many as there were steps.
[[nodiscard]] rank_template with_each_edge_once(const rank_template& one) {
  template_builder made;
  for (const operation& what : one.operations) made.add(what);
  std::vector<std::uint32_t> later;
  const auto once = [&](std::span<const dependent> edges) {
    later.clear();
    for (const dependent& edge : edges) later.push_back(edge.operation());
    std::ranges::sort(later);
    later.erase(std::ranges::unique(later).begin(), later.end());
  };
  for (std::uint32_t i = 0; i < one.size(); ++i) {
    once(one.after_end.of(i));
    for (const std::uint32_t to : later) made.require(to, i);
    once(one.after_start.of(i));
    for (const std::uint32_t to : later) made.irequire(to, i);
  }
  return made.build();
}

/// The engine's windows send and receive it, which has no pairs of long messages (look).
[[nodiscard]] operation window_message(const window_request& of, operation_kind what,
                                       std::uint32_t peer, const window_request::message& one) {
  operation made;
  made.kind = what;
  made.size = one.bytes;
  made.peer = peer;
  made.tag = one.tag;
  made.name = of.name;
  made.is_paired = false;
  return made;
}

}  // namespace

rank_builder::rank_builder(const recording& from, const message_tags& tags,
                           window_requests& windows, name_table& names, const std::string& where,
                           call_table* calls)
    : from_(from),
      tags_(tags),
      names_(names),
      where_(where),
      calls_(calls),
      blocking_(from),
      windows_{windows} {
  // By number, for those that were idle have no part, and a damaged number must not make memory.
  for (const recorded_part& part : from.parts) {
    runs_[part.runtime];
    messages_[part.runtime];
  }
  for (const plait::recorded_run& one : from.runs) {
    if (!runs_.contains(one.runtime)) continue;
    const auto [place, is_new] = runs_[one.runtime].try_emplace(one.id, run{0, one.thread});
    place->second.took_ns += one.took_ns;  // in pieces, where the task was suspended
  }
  for (std::size_t at = 0; at < from.messages.size(); ++at) {
    const recorded_message& one = from.messages[at];
    if (const auto of = messages_.find(one.runtime); of != messages_.end())
      of->second.try_emplace(one.id, at);
  }
}

operation rank_builder::message(std::uint32_t name, std::size_t at) const {
  const recorded_message& one = from_.messages[at];
  if (one.what != recorded_message::kind::point_to_point) {
    const bool on_window = one.what == recorded_message::kind::one_sided;
    throw usage_error(fmt::format(
        "{}: rank {}: '{}' is {}", where_, from_.rank, from_.names[name],
        on_window ? "an operation on a window, which has no law"
                  : "a collective operation of the MPI library, which is not simulated"));
  }
  operation made;
  const std::optional<std::uint32_t> tag = tags_.of(from_.rank, at);
  if (!tag.has_value()) return made;  // takes no time
  made.kind = one.sent ? operation_kind::send : operation_kind::receive;
  made.size = one.size_bytes;
  made.peer = one.peer;
  made.tag = calls_ == nullptr ? *tag : calls_->stream_of(one);
  made.is_paired = !one.is_of_task();
  return made;
}

rank_builder::number rank_builder::add_item(const recorded_item& item, std::uint32_t runtime,
                                            std::uint64_t id) {
  operation made;
  if (item.kind == recorded_kind::program) {
    made.size = item.took_ns;
  } else if (item.kind == recorded_kind::task) {
    const auto ran = runs_.at(runtime).find(id);
    if (ran != runs_.at(runtime).end()) {
      made.size = ran->second.took_ns;
      made.cpu = static_cast<std::uint8_t>(std::min(ran->second.thread, last_processor));
    }
  } else {
    auto& all = messages_.at(runtime);
    const auto found = all.find(id);
    if (found != all.end()) {
      const recorded_message& one = from_.messages[found->second];
      if (one.what == recorded_message::kind::one_sided && calls_ == nullptr) {
        all.erase(found);  // where a damaged recording has an id twice, they shall not be more
        return add_on_window(item.name, one);
      }
      made = message(item.name, found->second);
    }
  }
  if (made.kind == operation_kind::calculation) {
    made.size += std::exchange(owed_ns_, 0);
    noted_ns_ = 0;
  } else {
    note_passed();
  }
  made.name = names_.number(from_.names[item.name]);
  made.priority = item.kind == recorded_kind::program ? no_task : item.priority;
  const task_messages* const messages =
      item.kind == recorded_kind::task ? blocking_.take(runtime, id) : nullptr;
  return messages != nullptr ? add_in_pieces(made, *messages) : append(made);
}

rank_builder::number rank_builder::append(const operation& made) {
  has_earlier_.push_back(false);
  has_later_.push_back(false);
  return built_.add(made);
}

rank_builder::number rank_builder::follow(number earlier, const operation& made) {
  const number later = append(made);
  built_.require(later, earlier);
  has_later_[earlier] = has_earlier_[later] = true;
  return later;
}

/// Returns the first piece; what waited for the task waits for the last.
rank_builder::number rank_builder::add_in_pieces(const operation& task, const task_messages& of) {
  std::uint64_t whole_ns = of.computed_ns;
  for (const task_messages::call& one : of.calls) whole_ns += one.computed_ns;
  operation piece = task;
  piece.size = of.calls.front().computed_ns + (task.size - std::min(task.size, whole_ns));
  const number first = append(piece);
  number last = first;
  for (std::size_t i = 0; i < of.calls.size(); ++i) {
    const bool is_last = i + 1 == of.calls.size();
    piece.size = is_last ? of.computed_ns : of.calls[i + 1].computed_ns;
    std::vector<number> messages;
    for (const std::size_t at : of.calls[i].messages) {
      operation one = message(0, at);
      one.name = task.name;
      one.priority = no_task;
      messages.push_back(follow(last, one));
    }
    last = follow(messages.front(), piece);
    for (const number other : messages) {
      if (other == messages.front()) continue;
      built_.require(last, other);
      has_later_[other] = true;
    }
  }
  joins_[first] = last;
  return first;
}

/// Returns the operation that begins it; what waited for it waits for its last.
rank_builder::number rank_builder::add_on_window(std::uint32_t name, const recorded_message& one) {
  if (one.peer >= from_.ranks)
    throw usage_error(fmt::format("{}: rank {}: '{}' is with rank {} of {}", where_, from_.rank,
                                  from_.names[name], one.peer, from_.ranks));
  const bool has_signal = one.tag != window_requests::no_signal;
  const bool is_awaited = !one.sent && has_signal;
  const auto put = windows_.last_put.find(one.peer);
  const bool is_landing =
      one.sent && !has_signal && one.size_bytes == 0 && put != windows_.last_put.end();
  if (!is_awaited && !is_landing && one.peer != from_.rank) return add_put_or_get(name, one);
  operation nothing;
  nothing.name = names_.number(from_.names[name]);
  nothing.is_mark = true;
  const number made = append(nothing);
  if (is_awaited) windows_.requests.await(window_requests::key_of(from_.rank, one), made);
  if (one.sent && has_signal)
    windows_.raised_at_home.emplace_back(window_requests::key_of(from_.rank, one), made);
  if (is_landing) {
    joins_[put->second.first] = put->second.left;
    built_.require(made, put->second.answered);
    has_later_[put->second.answered] = true;
    windows_.last_put.erase(put);
  }
  return made;
}

rank_builder::number rank_builder::add_put_or_get(std::uint32_t name, const recorded_message& one) {
  const window_request& asked =
      windows_.requests.ask(from_.rank, one, names_.number(from_.names[name]));
  const number first = append(window_message(asked, operation_kind::send, one.peer, asked.letter));
  number left = first;
  if (asked.data.has_value())
    left = follow(first, window_message(asked, operation_kind::send, one.peer, *asked.data));
  const number answered =
      follow(left, window_message(asked, operation_kind::receive, one.peer, asked.answer));
  joins_[first] = answered;
  if (one.sent && one.size_bytes > 0) windows_.last_put[one.peer] = {first, left, answered};
  return first;
}

/// They wait for nothing here, and of what is here only who waits for a signal waits for them.
void rank_builder::answer_all() {
  const auto raise = [this](const message_key& signal, number by) {
    if (const number waiting = windows_.requests.raise(signal); waiting != window_requests::nobody)
      built_.require(waiting, by);
  };
  for (const window_request& asked : windows_.requests.to(from_.rank)) {
    const auto add = [&](operation_kind what, const window_request::message& one) {
      return built_.add(window_message(asked, what, asked.from, one));
    };
    number here = add(operation_kind::receive, asked.letter);
    if (asked.data.has_value()) {
      const number data = add(operation_kind::receive, *asked.data);
      built_.require(data, std::exchange(here, data));
    }
    built_.require(add(operation_kind::send, asked.answer), here);
    if (asked.signals) raise(asked.signal, here);
  }
  for (const auto& [signal, by] : windows_.raised_at_home) raise(signal, by);
}

void rank_builder::parts_over() {
  runs_ = {};
  messages_ = {};
}

void rank_builder::note_passed() {
  passed_ns_ += owed_ns_ - std::exchange(noted_ns_, owed_ns_);
}

rank_builder::number rank_builder::add_spell(std::uint64_t took_ns, number after) {
  if (!gate_.has_value()) {
    owed_ns_ += took_ns;
    return after;
  }
  of_gates_ns_[*gate_] += took_ns;
  return after == skipped ? skipped : *gate_;
}

rank_builder::number rank_builder::add_step(const recorded_item& item, std::uint32_t runtime,
                                            std::uint64_t id) {
  if (calls_ == nullptr) return add_item(item, runtime, id);
  gate_.reset();
  if (item.group == 0) return add_item(item, runtime, id);
  const auto [at, is_first] = call_at_.try_emplace(item.group, 0);
  if (is_first) {
    operation call;
    call.name = names_.number(from_.names[item.name]);
    call.samples = calls_->begin(from_, item.group);
    has_earlier_.push_back(false);
    has_later_.push_back(false);
    at->second = built_.add(call);
    note_passed();
  }
  if (item.kind == recorded_kind::message) {
    const auto& messages = messages_.at(runtime);
    if (const auto message = messages.find(id); message != messages.end())
      calls_->add_message(at->second, from_.messages[message->second]);
  } else if (const auto ran = runs_.at(runtime).find(id); ran != runs_.at(runtime).end()) {
    calls_->add_task(at->second, ran->second.took_ns);
  }
  return at->second;
}

rank_template rank_builder::build() {
  rank_template made = built_.build();
  if (calls_ == nullptr) return made;
  for (const auto& [at, took_ns] : of_gates_ns_) made.operations[at].size += took_ns;
  calls_->end_rank(from_, made);
  if (passed_ns_ > from_.wall_ns / least_share_refused)
    throw usage_error(fmt::format(
        "{}: rank {}: the program computes {} us itself before messages, after it has submitted "
        "other work and without a wait; let it wait, or compute in tasks",
        where_, from_.rank, passed_ns_ / 1000));
  return with_each_edge_once(made);
}

rank_builder::number rank_builder::end_of(number one) const {
  const auto join = joins_.find(one);
  return join == joins_.end() ? one : join->second;
}

void rank_builder::order(number earlier, number later) {
  if (earlier == later || earlier == skipped || later == skipped) return;
  const number end = end_of(earlier);
  built_.require(later, end);
  has_later_[end] = true;
  has_earlier_[later] = true;
}

/// A task is finished when those that it has submitted are.
void rank_builder::join_children(const recorded_part& part, const std::vector<number>& items,
                                 const of_id& ids) {
  std::vector<std::pair<number, number>> of_parent;  // parent, child
  std::map<number, number> made;                     // by parent
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (part.items[i].parent == 0 || items[i] == skipped) continue;
    const auto parent = ids.find(part.items[i].parent);
    if (parent == ids.end() || parent->second == items[i]) continue;
    of_parent.emplace_back(parent->second, items[i]);
    built_.irequire(items[i], parent->second);
    has_earlier_[items[i]] = true;
    if (made.contains(parent->second)) continue;
    operation join;
    join.name = names_.number("");
    join.priority = no_task;
    made[parent->second] = built_.add(join);
    has_earlier_.push_back(true);
    has_later_.push_back(false);
  }
  const auto join_after = [this](number join, number last) {
    built_.require(join, last);
    has_later_[last] = true;
  };
  // A parent that has pieces ends no earlier than with its last, which waits for no child.
  for (const auto& [parent, join] : made) join_after(join, end_of(parent));
  for (const auto& [parent, join] : made) joins_[parent] = join;
  for (const auto& [parent, child] : of_parent) join_after(made.at(parent), end_of(child));
}

void rank_builder::add_orders(const recorded_part& part, const std::vector<number>& items,
                              const std::vector<number>& repeated) {
  for (const recorded_order& one : part.orders) order(items[one.earlier], items[one.later]);
  const std::size_t each = part.repeated.size();
  for (std::uint64_t i = 0; i < part.iterations; ++i) {
    for (const recorded_order& one : part.same)
      order(repeated[i * each + one.earlier], repeated[i * each + one.later]);
    if (i + 1 == part.iterations) break;
    for (const recorded_order& one : part.next)
      order(repeated[i * each + one.earlier], repeated[(i + 1) * each + one.later]);
  }
}

/// Everything before, and nothing after.
void rank_builder::end_part(number first) {
  const number count = built_.size();
  operation end;
  end.name = names_.number(calls_ == nullptr ? "" : programs_own);
  end.size = std::exchange(owed_ns_, 0);
  noted_ns_ = 0;
  const number last = built_.add(end);
  for (number i = first; i < count; ++i) {
    if (!has_later_[i]) built_.require(last, i);
    if (!has_earlier_[i] && last_end_.has_value()) built_.require(i, *last_end_);
  }
  if (first == count && last_end_.has_value()) built_.require(last, *last_end_);
  has_earlier_.push_back(true);
  has_later_.push_back(true);
  last_end_ = gate_ = last;
}

void rank_builder::add(const recorded_part& part) {
  if (calls_ != nullptr && !last_end_.has_value()) end_part(built_.size());
  const number first = built_.size();
  of_id ids;
  std::vector<number> items;
  std::vector<number> repeated;
  joins_.clear();
  windows_.last_put.clear();
  call_at_.clear();
  const std::vector<number> earlier = earlier_of(part);
  for (const recorded_item& item : part.items) {
    if (calls_ != nullptr && item.kind == recorded_kind::program) {
      const number before = earlier[items.size()];
      items.push_back(add_spell(item.took_ns, before == skipped ? skipped : items[before]));
      continue;
    }
    items.push_back(add_step(item, part.runtime, item.id));
    if (item.kind == recorded_kind::task && from_.names[item.name] == ends_wait)
      gate_ = items.back();
    if (item.id != 0) ids.try_emplace(item.id, items.back());
  }
  std::uint64_t id = part.first_id;
  for (std::uint64_t i = 0; i < part.iterations; ++i) {
    call_at_.clear();
    for (const recorded_item& item : part.repeated) {
      repeated.push_back(add_step(item, part.runtime, id));
      ids.try_emplace(id++, repeated.back());
    }
  }
  join_children(part, items, ids);
  add_orders(part, items, repeated);
  end_part(first);
}

}  // namespace plait::simulate
