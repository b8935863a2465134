// SPDX-License-Identifier: BSD-3-Clause
/// Adds up how long something takes that is done again and again.
#pragma once

#include <plait/plait.hpp>

namespace plait::measure {

/// Those of different threads are on different cache lines.
class alignas(64) time_spent {
 public:
  template <class Work>
  void measure(Work&& work) {
    const ticks start = now_ticks();
    work();
    spent_ += now_ticks() - start;
  }
  [[nodiscard]] double seconds() const noexcept { return ticks_to_seconds(spent_); }

 private:
  ticks spent_ = 0;
};

}  // namespace plait::measure
