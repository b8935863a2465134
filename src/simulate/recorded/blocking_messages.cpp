// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/recorded/blocking_messages.hpp"

#include <algorithm>
#include <limits>

namespace plait::simulate {
namespace {

using task_key = std::pair<std::uint32_t, std::uint64_t>;

struct piece {
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
};

/// Says how long a task ran, in stretches of time one after the other.
class task_runs {
 public:
  void add(const recorded_run& one) { all_.push_back({one.begin_ns, one.begin_ns + one.took_ns}); }
  /// Orders the pieces, none of which reaches into the next.
  void order() {
    std::ranges::sort(all_, {}, &piece::begin_ns);
    for (std::size_t i = 1; i < all_.size(); ++i)
      all_[i - 1].end_ns = std::min(all_[i - 1].end_ns, all_[i].begin_ns);
  }
  /// Returns the time that it ran since the end of the stretch before.
  [[nodiscard]] std::uint64_t until_ns(std::uint64_t end_ns) {
    std::uint64_t sum = 0;
    for (; next_ < all_.size() && all_[next_].begin_ns < end_ns; ++next_) {
      const std::uint64_t from = std::max(all_[next_].begin_ns, since_ns_);
      const std::uint64_t to = std::min(all_[next_].end_ns, end_ns);
      if (to > from) sum += to - from;
      if (all_[next_].end_ns > end_ns) break;
    }
    pass(end_ns);
    return sum;
  }
  /// Leaves out what it ran until then.
  void pass(std::uint64_t end_ns) noexcept { since_ns_ = std::max(since_ns_, end_ns); }

 private:
  std::vector<piece> all_;
  std::size_t next_ = 0;
  std::uint64_t since_ns_ = 0;
};

/// Returns the runs of tasks, which have two or more where a call has suspended the task.
[[nodiscard]] std::map<task_key, task_runs> runs_of(const recording& from) {
  std::map<task_key, task_runs> found;
  for (const recorded_run& one : from.runs) found[{one.runtime, one.id}].add(one);
  for (auto& [_, one] : found) one.order();
  return found;
}

}  // namespace

blocking_messages::blocking_messages(const recording& from) {
  std::map<task_key, task_runs> runs = runs_of(from);
  for (std::size_t at = 0; at < from.messages.size(); ++at) {
    const recorded_message& one = from.messages[at];
    const task_key task{one.runtime, one.id};
    if (!runs.contains(task)) continue;
    std::vector<task_messages::call>& calls = of_task_[task].made.calls;
    // They were noted as they completed, those of one call together.
    const bool is_of_last =
        !calls.empty() && from.messages[calls.back().messages.front()].begin_ns == one.begin_ns;
    if (!is_of_last) calls.emplace_back();
    calls.back().messages.push_back(at);
  }
  for (auto& [task, found] : of_task_) {
    task_runs& ran = runs.at(task);
    for (task_messages::call& one : found.made.calls) {
      one.computed_ns = ran.until_ns(from.messages[one.messages.front()].begin_ns);
      for (const std::size_t at : one.messages)
        ran.pass(from.messages[at].begin_ns + from.messages[at].took_ns);
    }
    found.made.computed_ns = ran.until_ns(std::numeric_limits<std::uint64_t>::max());
  }
}

}  // namespace plait::simulate
