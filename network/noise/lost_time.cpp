// SPDX-License-Identifier: BSD-3-Clause
#include "lost_time.hpp"

#include <algorithm>

namespace plait::network::noise {

double lost_time::share() const {
  const nanoseconds all = last_ - first_;
  if (all.count() == 0) return 0;
  return static_cast<double>(lost_.count()) / static_cast<double>(all.count());
}

counting_window window_of(const burst_plan& plan, moment origin, nanoseconds least) {
  const moment begin = origin + plan.phase - (plan.period - plan.length) / 2;
  const auto periods = std::max<nanoseconds::rep>(
      1, (least.count() + plan.period.count() - 1) / plan.period.count());
  return {begin, begin + periods * plan.period};
}

}  // namespace plait::network::noise
