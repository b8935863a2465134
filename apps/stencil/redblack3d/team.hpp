// SPDX-License-Identifier: BSD-3-Clause
/// The threads of a node: a master and others that compute what it hands out, with a barrier after.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include <plait/plait.hpp>

namespace redblack3d {

/// Holds what one thread has computed; of different threads on different cache lines.
struct alignas(64) busy_time {
  plait::ticks spent = 0;

  /// Calls `work` and adds what it takes.
  template <class Work>
  void measure(Work&& work) {
    const plait::ticks start = plait::now_ticks();
    work();
    spent += plait::now_ticks() - start;
  }
};

/// `threads` threads, the one that makes it being 0.  Whoever waits sleeps: threads may be more
/// than cores.
class team {
 public:
  explicit team(int threads);
  ~team();
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  [[nodiscard]] int threads() const noexcept { return static_cast<int>(busy_.size()); }

  /// Calls work(thread) on every thread at once; returns when all have returned.
  void run(const std::function<void(int)>& work);

  /// Time each thread has spent in `work` since the last `reset`.
  [[nodiscard]] plait::ticks busy(int thread) const noexcept {
    return busy_[static_cast<std::size_t>(thread)].spent;
  }
  void reset() noexcept;

 private:
  void serve(int thread);
  void call(int thread);

  const std::function<void(int)>* work_ = nullptr;  ///< null: the end
  // A call of `run` is published by round_ (release) and seen by serve (acquire); what the threads
  // did in it is published by left_ (release) and seen by run (acquire).
  std::atomic<std::uint32_t> round_{0};
  std::atomic<int> left_{0};
  std::vector<busy_time> busy_;
  std::vector<std::thread> others_;
};

}  // namespace redblack3d
