// SPDX-License-Identifier: BSD-3-Clause
#include "binding.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace redblack3d {
namespace {

[[nodiscard]] bool share_units(const plait::environment& env) {
  const auto& all = env.node_units();
  const auto& own = all[static_cast<std::size_t>(env.node_rank())];
  const auto is_own = [&own](int unit) { return std::ranges::binary_search(own, unit); };
  for (int rank = 0; rank < env.node_size(); ++rank)
    if (rank != env.node_rank() && std::ranges::any_of(all[static_cast<std::size_t>(rank)], is_own))
      return true;
  return false;
}

}  // namespace

binding bind_sets(const policy& how, std::vector<plait::memory_domain> domains, bool shared) {
  const auto off = [](std::string why) { return binding{{}, {}, "off: " + std::move(why)}; };
  if (how.share != policy::sharing::irregular) return off("no sets of threads");
  if (domains.size() < 2) return off("one memory domain");
  if (shared) return off("other processes may use the same cores");
  std::ranges::stable_sort(domains, std::ranges::greater{},
                           [](const auto& one) { return one.units.size(); });
  const int sets[] = {(how.threads + 1) / 2, how.threads / 2};
  binding result;
  for (std::size_t set = 0; set < 2; ++set) {
    const auto& units = domains[set].units;
    if (static_cast<std::size_t>(sets[set]) > units.size())
      return off(fmt::format("a set has {} threads, and its memory domain {} cores", sets[set],
                             units.size()));
    for (int thread = 0; thread < sets[set]; ++thread) {
      result.unit_of_thread.push_back(units[static_cast<std::size_t>(thread)]);
      result.domain_of_thread.push_back(domains[set].number);
    }
  }
  result.said = fmt::format("{} threads on domain {}, {} on domain {}", sets[0], domains[0].number,
                            sets[1], domains[1].number);
  return result;
}

binding bind_sets(const plait::environment& env, const policy& how) {
  if (how.share != policy::sharing::irregular) return bind_sets(how, {}, false);
  return bind_sets(how, plait::memory_domains(), share_units(env));
}

}  // namespace redblack3d
