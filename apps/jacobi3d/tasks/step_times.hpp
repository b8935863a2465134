// SPDX-License-Identifier: BSD-3-Clause
/// When the recorded steps began and ended, among tasks that no barrier separates.
#pragma once

#include <atomic>
#include <limits>

#include <plait/plait.hpp>

#include "support/step_range.hpp"

namespace jacobi3d {

using plait::app::step_range;

class step_times {
 public:
  /// `recorded` are the steps whose times are wanted; they begin at `begin`, if that is given.
  void start(const step_range& recorded, plait::ticks begin = not_yet) noexcept {
    recorded_ = recorded;
    first_ = begin;
    after_last_ = not_yet;
  }
  static constexpr plait::ticks not_yet = std::numeric_limits<plait::ticks>::max();

  /// A task of steps [step, step + count) begins; the first to say so counts.  Any thread.
  void note(int step, int count) noexcept {
    const auto within = [&](std::int64_t wanted, std::int64_t from) {
      return from <= wanted && wanted < from + count;
    };
    if (within(recorded_.first, step)) set(first_);
    if (within(step, recorded_.last)) set(after_last_);
  }

  [[nodiscard]] plait::ticks first() const noexcept { return first_; }
  [[nodiscard]] plait::ticks after_last() const noexcept { return after_last_; }

 private:
  static void set(std::atomic<plait::ticks>& time) noexcept {
    plait::ticks unset = not_yet;
    time.compare_exchange_strong(unset, plait::now_ticks());
  }

  step_range recorded_;
  std::atomic<plait::ticks> first_{not_yet};
  std::atomic<plait::ticks> after_last_{not_yet};
};

}  // namespace jacobi3d
