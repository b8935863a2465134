// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "attach/after/analysis.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

/// Shares of a run.  Every machine does a little besides.
constexpr double worth_a_word = 0.02;
constexpr double spoils_waits = 0.1;

[[nodiscard]] int count(const core_set& cores) noexcept {
  int found = 0;
  for (const std::uint64_t part : cores) found += std::popcount(part);
  return found;
}

[[nodiscard]] double crowd_of(const core_group& one) noexcept {
  return one.ranks > 0 ? 1.0 * one.ranks / count(one.cores) : 0;
}

/// Returns the cores with the most ranks each: those of a machine, or those that some of its ranks
/// have and no others.
[[nodiscard]] core_group find_crowd(const job_share& all) {
  std::map<std::uint64_t, core_group> machines;
  for (const auto& [key, bound] : all.cores) machines[bound.boot].add(bound);
  core_group worst;
  const auto weigh = [&](const core_group& one) {
    if (crowd_of(one) > crowd_of(worst)) worst = one;
  };
  for (const auto& [boot, machine] : machines) weigh(machine);
  for (const auto& [key, bound] : all.cores) weigh(bound);
  return worst;
}

[[nodiscard]] std::string cores_text(int cores) {
  return filled("{} core{}", cores, cores == 1 ? "" : "s");
}

}  // namespace

core_sharing find_core_sharing(const job_share& all, const analysis& run) {
  core_sharing found;
  const bool is_known = all.counts.queued_unknown == 0;
  found.queued_s = is_known ? std::min(all.counts.queued_s, run.all_s()) : -1;
  const core_group crowd = find_crowd(all);
  const int cores = count(crowd.cores);
  const bool is_crowded = crowd_of(crowd) > 1;
  if (!is_crowded && found.queued_s < worth_a_word * run.all_s()) return found;
  if (is_crowded) {
    found.says = filled("{} ranks share {} of {}.", crowd.ranks, cores_text(cores), crowd.host);
  }
  if (found.queued_s >= 0) {
    found.says += filled("{}A rank waits {} for a core{}.", is_crowded ? " " : "",
                         of_a_rank_text(run, found.queued_s),
                         is_crowded ? "" : " that other programs or threads have");
  }
  found.spoils_waits = is_crowded || found.queued_s >= spoils_waits * run.all_s();
  if (!found.spoils_waits) return found;
  found.says += " Waits are for cores then, and say nothing of messages. ";
  found.says += is_crowded ? filled("Run at most {} rank{} there, and measure again.", cores,
                                    cores == 1 ? "" : "s")
                           : "Measure again where each rank has a core of its own.";
  return found;
}

}  // namespace plait::attach
