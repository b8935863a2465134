// SPDX-License-Identifier: BSD-3-Clause
/// The graph every runner runs: a pattern spelt out for some steps, its data, and the answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pattern.hpp"

namespace plait::bench::metg {

/// Holds what a task writes: one line of cache.
struct alignas(64) cell {
  std::uint64_t value = 0;
  double computed = 0;
};

struct point_task {
  long point = 0;
  cell* output = nullptr;
  std::vector<const cell*> inputs;
};

/// A cell that a rank needs from another, or the other way round.
struct message {
  long point = 0;  ///< also its tag
  cell* what = nullptr;
  int peer = 0;
};

/// One step as one rank sees it.
struct graph_step {
  std::vector<point_task> tasks;  ///< its own
  std::vector<message> sends;     ///< of these tasks' outputs, to whom the next step needs them
  std::vector<message> receives;  ///< of what the next step needs from others
};

/// Points are dealt to ranks in blocks.  A step's cells are used again `fields` steps later, so
/// that false dependences stay far away and a recorded stretch of `fields` steps repeats.
class task_graph {
 public:
  /// `steps` is rounded up to a multiple of fields.
  task_graph(const pattern& shape, long steps, int rank, int ranks);

  [[nodiscard]] long steps() const noexcept { return steps_; }
  [[nodiscard]] long fields() const noexcept { return fields_; }
  [[nodiscard]] long tasks() const noexcept { return tasks_; }  ///< of all ranks
  /// Step 2 * fields - 1 and those before it are there even when there are fewer.
  [[nodiscard]] graph_step& at(long step) { return all_[static_cast<std::size_t>(step)]; }
  /// Returns whether steps [0, fields) are those of any other such stretch, but for inputs that are
  /// 0.
  [[nodiscard]] bool repeats_from_the_start() const noexcept { return shape_.ramp() <= 1; }

  [[nodiscard]] std::span<cell> cells() noexcept { return cells_; }

  void reset();
  /// Errors: plait::error unless this rank's cells hold what running the graph leaves in them.
  void verify() const;

 private:
  [[nodiscard]] int owner(long point) const noexcept;
  [[nodiscard]] cell* at(long step, long point);
  [[nodiscard]] graph_step spelt_out(long step);
  [[nodiscard]] std::vector<std::uint64_t> expected() const;

  pattern shape_;
  int rank_;
  int ranks_;
  long fields_;
  long steps_;
  long tasks_ = 0;
  std::vector<cell> cells_;
  std::vector<graph_step> all_;
  std::vector<std::uint64_t> expected_;  ///< values of the last step
};

/// Runs a task: computes, and makes of its inputs what `verify` expects.
void run_point(const point_task& task, long iterations);

}  // namespace plait::bench::metg
