// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/runtime/runtime.hpp>

#include "runtime/written/program_record.hpp"

namespace plait {

std::vector<trace_event> collect_events(environment& env, std::vector<trace_event> events) {
  return gather_events(env, std::move(events), env.measure_clock_offset().offset_s);
}

std::vector<trace_event> gather_events(environment& env, std::vector<trace_event> events,
                                       double offset_s) {
  for (trace_event& e : events) {
    e.begin_s += offset_s;
    e.end_s += offset_s;
  }
  std::vector<trace_event> all;
  for (const std::string& packed : env.gather(pack_events(events))) {
    auto some = unpack_events(packed);
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  }
  std::stable_sort(all.begin(), all.end(), [](const trace_event& a, const trace_event& b) {
    return std::tie(a.begin_s, a.rank) < std::tie(b.begin_s, b.rank);
  });
  return all;
}

}  // namespace plait
