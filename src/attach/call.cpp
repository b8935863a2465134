// SPDX-License-Identifier: BSD-3-Clause
#include "attach/call.hpp"

#include <algorithm>

namespace plait::attach {

thread_local constinit thread_data own_thread;
ticks long_computation = INT64_MAX;

/// The processor clock is a system call: it is read only after calls that long computation followed
/// the last time, and only where this one was long too.
void call::end_of_long_computation() noexcept {
  if (own_thread.last_site < 0) return;
  site_data& before = attached.notes.site(own_thread.last_site);
  before.is_long = 1;
  if (!own_thread.knows_processor_time) return;
  const std::int64_t used = processor_ns() - own_thread.processor_ns_at_exit;
  const double used_s = 1e-9 * static_cast<double>(used);
  before.stolen += std::max<ticks>(0, computed_ - seconds_to_ticks(used_s));
  before.watched += computed_;
}

}  // namespace plait::attach
