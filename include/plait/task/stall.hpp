// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a scheduler sees when nothing moves: the tasks in flight, and what each waits
/// for.  Not here: peers and sizes of messages, of which tasks know nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/task/detail/node.hpp>

namespace plait {

/// Valid during the call it is passed to.  What is in flight is seen while other threads work on
/// it: if something moves after all, parts may be a moment older than others.
struct stall {
  enum class state : std::uint8_t {
    waiting,    ///< for earlier tasks
    ready,      ///< to run; no worker has come to it
    running,    ///< its function
    started,    ///< asynchronous, and not completed
    suspended,  ///< off its worker until what it waits for is there
    on_hold,    ///< its function has returned, and holds are open
  };
  struct task {
    /// Name and kind may be read, and those stored members that starting and finishing the node
    /// neither change nor destroy.
    const detail::task_node* node = nullptr;
    state is = state::waiting;
    std::uint64_t iteration = 0;  ///< of a replay, from 1; 0 for a task that was submitted itself
    int worker = -1;              ///< that runs it; of a resource, which of its threads
    const char* resource = "";    ///< that runs it, if no worker does
    double running_s = 0;
    std::vector<std::size_t> waits_for = {};  ///< places in `tasks`, of unfinished tasks
  };

  /// A task that is held; also one that a task has submitted.
  struct held_task {
    const char* name = "";
    std::uint64_t iteration = 0;  ///< as of `task`
    double held_s = 0;
  };

  /// Nothing has started or finished for so long: what waits has waited at least so long.
  double quiet_s = 0;
  /// In the order of submission; of a replay each recorded task once, as what it is to do next.
  std::vector<task> tasks;
  std::vector<held_task> held = {};  ///< longest first
};

}  // namespace plait
