// SPDX-License-Identifier: BSD-3-Clause
/// Finds accesses that tasks make and have not declared.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

#include "task/checked/byte_ranges.hpp"
#include "task/checked/page_guard.hpp"
#include "task/checked/stale_accesses.hpp"

namespace plait::detail {

/// While the body of a task runs, all bytes are forbidden that some task has named since the last
/// `forget` and this one has not; what it declares `in` is forbidden to write.
///
/// The submitting thread's own, and that thread runs all bodies, one at a time, each on a stack of
/// its own: the stack of the program may be among what is forbidden.
class access_checker {
 public:
  /// `fail` is told of what is found while nobody can throw it.
  explicit access_checker(stale_accesses::report fail) : stale_(declared_, std::move(fail)) {}

  // --- As tasks are submitted -------------------------------------------------------------------
  void begin(task_node& node);
  /// Adds an access of `node`.  Of a child it forbids others nothing: the accesses of its parent
  /// do.
  void add(task_node& node, const strided_bytes& memory, access_mode mode);
  /// Adds an access of `node` to the object of a container and to its `elements`.
  void add_container(task_node& node, const container& c, byte_range elements, access_mode mode);
  void record(const std::shared_ptr<replayed_graph>& graph) { stale_.record(graph); }
  /// The tasks of a graph, which were added while it was recorded, are to run, with ids from
  /// `first_id` on.
  void add_replayed(const replayed_graph& graph, std::uint64_t first_id);
  /// All tasks have finished.
  void forget();
  /// The program has seen that some have, and may free what only they name.
  void forget_finished();

  // --- As they run ------------------------------------------------------------------------------
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
  /// Before a message is started, and before a replay begins.  The submitting thread.  Errors:
  /// access_error when memory that it names is gone.
  void expect_live(const task_node& message);
  void expect_live(const replayed_graph& graph);
  /// Someone else may read what `node` declares, which cannot be seen to here: a message that has
  /// been started, a task that is suspended in a call of MPI.  Any thread.
  /// `is_held`: other threads of this process use it, and may write what it declares as written.
  void began_elsewhere(const task_node& node, bool is_held = false);
  void ended_elsewhere(const task_node& node);

 private:
  /// Accesses that only differ in their tasks' ids.
  using name_key = std::tuple<strided_bytes, const char*, int, access_mode, node_kind>;
  struct name_ids {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    node_ref last_task;
    bool is_container = false;
  };

  void name(const task_node& node, const declared_access& access) {
    name(node, access, node.id.load(std::memory_order_relaxed));
  }
  void name(const task_node& node, const declared_access& access, std::uint64_t id);
  void register_rows(const strided_bytes& memory, bool of_container);
  void register_again();
  void find_containers(const task_node& node);
  void drop(const range_list& gone);
  void guard(const task_node& node);
  void leave(body& running);
  [[nodiscard]] std::string describe(const body& ran) const;
  [[nodiscard]] std::string describe(const task_node& node, const touched_bytes& touched) const;
  [[nodiscard]] const std::pair<const name_key, name_ids>* namer(const task_node& node,
                                                                 std::uintptr_t byte) const;

  page_guard guard_;
  declared_accesses declared_;
  stale_accesses stale_;
  std::map<name_key, name_ids> names_;
  byte_ranges registered_;          ///< to read
  byte_ranges registered_objects_;  ///< of containers; anybody may see how many elements there are
  std::vector<guarded_pages> mappings_;  ///< of this process, when `registered_` grew last
  bool grown_ = false;
  std::atomic_flag elsewhere_busy_;  ///< any thread completes a message
  struct used_elsewhere {
    const task_node* node;
    bool is_held;
  };
  std::vector<used_elsewhere> elsewhere_;
  body* running_ = nullptr;
};

}  // namespace plait::detail
