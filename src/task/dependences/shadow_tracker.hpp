// SPDX-License-Identifier: BSD-3-Clause
/// Finds every dependence of what a program submits, for a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <plait/core/clock.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/dependence_tracker.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/task_observer.hpp>

namespace plait::detail {

class replayed_graph;

/// Submits a node that never runs for each task, to trackers of its own.  The scheduler's trackers
/// forget a dependence on a task that has finished, and on another machine that task may not have
/// finished yet.
///
/// Tasks submit tasks from any thread: one mutex.  The nodes live until the program has waited for
/// all tasks.
class shadow_tracker {
 public:
  /// `told` outlives this.
  explicit shadow_tracker(task_observer& told) : told_(told) {}

  /// Adds the program's own computation; spells of less than 1 µs are added up.
  void program_ran(ticks took);
  /// Begins the submission of a task; `parent`: the id of the task that submits it, or 0; `group`:
  /// as in `submitted_part::item`.
  void begins(const task_node& node, std::uint64_t parent, std::uint32_t group);
  void declares(const task_node& node, const strided_bytes& memory, access_mode mode,
                const void* operation);
  void program_waits_for(const task_node& node);
  /// Keeps the priority of a task that has run.  It is given after the submission has begun, and a
  /// replay measures it.
  void ran(const task_node& node);
  void replay_begins(const replayed_graph& graph, std::uint64_t first_id);
  /// Tells the observer what there is, and forgets it.
  void all_finished();

 private:
  using place = std::uint32_t;

  [[nodiscard]] std::optional<place> add(const submitted_part::item& what);
  void add_orders();

  task_observer& told_;
  std::mutex mutex_;
  submitted_part part_;
  std::deque<task_node> nodes_;  ///< of `part_.items`
  /// Of the program's tasks (0), and of those that each task submits, by its id.
  std::map<std::uint64_t, dependence_tracker> trackers_;
  std::unordered_map<const task_node*, place> open_;  ///< of nodes in their present life
  std::optional<place> last_wait_;  ///< what the program submits begins after this
  ticks owed_ = 0;                  ///< spells that were too short
  std::size_t items_ = 0;           ///< told and kept
  std::uint64_t with_iterations_ = 0;
  bool is_full_ = false;
  const ticks shortest_spell_ = seconds_to_ticks(1e-6);
};

}  // namespace plait::detail
