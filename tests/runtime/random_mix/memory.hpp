// SPDX-License-Identifier: BSD-3-Clause
/// Memory of one rank of a mixed program, and the places in it that statements name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/array/block_array.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/task/resource.hpp>

#include "generator.hpp"

namespace plait::test::mix {

using word = std::uint32_t;
using byte = std::uint8_t;
using list = std::vector<word>;
using cells = block_array<word, 2>;
using line = block_array<word, 1>;

/// How the arrays of a job lie: one with ghosts, the same cells dealt in blocks, and a line of
/// elements of which each rank lists some.
struct array_layout {
  decomposition<2> tiles;
  decomposition<2> dealt;
  decomposition<1> along;
  std::vector<std::vector<point<1>>> listed;  ///< by rank
};

/// The arena of every rank, in words: a general part; a slot for each rank, which that one puts
/// into; and what is staged for the slot in each rank.
namespace arena {
inline constexpr std::size_t general_words = 96;
inline constexpr std::size_t slot_words = 6;
[[nodiscard]] constexpr std::size_t slot(int source) {
  return general_words + static_cast<std::size_t>(source) * slot_words;
}
[[nodiscard]] constexpr std::size_t staged(int target, int ranks) {
  return slot(ranks + target);
}
[[nodiscard]] constexpr std::size_t words(int ranks) {
  return slot(2 * ranks);
}
}  // namespace arena

/// Region 0 is the arena; then come the blocks of the array with its ghosts, those of the array
/// that is dealt, those of the line, and the values of the elements that are listed, if any are.
inline constexpr std::size_t arena_region = 0;
inline constexpr std::size_t lists = 3;
/// Of one thread and of two.
inline constexpr std::size_t resource_kinds = 2;

struct rank_memory {
  std::vector<word> words;
  cells blocks;
  cells dealt;
  line along;
  list values;  ///< of the elements that this rank lists
  std::vector<std::span<byte>> regions;
  std::array<list, lists> resized;  ///< tasks change their size
  /// Of messages with a count: how many elements were sent, and came.
  std::size_t sent_count = 0;
  std::size_t came_count = 0;
  std::vector<std::uint64_t> seen;               ///< what the program itself has read, in order
  std::array<resource, resource_kinds> targets;  ///< of the running rank's tasks

  rank_memory(const array_layout& arrays, int rank);
  rank_memory(const rank_memory&) = delete;
  rank_memory& operator=(const rank_memory&) = delete;

  void fill(generator& g);
  void copy(const rank_memory& from);
};

/// By rank.
using job_memory = std::vector<std::unique_ptr<rank_memory>>;

/// Bytes of one region; `where.begin` counts from the first of them.
struct piece {
  std::size_t region = arena_region;
  strided_bytes where;
};

[[nodiscard]] piece words_at(std::size_t first, std::size_t count);
[[nodiscard]] strided_bytes address(const rank_memory& memory, const piece& of);
[[nodiscard]] bool overlap(const piece& a, const piece& b);
/// Precondition: it is contiguous.
[[nodiscard]] std::span<byte> bytes_of(rank_memory& memory, const piece& of);
[[nodiscard]] std::span<word> words_of(rank_memory& memory, std::size_t first, std::size_t count);
[[nodiscard]] std::uint64_t hash_of(const rank_memory& memory, const piece& of);
[[nodiscard]] std::uint64_t hash_of(const list& of);
[[nodiscard]] std::string to_string(const piece& of);

/// Calls `use(byte&)` for each byte of `at`.
template <class Use>
void for_each_byte(const strided_bytes& at, Use use) {
  for_each_row(at, [&use](byte_range row) {
    for (auto p = row.begin; p < row.end; ++p) use(*reinterpret_cast<byte*>(p));
  });
}

/// Calls `use(byte&)` for each byte of a box in the order in which a message takes them: the first
/// axis fastest.
template <class Use>
void for_each_byte_sent(const strided_bytes& at, Use use) {
  strided_bytes reversed = at;
  std::ranges::reverse(reversed.axes);
  for_each_byte(reversed, use);
}

/// Something two memories may differ in.
struct spot {
  enum class kind : std::uint8_t { region, resized, seen };
  kind what = kind::region;
  std::size_t which = 0;  ///< region, list or number of what was seen
  std::size_t byte = 0;   ///< of the region

  [[nodiscard]] std::uint64_t value(const rank_memory& memory) const;
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::optional<spot> first_difference(const rank_memory& a, const rank_memory& b);

}  // namespace plait::test::mix
