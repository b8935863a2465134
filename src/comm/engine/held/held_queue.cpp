// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the thread that holds the token.
#include "comm/engine/held/held_queue.hpp"

#include <algorithm>

#include <plait/core/error.hpp>

namespace plait {

void held_queue::hold(const entry& one) {
  entries_.push_back(one);
  next_due_ = std::min(next_due_, one.until);
  shortest_rest_ = std::min(shortest_rest_, one.rest);
  rests_since_ = never;
}

void held_queue::release(const operation& op) {
  const auto found = std::ranges::find(entries_, &op, &entry::op);
  PLAIT_EXPECTS(found != entries_.end(), "an operation that is held");
  entries_.erase(found);
  if (!empty()) return;
  next_due_ = shortest_rest_ = never;
}

/// In the order in which they were held.
std::vector<held_queue::entry> held_queue::take(const auto& which) {
  std::vector<entry> taken;
  next_due_ = shortest_rest_ = never;
  std::erase_if(entries_, [&](const entry& one) {
    if (which(one)) {
      taken.push_back(one);
      return true;
    }
    next_due_ = std::min(next_due_, one.until);
    shortest_rest_ = std::min(shortest_rest_, one.rest);
    return false;
  });
  return taken;
}

std::vector<held_queue::entry> held_queue::take_due(ticks now) {
  const ticks rested = rests_since_ == never ? 0 : now - rests_since_;
  return take([&](const entry& one) { return one.until <= now || one.rest <= rested; });
}

std::vector<held_queue::entry> held_queue::take_all(why reason) {
  return take([reason](const entry& one) { return one.reason == reason; });
}

}  // namespace plait
