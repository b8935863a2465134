// SPDX-License-Identifier: BSD-3-Clause
// Calls become messages: the actions of their schedules, ordered by the bytes that they touch.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <plait/core/error.hpp>
#include <plait/simulate/call_program.hpp>

#include "simulate/ranks/message_pairs.hpp"

namespace plait::simulate {
namespace {

using collective::action;

[[nodiscard]] bool share_a_byte(const collective::slice& a, const collective::slice& b) {
  return a.where == b.where && a.begin < b.end && b.begin < a.end;
}

/// Returns what an action reads and what it writes; empty: nothing.
struct touched_bytes {
  collective::slice read;
  collective::slice written;
};
[[nodiscard]] touched_bytes touched_by(const action& one) {
  switch (one.what) {
    case action::kind::send:
      return {one.from, {}};
    case action::kind::receive:
      return {{}, one.to};
    default:
      return {one.from, one.to};
  }
}

[[nodiscard]] bool waits_for(const action& later, const action& earlier) {
  const touched_bytes a = touched_by(earlier);
  const touched_bytes b = touched_by(later);
  // Who combines reads what it writes, so that two writers are in order anyhow.
  return (!a.written.empty() &&
          (share_a_byte(a.written, b.written) || share_a_byte(a.written, b.read))) ||
         (!b.written.empty() && share_a_byte(b.written, a.read));
}

/// The actions of one rank, and for each those that it waits for.
struct ordered_actions {
  std::vector<action> actions;
  std::vector<std::vector<std::uint32_t>> after;
};

/// Limits what all ranks together take.
class limits {
 public:
  limits(std::uint32_t ranks, std::uint64_t most) : ranks_(ranks), most_(most) {}

  /// Errors: usage_error beyond the most operations, of which calls have so many more.
  void add(std::uint64_t operations) {
    operations_ += operations;
    if (operations_ > most_)
      throw usage_error(
          fmt::format("{} ranks have more than {} operations, which are the most", ranks_, most_));
  }
  /// Each action of a call is compared with all before it.
  void order(std::uint64_t actions) {
    constexpr std::uint64_t most_compared = std::uint64_t{1} << 35;
    if (actions > most_ - operations_) add(actions);
    compared_ += actions * actions / 2;
    if (compared_ > most_compared)
      throw usage_error(
          fmt::format("{} ranks: calls of collectives have too many messages: {} in one of a rank",
                      ranks_, actions));
  }
  /// Errors: usage_error for a call that is cut into more pieces than there may be operations.
  void cut(const collective_call& call, const collective::shape& shape) const {
    const std::uint64_t bytes = call.count * call.element_bytes;
    const std::uint64_t fragment = std::max(call.fragment_bytes, call.element_bytes);
    const bool in_fragments = call.how == collective::algorithm::chain;
    const std::uint64_t pieces = std::min<std::uint64_t>(
        shape.cut.most, bytes / std::max<std::uint64_t>(shape.cut.bytes, 1));
    const std::uint64_t most = std::max(in_fragments ? bytes / fragment : 0, pieces);
    if (most > most_pieces)
      throw usage_error(fmt::format("{} ranks: a call of {} is cut into {} pieces; {} are the most",
                                    ranks_, collective::to_string(call.what), most, most_pieces));
  }

 private:
  static constexpr std::uint64_t most_pieces = 65536;
  const std::uint32_t ranks_;
  const std::uint64_t most_;
  std::uint64_t operations_ = 0;
  std::uint64_t compared_ = 0;
};

[[nodiscard]] ordered_actions actions_of(const collective::schedule& steps, limits& within) {
  within.order(steps.actions.size());
  ordered_actions made{steps.actions, {}};
  made.after.resize(made.actions.size());
  for (std::uint32_t later = 0; later < made.actions.size(); ++later)
    for (std::uint32_t earlier = 0; earlier < later; ++earlier)
      if (waits_for(made.actions[later], made.actions[earlier]))
        made.after[later].push_back(earlier);
  return made;
}

/// Writes the template of one rank.
class rank_writer {
 public:
  rank_writer(const call_program& of, std::uint32_t rank, std::uint32_t first_free_tag,
              limits& within)
      : of_(of), rank_(rank), within_(within), next_tag_(first_free_tag) {}

