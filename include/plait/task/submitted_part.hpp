// SPDX-License-Identifier: BSD-3-Clause
/// Declares what a scheduler tells of the tasks that a program has submitted, with every
/// dependence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/clock.hpp>

namespace plait {

/// Tasks and messages between two moments at which the program waited for all of them.
struct submitted_part {
  /// Most items of a scheduler that are told, and most with each iteration of a replay counted.
  static constexpr std::size_t most_items = 1'000'000;
  static constexpr std::uint64_t most_with_iterations = 4'000'000;

  enum class kind : std::uint8_t {
    task,
    message,  ///< an asynchronous node
    program,  ///< the program's own computation between two calls, on the submitting thread
  };
  struct item {
    const char* name = "";     ///< stays in place
    std::uint64_t id = 0;      ///< order of submission; 0 of the program's own computation
    std::uint64_t parent = 0;  ///< id of the task that has submitted it; 0: the program has
    ticks took = 0;            ///< of the program's own computation
    kind is = kind::task;
    std::uint32_t group =
        0;  ///< of items that were submitted as steps of one operation; 0: of none
    std::uint8_t priority = 1;  ///< `plait::priority` of a task, as a number
  };
  /// `later` begins when `earlier` has finished.  Places of items.
  struct order {
    std::uint32_t earlier = 0;
    std::uint32_t later = 0;
    friend auto operator<=>(const order&, const order&) = default;
  };

  std::vector<item> items;
  /// `commutative` tasks are ordered as they were submitted.
  std::vector<order> orders;
  /// A replay: the items of its graph, their order in an iteration and into the following one.
  /// Item i has the id first_id + iteration × repeated.size() + i.
  std::vector<item> repeated;
  std::vector<order> same;
  std::vector<order> next;
  std::uint64_t iterations = 0;
  std::uint64_t first_id = 0;
  bool is_whole = true;  ///< false: there was more than is told
};

}  // namespace plait
