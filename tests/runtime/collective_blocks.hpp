// SPDX-License-Identifier: BSD-3-Clause
/// Random blocks of different sizes, and data to put in them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <plait/runtime/collective_calls.hpp>

namespace plait::test {

using ints = std::vector<std::int32_t>;

inline constexpr std::int32_t untouched = -77;
/// Open MPI refuses a null pointer for no elements.
inline ints empty_ints(std::size_t count) {
  ints result;
  result.reserve(std::max<std::size_t>(count, 1));
  result.assign(count, untouched);
  return result;
}

inline ints values(int rank, std::size_t count, int salt) {
  ints result = empty_ints(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = static_cast<std::int32_t>((static_cast<std::size_t>(rank + 1) * 7919 + i * 104729 +
                                           static_cast<std::size_t>(salt) * 31) %
                                          1'000'003);
  return result;
}

/// Blocks with gaps between them, in a random order.
inline std::vector<block> scattered(const std::vector<std::size_t>& counts, std::mt19937& random) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::shuffle(order, random);
  std::vector<block> blocks(counts.size());
  std::size_t end = 0;
  for (const std::size_t i : order) {
    blocks[i] = {counts[i], end};
    end += counts[i] + random() % 3;
  }
  return blocks;
}

/// Blocks, and MPI's way to say them.
struct layout {
  std::vector<block> blocks;
  std::vector<int> counts;
  std::vector<int> displacements;
  std::size_t size = 0;

  layout(const std::vector<std::size_t>& wanted, std::mt19937& random)
      : layout(scattered(wanted, random)) {}
  explicit layout(std::vector<block> placed) : blocks(std::move(placed)) {
    for (const block& b : blocks) size = std::max(size, b.displacement + b.count);
    counts.reserve(blocks.size() + 1);  // not null, see empty_ints
    displacements.reserve(blocks.size() + 1);
    for (const block& b : blocks) {
      counts.push_back(static_cast<int>(b.count));
      displacements.push_back(static_cast<int>(b.displacement));
    }
  }
};

inline int as_int(std::size_t n) {
  return static_cast<int>(n);
}

/// A third of them is zero; some are long.
inline std::size_t random_count(std::mt19937& random) {
  switch (random() % 6) {
    case 0:
    case 1:
      return 0;
    case 2:
      return random() % 5000;
    default:
      return random() % 20;
  }
}

}  // namespace plait::test