  [[nodiscard]] rank_template written() {
    const rank_template& calls = of_.operations.of_rank(rank_);
    within_.add(calls.size());
    begin_.reserve(calls.size());
    end_.reserve(calls.size());
    for (const operation& what : calls.operations) {
      operation plain = what;
      plain.samples = 0;
      begin_.push_back(built_.add(plain));
      end_.push_back(begin_.back());
      if (const collective_call* const call = of_.call_of(what)) end_.back() = add(*call, what);
    }
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      for (const dependent& later : calls.after_end.of(i))
        built_.require(begin_[later.operation()], end_[i]);
      for (const dependent& later : calls.after_start.of(i))
        built_.irequire(begin_[later.operation()], begin_[i]);
    }
    return built_.build();
  }

 private:
  /// Adds a call's actions behind the operation that begins it; returns the operation that ends it.
  std::uint32_t add(const collective_call& call, const operation& what) {
    const auto place = static_cast<std::uint32_t>(&call - of_.calls.data());
    auto known = known_.find(place);
    if (known == known_.end()) {
      const collective::shape shape = call.shape_on(rank_, of_.ranks());
      within_.cut(call, shape);
      known = known_.emplace(place, actions_of(collective::build(shape, call.how), within_)).first;
    }
    const ordered_actions& steps = known->second;
    within_.add(steps.actions.size() + 1);
    const std::uint32_t begin = built_.size() - 1;
    const auto tag = next_tag_++;
    for (std::uint32_t i = 0; i < steps.actions.size(); ++i) {
      const std::uint32_t added = built_.add(operation_of(steps.actions[i], call, what, tag));
      if (steps.after[i].empty()) built_.require(added, begin);
      for (const std::uint32_t earlier : steps.after[i]) built_.require(added, begin + 1 + earlier);
    }
    operation end;
    end.name = what.name;
    end.cpu = what.cpu;
    const std::uint32_t last = built_.add(end);
    for (std::uint32_t i = begin; i < last; ++i) built_.require(last, i);
    return last;
  }

  [[nodiscard]] static operation operation_of(const action& one, const collective_call& call,
                                              const operation& what, std::uint32_t tag) {
    operation made;
    made.name = what.name;
    made.cpu = what.cpu;
    made.tag = tag;
    made.peer = static_cast<std::uint32_t>(std::max(0, one.peer));
    if (one.what == action::kind::send) {
      made.kind = operation_kind::send;
      made.size = one.from.size();
    } else if (one.what == action::kind::receive) {
      made.kind = operation_kind::receive;
      made.size = one.to.size();
    } else {
      made.size = call.task_ns;
      made.tag = 0;
    }
    return made;
  }

  const call_program& of_;
  const std::uint32_t rank_;
  limits& within_;
  std::uint32_t next_tag_;
  template_builder built_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> end_;
  std::map<std::uint32_t, ordered_actions> known_;  ///< by place of the call
};

}  // namespace

collective::shape collective_call::shape_on(std::uint32_t rank, std::uint32_t ranks) const {
  collective::shape shape;
  shape.what = what;
  shape.ranks = static_cast<int>(ranks);
  shape.rank = static_cast<int>(rank);
  shape.root = static_cast<int>(root);
  shape.element_bytes = element_bytes;
  shape.count = count;
  shape.in_place = in_place;
  shape.fragment_bytes = fragment_bytes;
  shape.cut = cut;
  return shape;
}

std::string collective_call::why_not_on(std::uint32_t ranks) const {
  const auto name = collective::to_string(what);
  if (root >= ranks) return fmt::format("{} ranks: a call of {} has root {}", ranks, name, root);
  if (element_bytes == 0) return fmt::format("a call of {} has elements without bytes", name);
  if (count <= most_bytes / element_bytes / ranks) return {};
  return fmt::format("{} ranks: a call of {} has {} elements of {} bytes; {} bytes are the most",
                     ranks, name, count, element_bytes, most_bytes / ranks);
}

program expanded(const call_program& with_calls, std::uint64_t most) {
  const program& of = with_calls.operations;
  for (const collective_call& call : with_calls.calls)
    if (const std::string why = call.why_not_on(of.ranks()); !why.empty()) throw usage_error(why);
  std::uint32_t first_free_tag = 0;
  for (const rank_template& one : of.templates)
    for (const operation& what : one.operations)
      if (what.kind != operation_kind::calculation && what.tag != any)
        first_free_tag = std::max(first_free_tag, what.tag + 1);
  program made = of;
  made.templates.clear();
  limits within(of.ranks(), most);
  for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
    made.templates.push_back(rank_writer(with_calls, rank, first_free_tag, within).written());
    made.template_of[rank] = rank;
  }
  pair_messages(made);
  check(made);
  return made;
}

}  // namespace plait::simulate
