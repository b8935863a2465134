// SPDX-License-Identifier: BSD-3-Clause
/// Tasks of mixed programs: what each accesses, what it makes of it, and the tasks it submits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plait/runtime/runtime.hpp>

#include "memory.hpp"
#include "statement.hpp"

namespace plait::test::mix {

struct planned_access {
  access_mode mode = access_mode::in;
  piece where;
  bool as_box = false;  ///< named as a view of a box, else as a span
};

/// Combined into elements of the arena, by the task's own copy of them.
struct planned_reduction {
  enum class operation : std::uint8_t { sum, minimum, maximum, product };
  operation by = operation::sum;
  bool of_words = true;
  std::size_t begin = 0;  ///< byte of the arena
  std::size_t count = 0;  ///< elements

  [[nodiscard]] piece where() const {
    return {arena_region,
            strided_bytes::of({begin, begin + count * (of_words ? sizeof(word) : 1)})};
  }
};

inline constexpr std::size_t no_target = resource_kinds;
inline constexpr std::size_t target_anyone = no_target + 1;

struct planned_task {
  std::uint64_t salt = 0;
  int spin_us = 0;
  plait::priority urgency = priority::normal;
  std::size_t target = no_target;  ///< or `target_anyone`, or a place in `rank_memory`
  bool passes_first = false;  ///< the first access is an argument; the others are only declared
  int returns = 0;
  bool is_held = false;  ///< another thread finishes it, and does its work unless it has children
  std::vector<planned_access> accesses;
  std::optional<planned_reduction> reduces;
  std::vector<planned_task> children;
};

/// Bytes of a region that tasks may touch.
struct area {
  std::size_t region = arena_region;
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// Returns the areas of a rank; the first is the most usual.
[[nodiscard]] std::vector<area> areas_of(const scene& s, int rank);

[[nodiscard]] piece random_range(generator& g, const area& of);
/// Rows at any distances, of any sign, that may overlap; nothing where they do not fit.
[[nodiscard]] std::optional<piece> random_rows(generator& g, const area& of);
[[nodiscard]] planned_access random_access(generator& g, const area& of);
[[nodiscard]] planned_task random_task(generator& g, std::span<const area> areas, bool few_children,
                                       int depth = 0);

void run_serially(rank_memory& memory, const planned_task& task);
/// Another thread releases the hold of `task` a little later.
void release_late(hold until, const planned_task& task);
void submit(runtime& rt, rank_memory& memory, const planned_task& task);
/// Submits the task and returns its result, when it has finished.
[[nodiscard]] int submit_and_get(runtime& rt, rank_memory& memory, const planned_task& task);

[[nodiscard]] std::vector<touch> touches_of(const planned_task& task);
/// The statements that have given the slots of `rank` which the task touches.
[[nodiscard]] std::vector<std::size_t> hand_overs_of(const planned_task& task, const scene& s,
                                                     int rank);
[[nodiscard]] std::string to_string(const planned_task& task);

/// Names bytes as a view of a box does.
template <class T>
struct bytes_of_box {
  using element = T;
  strided_bytes at;
  [[nodiscard]] strided_bytes strided_memory() const { return at; }
  [[nodiscard]] bytes_of_box<const T> as_const() const requires(!std::is_const_v<T>) {
    return {at};
  }
};

}  // namespace plait::test::mix
