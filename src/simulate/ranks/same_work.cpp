// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/same_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace plait::simulate {
namespace {

/// Calls have durations of their own (`collective_call::task_ns`).
[[nodiscard]] bool has_duration(const operation& one) {
  return one.kind == operation_kind::calculation && one.samples == 0;
}

[[nodiscard]] double duration_of_all(const rank_template& rank) {
  double sum_ns = 0;
  for (const operation& one : rank.operations)
    if (has_duration(one)) sum_ns += static_cast<double>(one.size);
  return sum_ns;
}

/// Durations by the name of the operation, in order, rank after rank.
using named_durations = std::map<std::uint32_t, std::vector<std::uint64_t>>;

void take_by_name(rank_template& rank, const named_durations& known, double usual_ns) {
  std::map<std::uint32_t, std::size_t> taken;
  for (operation& one : rank.operations) {
    const auto those = known.find(one.name);
    if (!has_duration(one) || those == known.end()) continue;
    one.size = those->second[taken[one.name]++ % those->second.size()];
  }
  const double factor = usual_ns / std::max(duration_of_all(rank), 1.0);
  for (operation& one : rank.operations)
    if (has_duration(one))
      one.size = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(one.size)));
}

}  // namespace

void take_durations_of_first(std::span<recorded_calls> recorded,
                             const common_structure& structure) {
  const call_program& source = recorded.front().program;  // whose ranks keep theirs
  const program& first = source.operations;
  named_durations known;
  double usual_ns = 0;
  for (std::uint32_t rank = 0; rank < first.ranks(); ++rank) {
    for (const operation& one : first.of_rank(rank).operations)
      if (has_duration(one)) known[one.name].push_back(one.size);
    usual_ns += duration_of_all(first.of_rank(rank)) / first.ranks();
  }
  for (const auto& [_, of] : structure.classes) {
    std::size_t shared = 0;
    while (shared < of.members.size() && of.members[shared].recording == 0) ++shared;
    for (std::size_t m = shared; m < of.members.size(); ++m) {
      call_program& own = recorded[of.members[m].recording].program;
      program& all = own.operations;
      rank_template& rank = all.templates[all.template_of[of.members[m].rank]];
      if (shared == 0) {
        take_by_name(rank, known, usual_ns);
        continue;
      }
      const rank_template& same = first.of_rank(of.members[m % shared].rank);
      for (std::uint32_t i = 0; i < rank.size(); ++i) {
        operation& one = rank.operations[i];
        if (has_duration(one)) one.size = same.operations[i].size;
        if (const collective_call* call = source.call_of(same.operations[i]))
          own.calls[one.samples - 1].task_ns = call->task_ns;
      }
    }
  }
}

}  // namespace plait::simulate
