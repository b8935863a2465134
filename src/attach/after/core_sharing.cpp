// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>

#include "attach/after/analysis.hpp"
#include "core/filled.hpp"

namespace plait::attach {
namespace {

using core_set = std::array<std::uint64_t, most_cores / 64>;

/// Shares of a run.  Every machine does a little besides.
constexpr double worth_a_word = 0.02;
constexpr double spoils_waits = 0.1;

[[nodiscard]] core_set cores_of(const rank_profile& rank) noexcept {
  core_set cores;
  std::copy_n(rank.header.cores, cores.size(), cores.begin());
  return cores;
}

[[nodiscard]] int count(const core_set& cores) noexcept {
  int found = 0;
  for (const std::uint64_t part : cores) found += std::popcount(part);
  return found;
}

/// Ranks of one host, and the cores that they have among them.
struct rank_group {
  std::string host;
  core_set cores{};
  int ranks = 0;

  void add(const rank_profile& one, const core_set& its) {
    const std::string name = one.header.host;
    host = ranks == 0 || host == name ? name : "one machine";
    for (std::size_t i = 0; i < cores.size(); ++i) cores[i] |= its[i];
    ++ranks;
  }
  [[nodiscard]] double crowd() const noexcept { return ranks > 0 ? 1.0 * ranks / count(cores) : 0; }
};

/// Returns the cores with the most ranks each: those of a machine, or those that some of its ranks
/// have and no others.  Hosts that are containers of one machine share its cores.
[[nodiscard]] rank_group find_crowd(std::span<const rank_profile> ranks) {
  std::map<std::uint64_t, rank_group> machines;
  std::map<std::pair<std::uint64_t, core_set>, rank_group> bound;
  for (const rank_profile& one : ranks) {
    const core_set cores = cores_of(one);
    if (count(cores) == 0) continue;  // not known
    machines[one.header.boot].add(one, cores);
    bound[{one.header.boot, cores}].add(one, cores);
  }
  rank_group worst;
  const auto weigh = [&](const rank_group& one) {
    if (one.crowd() > worst.crowd()) worst = one;
  };
  for (const auto& [boot, machine] : machines) weigh(machine);
  for (const auto& [key, some] : bound) weigh(some);
  return worst;
}

/// Returns the sum over ranks without what this library's own threads took; -1 where a rank does
/// not know.
[[nodiscard]] double sum_of_queued(std::span<const rank_profile> ranks) noexcept {
  double sum_s = 0;
  for (const rank_profile& one : ranks) {
    if (one.header.queued_s < 0) return -1;
    sum_s += std::max(0.0, one.header.queued_s - one.header.look_cpu_s);
  }
  return sum_s;
}

[[nodiscard]] std::string cores_text(int cores) {
  return filled("{} core{}", cores, cores == 1 ? "" : "s");
}

}  // namespace

core_sharing find_core_sharing(std::span<const rank_profile> ranks, const analysis& run) {
  core_sharing found;
  found.queued_s = std::min(sum_of_queued(ranks), run.all_s());
  const rank_group crowd = find_crowd(ranks);
  const int cores = count(crowd.cores);
  const bool is_crowded = crowd.crowd() > 1;
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
