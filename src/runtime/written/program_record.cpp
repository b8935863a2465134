// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/written/program_record.hpp"

#include <algorithm>
#include <limits>

namespace plait {

void add_up(ledger_entry& to, const ledger_entry& one, double share) {
  to.compute_s += share * one.compute_s;
  to.posting_s += share * one.posting_s;
  to.exposed_s += share * one.exposed_s;
  to.overhead_s += share * one.overhead_s;
  to.idle_s += share * one.idle_s;
  to.held_s += share * one.held_s;
  to.wall_s += share * one.wall_s;
}

ledger_entry mean_of(const std::vector<ledger_entry>& entries) {
  ledger_entry mean;
  for (const ledger_entry& one : entries)
    add_up(mean, one, 1.0 / static_cast<double>(entries.size()));
  return mean;
}

timeline_stretch middle_of(const std::vector<traced_run>& runs, std::size_t most) {
  timeline_stretch found;
  double first_s = std::numeric_limits<double>::max();
  double last_s = std::numeric_limits<double>::lowest();
  for (const traced_run& run : runs) {
    for (const trace_event& event : run.events) {
      found.events.push_back(&event);
      first_s = std::min(first_s, event.begin_s);
      last_s = std::max(last_s, event.end_s);
    }
  }
  if (found.events.empty()) return found;
  found.origin_s = first_s;
  found.whole_s = last_s - first_s;
  std::ranges::stable_sort(found.events, {}, [](const trace_event* one) { return one->begin_s; });
  if (found.events.size() <= most) return found;
  found.is_whole = false;
  const auto first = static_cast<std::ptrdiff_t>((found.events.size() - most) / 2);
  const auto begin = found.events.begin();
  found.events.erase(begin + first + static_cast<std::ptrdiff_t>(most), found.events.end());
  found.events.erase(begin, begin + first);
  return found;
}

}  // namespace plait
