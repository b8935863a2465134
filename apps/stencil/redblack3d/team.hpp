// SPDX-License-Identifier: BSD-3-Clause
/// The threads of a node: a master and others that compute what it hands out, with a barrier after.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <plait/plait.hpp>

namespace redblack3d {

/// `threads` threads, the one that makes it being 0.  Whoever waits sleeps: threads may be more
/// than cores.
class team {
 public:
  /// `units`: the processing unit of each thread; empty: they are not bound.  The calling thread
  /// has its own mask back when the team ends.
  explicit team(int threads, const std::vector<int>& units = {}) : turn_(threads) {
    if (!units.empty()) own_.emplace(units.front());
    for (int thread = 1; thread < threads; ++thread)
      others_.emplace_back([this, thread, units] {
        std::optional<plait::bound_thread> bound;
        if (!units.empty()) bound.emplace(units[static_cast<std::size_t>(thread)]);
        while (takes_turn(thread)) continue;
      });
  }
  ~team() {
    work_ = nullptr;
    turn_.arrive_and_wait();
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  /// Calls work(thread) on every thread at once; returns when all have returned.
  void run(const std::function<void(int)>& work) {
    work_ = &work;
    (void)takes_turn(0);
  }

 private:
  /// Returns false at the end.
  [[nodiscard]] bool takes_turn(int thread) {
    turn_.arrive_and_wait();
    if (work_ == nullptr) return false;
    (*work_)(thread);
    turn_.arrive_and_wait();
    return true;
  }

  const std::function<void(int)>* work_ = nullptr;  ///< null: the end
  std::optional<plait::bound_thread> own_;
  std::barrier<> turn_;
  std::vector<std::jthread> others_;
};

}  // namespace redblack3d
