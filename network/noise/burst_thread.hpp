// SPDX-License-Identifier: BSD-3-Clause
// A thread that takes its core away from all others, for a moment in each period.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <semaphore.h>

#include "plan.hpp"
#include "priority.hpp"

namespace plait::network::noise {

/// The sum of a core's bursts.
struct burst_account {
  std::int64_t bursts;   ///< that were done
  std::int64_t skipped;  ///< whose moment had passed when the one before ended
  nanoseconds taken;     ///< processor time of the thread, as the kernel has it
};

/// One core's bursts.  Each takes `length` of processor time, whatever interrupts it.  All
/// functions are called by the thread that made it.
class burst_thread {
 public:
  /// Starts the thread, which waits for `begin`.  Errors: `refused` where it may not go first.
  burst_thread(const burst_plan& plan, precedence how);
  ~burst_thread();

  burst_thread(const burst_thread&) = delete;
  burst_thread& operator=(const burst_thread&) = delete;

  /// Makes bursts from `origin` + phase on.  Precondition: it is called once.
  void begin(moment origin);

  /// Ends the thread, at once or at the end of its burst.  Returns what it did.
  burst_account end();

  [[nodiscard]] const burst_plan& plan() const { return plan_; }

  /// Returns how the thread goes first, in words.
  [[nodiscard]] const std::string& way() const { return way_; }

 private:
  void run(precedence how);
  void make_bursts(moment origin, nanoseconds before);
  [[nodiscard]] bool is_told_before(moment due);

  burst_plan plan_;
  std::string way_;         // written by the thread before `ready_`
  std::string refusal_;     // likewise
  moment origin_{};         // written before the first `told_`, which the thread waits for
  sem_t ready_{}, told_{};  // told: to begin, then to end
  std::atomic<std::int64_t> bursts_ = 0, skipped_ = 0;
  nanoseconds taken_{};  // written by the thread before it ends
  bool has_begun_ = false;
  std::thread thread_;
};

}  // namespace plait::network::noise
