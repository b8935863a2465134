// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/ranks/rotated_durations.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

namespace plait::simulate {

/// Splitmix64's steps, one for each number.
std::uint64_t drawn_number(std::uint64_t seed, std::uint64_t which, std::uint64_t of) {
  std::uint64_t value = seed;
  for (const std::uint64_t next : {which, of}) {
    value = (value ^ next) + 0x9e37'79b9'7f4a'7c15U;
    value = (value ^ (value >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    value = (value ^ (value >> 27)) * 0x94d0'49bb'1331'11ebU;
    value ^= value >> 31;
  }
  return value;
}

std::vector<std::vector<std::uint32_t>> exchangeable(const rank_template& one) {
  std::vector<std::uint64_t> next_size(one.operations.size() + 1, 0);
  for (std::size_t i = one.operations.size(); i-- > 0;) {
    const operation& what = one.operations[i];
    next_size[i] = what.kind == operation_kind::calculation ? next_size[i + 1] : what.size;
  }
  using key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;
  std::map<key, std::vector<std::uint32_t>> groups;
  std::uint64_t last_size = 0;
  for (std::uint32_t i = 0; i < one.size(); ++i) {
    const operation& what = one.operations[i];
    if (what.kind != operation_kind::calculation) {
      last_size = what.size;
    } else if (what.samples == 0 && what.size > 0) {
      groups[{what.name, last_size, next_size[i]}].push_back(i);
    }
  }
  std::vector<std::vector<std::uint32_t>> all;
  for (auto& [_, those] : groups) {
    those.erase(those.begin());
    if (those.size() > 1) all.push_back(std::move(those));
  }
  return all;
}

std::vector<std::uint64_t> usual_durations(std::span<const rank_template* const> ranks) {
  std::vector<std::uint64_t> usual(ranks.front()->operations.size());
  std::vector<std::uint64_t> those(ranks.size());
  for (std::size_t i = 0; i < usual.size(); ++i) {
    for (std::size_t r = 0; r < ranks.size(); ++r) those[r] = ranks[r]->operations[i].size;
    const auto middle = those.begin() + static_cast<std::ptrdiff_t>((those.size() - 1) / 2);
    std::ranges::nth_element(those, middle);
    usual[i] = *middle;
  }
  return usual;
}

void rotate_durations(rank_template& one, std::span<const std::uint64_t> usual,
                      const std::vector<std::vector<std::uint32_t>>& groups, std::uint64_t seed,
                      std::uint32_t rank) {
  std::vector<std::int64_t> off;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::uint32_t>& those = groups[g];
    off.clear();
    for (const std::uint32_t i : those)
      off.push_back(static_cast<std::int64_t>(one.operations[i].size - usual[i]));
    const std::size_t shift = drawn_number(seed, rank, g) % those.size();
    for (std::size_t i = 0; i < those.size(); ++i) {
      const std::int64_t made =
          static_cast<std::int64_t>(usual[those[i]]) + off[(i + shift) % those.size()];
      one.operations[those[i]].size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, made));
    }
  }
}

}  // namespace plait::simulate
