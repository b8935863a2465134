// SPDX-License-Identifier: BSD-3-Clause
/// Notes when each phase, the exchange for a colour and its sweep, began, and how long its parts
/// took.
#pragma once

#include <utility>
#include <vector>

#include <plait/plait.hpp>

#include "measure/compare/phases.hpp"
#include "problem.hpp"

namespace redblack3d {

/// Returns the ranks that send ghosts to this one, as often as they send.
[[nodiscard]] inline std::vector<int> senders_to(const problem& p) {
  const auto& blocks = p.whole().blocks();
  std::vector<int> senders;
  for (const auto& one : plait::ghost_copies(blocks, plait::ghost_reach::faces, p.rank()))
    if (blocks.rank_of(one.destination) == p.rank()) senders.push_back(blocks.rank_of(one.source));
  return senders;
}

/// Notes phases of one thread.  Cost of a mark: one reading of the clock.
class phase_watch {
 public:
  void begins() {
    last_ = plait::now_ticks();
    record_.begun_s.push_back(plait::ticks_to_seconds(last_));
  }
  // In this order, once each, after `begins`.
  void posted() { mark(record_.posted_s); }
  void swept_inner() { mark(record_.inner_s); }
  void waited() { mark(record_.waited_s); }
  void swept_after() { mark(record_.after_s); }

  [[nodiscard]] plait::measure::phase_record& record() noexcept { return record_; }
  [[nodiscard]] const plait::measure::phase_record& record() const noexcept { return record_; }

 private:
  void mark(std::vector<double>& to) {
    const plait::ticks now = plait::now_ticks();
    to.push_back(plait::ticks_to_seconds(now - std::exchange(last_, now)));
  }

  plait::measure::phase_record record_;
  plait::ticks last_ = 0;
};

}  // namespace redblack3d
