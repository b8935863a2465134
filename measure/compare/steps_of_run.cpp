// SPDX-License-Identifier: BSD-3-Clause
#include "steps_of_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plait::measure {

void keep_steps(run_report& to, std::vector<trace_event> events, double began_s, int steps,
                const step_range& kept) {
  to.events.clear();
  to.recorded_from_s = began_s;
  if (kept.size() == 0) return;
  if (kept.size() < steps) {
    std::vector<std::pair<double, double>> tasks;  // begin and end
    for (const trace_event& e : events) {
      if (e.kind == event_kind::compute && e.name != programs_own) {
        tasks.emplace_back(e.begin_s, e.end_s);
      }
    }
    std::ranges::sort(tasks);
    const auto place = [&](int step) {
      return tasks.size() * static_cast<std::size_t>(step) / static_cast<std::size_t>(steps);
    };
    const std::size_t first = place(kept.first);
    const std::size_t last = std::min(std::max(place(kept.last), first + 1), tasks.size());
    if (first >= last) return;
    const double from_s = tasks[first].first;
    double until_s = 0;
    for (std::size_t i = first; i < last; ++i) until_s = std::max(until_s, tasks[i].second);
    std::erase_if(events,
                  [&](const trace_event& e) { return e.end_s <= from_s || e.begin_s >= until_s; });
    to.recorded_from_s = from_s;
  }
  to.events = std::move(events);
}

double waited_for_s(std::span<const trace_event> events, std::string_view part) {
  std::vector<const trace_event*> received;
  for (const trace_event& e : events)
    if (e.message && !e.message->sent) received.push_back(&e);
  const auto end_of = [](const trace_event* e) { return e->end_s; };
  std::ranges::sort(received, {}, end_of);
  double sum = 0;
  for (const trace_event& e : events) {
    if (e.kind != event_kind::exposed) continue;
    const auto after = std::ranges::upper_bound(received, e.end_s, {}, end_of);
    if (after == received.begin()) continue;
    if ((*std::prev(after))->name.find(part) != std::string::npos) sum += e.end_s - e.begin_s;
  }
  return sum;
}

}  // namespace plait::measure
