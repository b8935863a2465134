// SPDX-License-Identifier: BSD-3-Clause
// The steps run in whichever thread holds the token; the rest takes it first.
#include "comm/engine/driver.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <plait/core/error.hpp>

#include "comm/matching/message_survey.hpp"
#include "comm/native.hpp"

namespace plait {

/// Starts what was posted, `here` too, and, if it looks, completes what has finished; callbacks may
/// post in turn.
bool driver::step(look which, operation* here) {
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
  if (!tell_.held().empty()) worked = release_held(which, worked) || worked;
  while (drain()) worked = true;
  flights_.rest_if_done();
  if (!tell_.held().empty()) flights_.look_by(tell_.held().next_due(), now_ticks());
  return worked;
}

/// Takes up what was posted, unless another thread does.
[[gnu::noinline]] void driver::take_up_posted() {
  while (state_.any_posted() && token_.try_acquire()) {
    step(look::no);
    token_.release();
  }
}

bool driver::release_held(look which, bool worked) {
  held_queue& held = tell_.held();
  const bool all = state_.is_given_up();
  const ticks now = now_ticks();
  if (worked || !flights_.nothing()) {
    held.note_activity();
  } else if (which == look::again) {
    held.note_rest(now);
  }
  if (!all && !held.is_due(now)) return false;
  auto released = held.take_due(all ? held_queue::never : now);
  start_alone(released, !all);
  tell_.random().reorder(released);
  moment when(now);
  for (const auto& [op, reason, until, rest, failure] : released) {
    switch (reason) {
      case held_queue::why::for_its_send:
        start_kept(*op, when);
        break;
      case held_queue::why::delayed_start:
        admit(*op, when);
        break;
      case held_queue::why::delayed_completion:
        tell_.settle(*op, failure);
        break;
    }
  }
  return !released.empty();
}

/// The places are this thread's to take, and the token's holder counts what has been started.
bool driver::leave_out(std::span<channel* const> channels) {
  const bool has_token = mpi_token::any_held_here();
  if (!has_token && !token_.try_acquire()) return false;
  bool leaves_out = true;
  for (channel* via : channels) leaves_out = leaves_out && via->may_leave_out();
  for (channel* via : leaves_out ? channels : std::span<channel* const>()) via->leave_out();
  if (!has_token) release_token();
  return leaves_out;
}

void driver::look_for_departures() {
  auto& handles = native_access::of(env_);
  const ticks now = flights_.looks().last();
  if (!handles.left.is_due(now) || state_.is_given_up()) return;
  handles.left.look(env_, handles.internal, now, flights_);
}

void driver::begin_in_pairs(operation& op, moment& when) {
  const int peer = op.via->among()->world_rank(op.peer);
  held_queue& held = tell_.held();
  if (op.what == operation::kind::receive) {
    const auto waits = paired_.keeps(op, peer, when.now());
    if (!waits) return flights_.start(op, when);
    held.hold({&op, held_queue::why::for_its_send, waits->until, waits->rest});
    flights_.look_by(waits->until, when.now());
    token_.list(kept_starts_);
    return;
  }
  flights_.start(op, when);
  operation* const partner = paired_.sent(peer, when.now(), flights_.transfers().operations());
  if (partner == nullptr) return;
  held.release(*partner);
  start_kept(*partner, when);
}

void driver::start_kept(operation& op, moment& when) {
  if (state_.is_given_up()) {
    tell_.settle(op, nullptr);
  } else {
    channel& via = *op.via;  // after its start `op` may be gone
    flights_.start(op, when);
    begin_parked(via, when);
  }
}

/// Says so of those among `released` that waited for their sends.  Before any of them starts: a
/// start may complete at once, and what is posted then must not be paired with the others.
void driver::start_alone(std::span<const held_queue::entry> released, bool have_failed) {
  for (const held_queue::entry& one : released) {
    if (one.reason != held_queue::why::for_its_send) continue;
    paired_.starts_alone(*one.op, one.op->via->among()->world_rank(one.op->peer), have_failed);
  }
}

/// Somebody else will have the token, and may block with it.
void driver::start_all_kept() {
  moment when;
  const auto kept = tell_.held().take_all(held_queue::why::for_its_send);
  start_alone(kept, false);
  for (const held_queue::entry& one : kept) start_kept(*one.op, when);
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
  if (!tell_.held().empty()) flights_.look_by(tell_.held().next_due(), now_ticks());
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
    std::vector<operation*> held_back;
    for (const auto& one : tell_.held().list()) {
      if (one.reason != held_queue::why::delayed_completion) held_back.push_back(one.op);
    }
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
