// SPDX-License-Identifier: BSD-3-Clause
/// Finds tasks whose accesses name memory that is not there any more when they run: it has been
/// freed, or a container's elements have moved.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>

#include "task/checked/freed_memory.hpp"

namespace plait::detail {

/// An access of a task in checked mode.
struct declared_access {
  strided_bytes memory;  ///< normalised
  access_mode mode;
  int place;                                  ///< among the task's accesses, from 1
  std::optional<container> elements_of = {};  ///< what they are elements of, if they can move
  bool is_container = false;                  ///< the object itself, not its elements
};
using declared_accesses = std::unordered_map<const task_node*, std::vector<declared_access>>;

[[nodiscard]] inline std::string quoted(const char* name) {
  return std::string(1, '\'').append(name).append(1, '\'');
}

/// A span names memory for good: if that is freed before the task runs, the task must not.  A
/// container is named itself: tasks that write it may move its elements, and these alone while
/// tasks that name it are in flight.
///
/// The submitting thread's own.
class stale_accesses {
 public:
  using report = std::function<void(std::exception_ptr)>;
  /// `declared`: what tasks have declared.  `fail` is told of what nobody can throw.
  stale_accesses(const declared_accesses& declared, report fail)
      : declared_(declared), fail_(std::move(fail)) {}

  /// A new task.
  void begin(task_node& node);
  void add_container(const task_node& node, const container& c);
  /// The tasks of a graph.
  void record(const std::shared_ptr<replayed_graph>& graph);
  void begin_replay(const replayed_graph& graph);

  /// Returns the memory that has been freed since the last call, by the task `by` (null: by the
  /// program).
  [[nodiscard]] range_list collect_freed(const task_node* by);
  /// Returns the memory that elements of containers have left, in the task `node`, which has just
  /// run.
  [[nodiscard]] range_list collect_moved(const task_node& node);
  /// Errors: access_error.
  void expect_live(const task_node& node) const;
  /// Somebody names them: to be told when they are freed.
  void watch(byte_range bytes) noexcept { freed_.watch(bytes); }
  /// All tasks have finished.
  void forget();

 private:
  void lose(byte_range gone, const task_node* by, const char* how);

  const declared_accesses& declared_;
  const report fail_;
  freed_memory freed_;
  std::vector<node_ref> in_flight_;
  std::size_t prune_at_ = 64;
  std::vector<std::weak_ptr<replayed_graph>> graphs_;
  struct loss {
    std::string text;
    bool is_recorded;
  };
  /// Tasks that must not run, and the reason of each.
  std::unordered_map<const task_node*, loss> stale_;
  struct known_place {
    byte_range elements;
    std::vector<node_ref> users;
  };
  std::unordered_map<const void*, known_place> places_;
};

}  // namespace plait::detail
