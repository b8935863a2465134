// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the thread that holds the token.
#include "comm/engine/in_flight.hpp"

#include <utility>

namespace plait {

static_assert(look_schedule::never == engine::never);

void in_flight::start_one_sided(operation& op, moment& when) {
  const bool first = nothing();
  const one_sided_service::finished_list done = windows_.start(op);
  raise_count(expectations_);
  windows_.end(done, tell_);
  if (nothing()) {
    if (!first) flight_.land(when.now());
    return;
  }
  flight_.take_off(when.now());
  looks_.posted(when.now());
}

void in_flight::watch(awaited& what) {
  const ticks now = now_ticks();
  if (nothing()) flight_.take_off(now);
  watched_.add(what);
  raise_count(expectations_);
  looks_.posted(now);
}

void in_flight::serve(served_window& window) {
  windows_.add(window);
  state_.one_more_window();
  raise_count(expectations_);
  looks_.posted(now_ticks());
}

void in_flight::stop_serving(served_window& window) {
  if (state_.is_given_up()) windows_.abandon(window, tell_);
  if (windows_.remove(window)) state_.one_window_less();
  rest_if_done();
}

bool in_flight::test_all_watched() {
  const std::vector<awaited*> ended = watched_.take_ended(state_.is_given_up());
  for (awaited* what : ended) {
    state_.one_less();
    what->completed(*what);
  }
  return !ended.empty();
}

}  // namespace plait
