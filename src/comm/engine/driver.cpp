// SPDX-License-Identifier: BSD-3-Clause
// The steps run in whichever thread holds the token; the rest takes it first.
#include "comm/engine/driver.hpp"

#include "comm/engine/message_survey.hpp"

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
  }
  worked = release_held() || worked;
  while (drain()) worked = true;
  flights_.rest_if_done();
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

void driver::watch(awaited& what) {
  token_.acquire();
  state_.one_more();
  flights_.watch(what);
  step(look::once);  // and, after `cancel`, gives it up
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
    found = survey_messages({.transfers = flights_.transfers(),
                             .spaces = matching_.spaces(),
                             .held_back = tell_.held().starts(),
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
