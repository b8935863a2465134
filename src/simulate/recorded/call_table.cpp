// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/call_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <plait/core/error.hpp>

namespace plait::simulate {

std::uint32_t call_table::begin(const recording& from, std::uint32_t group) {
  if (const auto known = place_of_.find(group); known != place_of_.end()) return known->second;
  const recorded_collective& one = from.collectives[group - 1];
  const std::string& what = from.names[one.operation];
  const auto refuse = [&](const std::string& why) {
    throw usage_error(fmt::format("{}: rank {}: a call of {} {}", where_, from.rank, what, why));
  };
  const auto operation = collective::operation_from(what);
  const auto algorithm = collective::algorithm_from(from.names[one.algorithm]);
  if (!operation.has_value() || !algorithm.has_value()) refuse("is not known");
  std::uint32_t& place = place_of_[group];
  if (one.members == 1 || one.compares) return place = 0;
  if (one.members != from.ranks)
    refuse(fmt::format("has {} of {} ranks, and no law says which ranks others would have",
                       one.members, from.ranks));
  if (one.has_lists) refuse("has blocks of different sizes, which a recording does not keep");
  collective_call call;
  call.what = *operation;
  call.how = *algorithm;
  call.root = one.root;
  call.element_bytes = one.element_bytes;
  call.count = one.count;
  call.fragment_bytes = one.fragment_bytes;
  call.cut = {one.piece_bytes, one.most_pieces};
  call.in_place = one.in_place && !collective::only_root_is_in_place(call.what);
  if (const std::string why = call.why_not_on(from.ranks); !why.empty())
    throw usage_error(fmt::format("{}: {}", where_, why));
  const auto found = std::ranges::find(calls_, call);
  place = static_cast<std::uint32_t>(found - calls_.begin()) + 1;
  if (found == calls_.end()) {
    calls_.push_back(call);
    sums_.emplace_back();
  }
  return place;
}

void call_table::add_message(std::uint32_t operation, const recorded_message& one) {
  of_operation_[operation].messages.push_back({one.sent, one.peer, one.size_bytes});
}

void call_table::add_task(std::uint32_t operation, std::uint64_t took_ns) {
  steps& of = of_operation_[operation];
  ++of.tasks;
  of.took_ns += took_ns;
}

std::vector<call_table::message> call_table::expected(const collective_call& call,
                                                      const recording& of) const {
  std::vector<message> all;
  using collective::action;
  for (const action& one : collective::build(call.shape_on(of.rank, of.ranks), call.how).actions) {
    const bool sent = one.what == action::kind::send;
    if (!sent && one.what != action::kind::receive) continue;
    all.push_back({sent, static_cast<std::uint32_t>(one.peer), (sent ? one.from : one.to).size()});
  }
  return all;
}

void call_table::end_rank(const recording& from, rank_template& built) {
  std::map<std::uint32_t, std::vector<message>> schedules;
  for (std::uint32_t at = 0; at < built.size(); ++at) {
    operation& what = built.operations[at];
    if (what.samples == 0 && !of_operation_.contains(at)) continue;
    const steps& took_place = of_operation_[at];
    if (what.samples == 0 || took_place.messages.empty()) {
      what.samples = 0;
      what.size += took_place.took_ns;
      continue;
    }
    const std::uint32_t place = what.samples - 1;
    const auto [known, is_new] = schedules.try_emplace(place);
    if (is_new) known->second = expected(calls_[place], from);
    if (known->second != took_place.messages)
      throw usage_error(fmt::format(
          "{}: rank {}: the messages of a call of {} are not those of its schedule by {}", where_,
          from.rank, to_string(calls_[place].what), to_string(calls_[place].how)));
    sums_[place].tasks += took_place.tasks;
    sums_[place].took_ns += took_place.took_ns;
  }
  of_operation_.clear();
  place_of_.clear();
}

/// Equal in all recordings.  On one communicator no two tags that differ by less than 2^30 are the
/// same.
std::uint32_t call_table::stream_of(const recorded_message& one) {
  constexpr std::uint32_t streams = 1U << 30;
  const std::uint32_t stream =
      (static_cast<std::uint32_t>(one.tag) + one.communicator * 0x9e37'79b1U) % streams;
  const std::pair named{one.communicator, one.tag};
  const auto [known, is_new] = named_.try_emplace(stream, named);
  if (known->second != named)
    throw usage_error(fmt::format(
        "{}: messages with tag {} on communicator {} and with tag {} on communicator {} are not "
        "told apart",
        where_, one.tag, one.communicator, known->second.second, known->second.first));
  return stream;
}

std::vector<collective_call> call_table::all() const {
  std::vector<collective_call> made = calls_;
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i].task_ns = sums_[i].tasks == 0 ? 0 : sums_[i].took_ns / sums_[i].tasks;
  return made;
}

}  // namespace plait::simulate
