// SPDX-License-Identifier: BSD-3-Clause
/// Tells of the workers' actions, for traces.
#pragma once

#include <cstdint>
#include <string>

#include <plait/core/clock.hpp>
#include <plait/task/submitted_part.hpp>

namespace plait {

/// Is told of the workers' actions as they happen.  Called from many threads at once; must not
/// throw.
class task_observer {
 public:
  virtual ~task_observer() = default;
  /// Tells that a thread of a resource has a number of its own, behind those of the workers. Before
  /// anything else is told of the thread.  `label`: the resource's name, and which of its threads.
  virtual void thread_added(int worker, std::string label) {
    static_cast<void>(worker);
    static_cast<void>(label);
  }
  /// Tells that task `id` (order of submission, from 1) has run on `worker`.
  virtual void task_ran(int worker, const char* name, std::uint64_t id, ticks begin, ticks end) = 0;
  /// Tells that task `id` was held after its function had returned.  `worker` finishes it now.
  virtual void task_held(int worker, const char* name, std::uint64_t id, ticks begin, ticks end) {
    static_cast<void>(worker);
    static_cast<void>(name);
    static_cast<void>(id);
    static_cast<void>(begin);
    static_cast<void>(end);
  }
  /// Tells that the program ran code of its own, between two calls of plait on the submitting
  /// thread.
  virtual void program_ran(ticks begin, ticks end) {
    static_cast<void>(begin);
    static_cast<void>(end);
  }
  /// Tells that `worker` had nothing to run; `exposed` of the time communication was in flight.
  virtual void worker_idled(int worker, ticks begin, ticks end, ticks exposed) = 0;
  /// Tells that task `id` has become ready, because task `by`, the last of those it waited for, has
  /// finished.  `worker` finished `by`; -1 is a thread that is no worker.  The caller of `complete`
  /// then sees to it that no other such thread calls at the same time.
  virtual void task_released(int worker, std::uint64_t id, std::uint64_t by) = 0;
  /// Tells that the ids from `first_id` on belong to a replay, `tasks` of them to each iteration.
  virtual void replay_began(std::uint64_t first_id, std::uint64_t tasks,
                            std::uint64_t iterations) = 0;
  /// Returns true to be told of dependences, by `submitted`.  Asked once, by `scheduler::observe`.
  /// Finding them takes about as long as submitting the tasks.
  [[nodiscard]] virtual bool wants_dependences() const { return false; }
  /// Tells what has been submitted since the last call, when all of it has finished.  Submitting
  /// thread.
  virtual void submitted(submitted_part part) { static_cast<void>(part); }
};

}  // namespace plait
