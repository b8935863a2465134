// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the thread that holds the token.
#include "comm/engine/held/disturbance_queue.hpp"

#include <algorithm>

namespace plait {

bool disturbance_queue::wants(operation& op) {
  if (!is_on()) return false;
  std::uniform_real_distribution<double> uniform(0, 1);
  if (uniform(random_) >= how_.probability) return false;
  op.held_until = now_ticks() + seconds_to_ticks(uniform(random_) * how_.longest_delay_s);
  return true;
}

disturbance_queue::due_operations disturbance_queue::take_due(ticks now, bool all) {
  const auto is_due = [&](const operation* op) { return all || op->held_until <= now; };
  due_operations due;
  std::erase_if(starts_, [&](operation* op) {
    if (is_due(op)) due.starts.push_back(op);
    return is_due(op);
  });
  std::erase_if(completions_, [&](const completion& held) {
    if (is_due(held.first)) due.completions.push_back(held);
    return is_due(held.first);
  });
  std::shuffle(due.starts.begin(), due.starts.end(), random_);
  std::shuffle(due.completions.begin(), due.completions.end(), random_);
  return due;
}

}  // namespace plait
