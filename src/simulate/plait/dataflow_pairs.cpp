// SPDX-License-Identifier: BSD-3-Clause
// Long receives that wait for the rank's own long messages to the same rank: the engine's own
// decision (look/paired_receives), on simulated time.
#include <algorithm>
#include <utility>

#include "simulate/plait/dataflow_engine.hpp"

namespace plait::simulate {

std::vector<simulated_pairs> dataflow_engine::learnt() const {
  std::vector<simulated_pairs> all;
  bool any_pairs = false;
  for (const simulated_rank& rank : ranks_) {
    if (!rank.pairs.has_value()) return {};
    all.push_back(*rank.pairs);
    all.back().begin_anew();
    any_pairs = any_pairs || rank.pairs->has_pairs();
  }
  if (!any_pairs) all.clear();
  return all;
}

/// Within a node no stream has to be shared.
bool dataflow_engine::is_paired(const operation& one, number rank) const {
  if (!ranks_[rank].pairs.has_value() || one.size <= on_.eager_limit_bytes || one.peer == any ||
      !one.is_paired)
    return false;
  const number peer = peer_of(program_, one, rank);
  return on_.node_of.empty() || on_.node_of[peer] != on_.node_of[rank];
}

/// Returns whether the receive is to wait for a send.
bool dataflow_engine::keep_receive(number rank, number operation, number step) {
  simulated_rank& of = ranks_[rank];
  const simulate::operation& one = of.program->operations[operation];
  if (!is_paired(one, rank)) return false;
  long_receive& made = of.long_receives.emplace_back();
  made = {.operation = operation, .step = step, .peer = peer_of(program_, one, rank)};
  const std::int64_t now = steps_.at(step);
  const auto waits = of.pairs->keeps(made, static_cast<int>(made.peer), now);
  if (!waits.has_value()) {
    of.under_way.push_back(&made);
    return false;
  }
  made.is_kept = true;
  made.until_ps = waits->until;
  made.rest_ps = waits->rest;
  ++of.kept;
  events_.add({.at_ps = waits->until,
               .a = rank,
               .b = static_cast<number>(of.long_receives.size() - 1),
               .what = event::kind::receive_due});
  of.rests_since_ps = -1;
  return true;
}

void dataflow_engine::start_kept(number rank, long_receive& one, number step, std::int32_t by) {
  simulated_rank& of = ranks_[rank];
  one.is_kept = false;
  --of.kept;
  of.under_way.push_back(&one);
  add_receive(rank, one.operation, step);
  take_early(rank, one.operation, step, by);
}

void dataflow_engine::note_long_send(number rank, const operation& one, number step,
                                     std::int32_t by) {
  if (!is_paired(one, rank)) return;
  simulated_rank& of = ranks_[rank];
  const auto peer = static_cast<int>(peer_of(program_, one, rank));
  long_receive* const partner = of.pairs->sent(peer, steps_.at(step), of.under_way);
  if (partner != nullptr) start_kept(rank, *partner, step, by);
}

/// A rank rests while it has nothing to run.
void dataflow_engine::note_rest(number rank, std::int64_t now_ps) {
  simulated_rank& of = ranks_[rank];
  const bool rests = std::ranges::none_of(of.workers, &simulated_thread::runs);
  if (!rests) of.rests_since_ps = -1;
  if (!rests || of.rests_since_ps >= 0) return;
  of.rests_since_ps = now_ps;
  while (!of.long_receives[of.first_kept].is_kept) ++of.first_kept;
  for (number at = of.first_kept; at < of.long_receives.size(); ++at) {
    const long_receive& one = of.long_receives[at];
    if (one.is_kept)
      events_.add(
          {.at_ps = now_ps + one.rest_ps, .a = rank, .b = at, .what = event::kind::receive_due});
  }
}

/// It has waited for too long, and starts without its send.
void dataflow_engine::start_due(const event& one) {
  simulated_rank& of = ranks_[one.a];
  long_receive& receive = of.long_receives[one.b];
  if (!receive.is_kept) return;
  const bool has_rested =
      of.rests_since_ps >= 0 && one.at_ps - of.rests_since_ps >= receive.rest_ps;
  if (one.at_ps < receive.until_ps && !has_rested) return;
  of.pairs->starts_alone(receive, static_cast<int>(receive.peer), true);
  const number step = steps_.add(one.at_ps, receive.step, path_part::looks);
  start_kept(one.a, receive, step, who_looks(one.a));
  assign(one.a, one.at_ps);
}

}  // namespace plait::simulate
