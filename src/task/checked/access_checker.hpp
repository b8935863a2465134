// SPDX-License-Identifier: BSD-3-Clause
/// Finds accesses that tasks make and have not declared.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

#include "task/checked/byte_ranges.hpp"
#include "task/checked/page_guard.hpp"

namespace plait::detail {

/// While the body of a task runs, all bytes are forbidden that some task has named since the last
/// `forget` and this one has not; what it declares `in` is forbidden to write.
///
/// The submitting thread's own, and that thread runs all bodies, one at a time, each on a stack of
/// its own: the stack of the program may be among what is forbidden.
class access_checker {
 public:
  // As tasks are submitted
  // --------------------------------------------------------------------------------------
  void begin(task_node& node);
  /// What a task submits names no data for others: its parent's accesses do.
  void add(task_node& node, const strided_bytes& memory, access_mode mode);
  /// The tasks of a graph, which were added while it was recorded, are to run.
  void add_replayed(std::deque<task_node>& nodes);
  /// All tasks have finished.
  void forget();
  /// The program has seen that some have, and may free what only they name.
  void forget_finished();

  // As they run
  // -------------------------------------------------------------------------------------------------
  /// A body whose accesses are checked.
  struct body {
    const task_node* node = nullptr;
    std::vector<touched_bytes> touched;
    body* outer = nullptr;
    int pauses = 0;
  };
  /// Runs the task.  Errors: access_error, instead of what it throws itself; what it throws.
  void run(task_node& node, node_action action);
  /// From the body, before it leaves its stack; `resume` after it has come back.
  [[nodiscard]] body* suspend();
  void resume(body* suspended);
  /// For calls that may touch anybody's data.  In pairs; nothing outside of a body.
  void pause() noexcept;
  void unpause() noexcept;
  /// Someone else may read what `node` declares, which cannot be seen to here: a message that has
  /// been started, a task that is suspended in a call of MPI.  Any thread.
  void began_elsewhere(const task_node& node);
  void ended_elsewhere(const task_node& node);

 private:
  struct declared {
    strided_bytes memory;  ///< normalised
    access_mode mode;
    int place;  ///< among the task's accesses, from 1
  };
  /// Accesses that only differ in their tasks' ids.
  using name_key = std::tuple<strided_bytes, const char*, int, access_mode, node_kind>;
  struct name_ids {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    node_ref last_task;
  };

  void name(task_node& node, const declared& access);
  void guard(const task_node& node);
  void leave(body& running);
  [[nodiscard]] std::string describe(const body& ran) const;
  [[nodiscard]] std::string describe(const task_node& node, const touched_bytes& touched) const;
  [[nodiscard]] const std::pair<const name_key, name_ids>* namer(const task_node& node,
                                                                 std::uintptr_t byte) const;

  page_guard guard_;
  std::unordered_map<const task_node*, std::vector<declared>> declared_;
  std::map<name_key, name_ids> names_;
  byte_ranges registered_;
  std::vector<guarded_pages> mappings_;  ///< of this process, when `registered_` grew last
  bool grown_ = false;
  std::atomic_flag elsewhere_busy_;  ///< any thread completes a message
  std::vector<const task_node*> elsewhere_;
  body* running_ = nullptr;
};

}  // namespace plait::detail
