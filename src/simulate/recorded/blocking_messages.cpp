// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/blocking_messages.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace plait::simulate {
namespace {

using task_key = std::pair<std::uint32_t, std::uint64_t>;
using pieces = std::vector<const recorded_run*>;

/// Returns the runs of tasks, which have two or more where a call has suspended the task.
[[nodiscard]] std::map<task_key, pieces> runs_of(const recording& from) {
  std::map<task_key, pieces> found;
  for (const recorded_run& one : from.runs) found[{one.runtime, one.id}].push_back(&one);
  return found;
}

/// Returns how long a task ran between two times.
[[nodiscard]] std::uint64_t ran_ns(const pieces& of, std::uint64_t begin_ns, std::uint64_t end_ns) {
  std::uint64_t sum = 0;
  for (const recorded_run* one : of) {
    const std::uint64_t from = std::max(one->begin_ns, begin_ns);
    const std::uint64_t to = std::min(one->begin_ns + one->took_ns, end_ns);
    if (to > from) sum += to - from;
  }
  return sum;
}

}  // namespace

blocking_messages::blocking_messages(const recording& from) {
  const std::map<task_key, pieces> runs = runs_of(from);
  for (std::size_t at = 0; at < from.messages.size(); ++at) {
    const recorded_message& one = from.messages[at];
    const task_key task{one.runtime, one.id};
    if (!runs.contains(task)) continue;
    std::vector<task_messages::call>& calls = of_task_[task].calls;
    // They were noted as they completed, those of one call together.
    const bool is_of_last =
        !calls.empty() && from.messages[calls.back().messages.front()].begin_ns == one.begin_ns;
    if (!is_of_last) calls.emplace_back();
    calls.back().messages.push_back(at);
  }
  for (auto& [task, found] : of_task_) {
    const pieces& ran = runs.at(task);
    std::uint64_t since_ns = 0;
    for (task_messages::call& one : found.calls) {
      const recorded_message& first = from.messages[one.messages.front()];
      one.computed_ns = ran_ns(ran, since_ns, first.begin_ns);
      since_ns = first.begin_ns;
      for (const std::size_t at : one.messages)
        since_ns = std::max(since_ns, from.messages[at].begin_ns + from.messages[at].took_ns);
    }
    found.computed_ns = ran_ns(ran, since_ns, std::numeric_limits<std::uint64_t>::max());
  }
}

}  // namespace plait::simulate
