// SPDX-License-Identifier: BSD-3-Clause
// The steps run in whichever thread holds the token; the rest takes it first.
#include "comm/engine/driver.hpp"

#include <vector>

#include "comm/matching/message_survey.hpp"
#include "comm/native.hpp"

namespace plait {

/// Starts what was posted, `here` too, and, if it looks, completes what has finished; callbacks may
/// post in turn.
bool driver::step(look which, operation* here) {
  matching_.free_retired();
  bool worked = drain();
  if (here != nullptr) {
    moment when;
    take_up(*here, when);
  }
  if (which != look::no && !flights_.nothing_to_look_after()) {
    const bool completed = flights_.look_after(which);
    worked = worked || completed;
    look_for_departures();
  }
  worked = release_held() || worked;
  while (drain()) worked = true;
  worked = release_kept(which, worked) || worked;
  flights_.rest_if_done();
  if (!paired_.empty()) flights_.look_by(paired_.next_due(), now_ticks());
  if (!tell_.held().empty()) {
    const ticks now = now_ticks();
    tell_.held().for_each_time([&](ticks until) { flights_.look_by(until, now); });
  }
  return worked;
}

/// Goes on with operations that the disturbance has held back for long enough.
bool driver::release_held() {
  if (tell_.held().empty()) return false;
  const ticks now = now_ticks();
  const auto due = tell_.held().take_due(now, state_.is_given_up());
  moment when(now);
  for (operation* op : due.starts) admit(*op, when);
  for (const auto& [op, failure] : due.completions) tell_.settle(*op, failure);
  return !due.starts.empty() || !due.completions.empty();
}

void driver::look_for_departures() {
  auto& handles = native_access::of(env_);
  const ticks now = flights_.looks().last();
  if (!handles.left.is_due(now) || state_.is_given_up()) return;
  handles.left.look(env_, handles.internal, now, flights_);
}

void driver::begin_in_pairs(operation& op, moment& when) {
  const int peer = op.via->among()->world_rank(op.peer);
  if (op.what == operation::kind::receive) {
    if (!paired_.keeps(op, peer, when.now())) return start(op, when);
    flights_.look_by(op.held_until, when.now());
    token_.list(kept_starts_);
    return;
  }
  start(op, when);
  operation* const partner = paired_.sent(peer, when.now(), flights_.transfers().operations());
  if (partner != nullptr) start_kept(*partner, when);
}

void driver::start_kept(operation& op, moment& when) {
  if (state_.is_given_up()) {
    tell_.settle(op, nullptr);
  } else {
    start_with_followers(op, when);
  }
}

/// Empties what is kept, for somebody else will have the token and may block with it.
void driver::start_all_kept() {
  moment when;
  for (operation* op : paired_.take_all()) start_kept(*op, when);
}

/// Starts receives that were kept for too long.
bool driver::release_kept(look which, bool worked) {
  if (paired_.empty()) return false;
  if (state_.is_given_up()) {
    start_all_kept();
    return true;
  }
  const ticks now = now_ticks();
  if (worked || !flights_.nothing()) {
    paired_.note_activity();
  } else if (which == look::again) {
    paired_.note_rest(now);
  }
  if (!paired_.is_due(now)) return false;
  moment when(now);
  const auto released = paired_.take_due(now);
  for (operation* op : released) start_kept(*op, when);
  return !released.empty();
}

bool driver::pairs_messages(environment& env, pairing wanted) {
  return wanted == pairing::where_it_pays ? env.world().uses_tcp() : wanted == pairing::always;
}

void driver::watch(awaited& what) {
  token_.acquire();
  state_.one_more();
  flights_.watch(what);
  // Its task has just asked.  To look after all the others each time that one more waits would
  // take the square of their number.
  step(state_.is_given_up() ? look::once : look::no);
  release_token();
}

void driver::serve(served_window& window) {
  token_.acquire();
  flights_.serve(window);
  release_token();
}

void driver::stop_serving(served_window& window) {
  token_.acquire();
  flights_.stop_serving(window);
  if (!paired_.empty()) flights_.look_by(paired_.next_due(), now_ticks());
  release_token();
}

/// The end of a rank on which a task failed.
bool driver::cancel(double patience_s) {
  token_.acquire();
  state_.give_up();
  step(look::no);
  for (matching_space* space : matching_.spaces()) {
    for (auto& [key, via] : space->channels) {
      for (operation* op : via->give_up()) tell_.settle(*op, nullptr);
    }
  }
  flights_.give_up_windows();
  flights_.cancel_receives();
  const ticks give_up = now_ticks() + seconds_to_ticks(patience_s);
  do {
    for (const matching_space* space : matching_.spaces()) flights_.drop_messages_to_self(*space);
    step(look::once);
  } while (flights_.mpi_uses_memory() && now_ticks() < give_up);
  const bool clean = !flights_.mpi_uses_memory();
  release_token();
  return clean;
}

message_survey driver::survey(const std::function<std::string(const operation&)>& name_of,
                              double patience_s) {
  const ticks give_up = now_ticks() + seconds_to_ticks(patience_s);
  if (!token_.acquire_unless([give_up] { return now_ticks() >= give_up; })) return {};
  message_survey found;
  try {
    step(look::no);  // what was posted counts as started
    std::vector<operation*> held_back = paired_.list();
    held_back.insert(held_back.end(), tell_.held().starts().begin(), tell_.held().starts().end());
    found = survey_messages({.transfers = flights_.transfers(),
                             .spaces = matching_.spaces(),
                             .held_back = held_back,
                             .windows = flights_.windows(),
                             .name_of = name_of,
                             .largest_tag = matching_.largest_tag(),
                             .residues = matching_.residues()});
  } catch (...) {
    release_token();
    throw;
  }
  release_token();
  return found;
}

}  // namespace plait
