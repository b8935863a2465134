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

[[nodiscard]] ordered_actions actions_of(const collective::schedule& steps) {
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
  rank_writer(const call_program& of, std::uint32_t rank, std::uint32_t first_free_tag)
      : of_(of), rank_(rank), next_tag_(first_free_tag) {}

  [[nodiscard]] rank_template written() {
    const rank_template& calls = of_.operations.of_rank(rank_);
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
      known = known_.emplace(place, actions_of(collective::build(shape, call.how))).first;
    }
    const ordered_actions& steps = known->second;
    const std::uint32_t begin = built_.size() - 1;
    const auto tag = next_tag_++;
    for (std::uint32_t i = 0; i < steps.actions.size(); ++i) {
      const std::uint32_t added = built_.add(operation_of(steps.actions[i], call, what, tag));
      if (steps.after[i].empty()) built_.require(added, begin);
      for (const std::uint32_t earlier : steps.after[i]) built_.require(added, begin + 1 + earlier);
    }
    operation end;
    end.name = what.name;
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
  std::uint64_t operations = 0;
  for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
    made.templates.push_back(rank_writer(with_calls, rank, first_free_tag).written());
    made.template_of[rank] = rank;
    operations += made.templates.back().size();
    if (operations > most)
      throw usage_error(fmt::format("{} ranks have more than {} operations, which are the most",
                                    of.ranks(), most));
  }
  pair_messages(made);
  check(made);
  return made;
}

}  // namespace plait::simulate
