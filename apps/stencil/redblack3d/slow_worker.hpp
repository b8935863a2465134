// SPDX-License-Identifier: BSD-3-Clause
/// A worker that is slower than the others, as one that shares a port to memory, for trying out how
/// policies share the work.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/plait.hpp>

namespace redblack3d {

/// Which worker (of HAND and IDEAL the only one, 0), and how many times as long as others it takes;
/// a factor of 1: none.
struct slow_worker {
  int worker = 0;
  double factor = 1;
};

/// Numbers the threads that come by, 0 for the one that made it, and holds one of them up.
class slowness {
 public:
  explicit slowness(slow_worker which) : which_(which) { (void)number(); }

  /// Of the calling thread.
  [[nodiscard]] int number() {
    thread_local std::uint64_t numbered_by = 0;
    thread_local int number = 0;
    if (numbered_by != serial_) {
      numbered_by = serial_;
      number = next_.fetch_add(1);
    }
    return number;
  }

  /// Calls `work` of a worker of that number, and for the slow one spins on until it has taken
  /// `factor` times as long.
  template <class Work>
  void run(int worker, Work&& work) {
    if (which_.factor == 1 || worker != which_.worker) {
      work();
      return;
    }
    const plait::ticks start = plait::now_ticks();
    work();
    const double taken = static_cast<double>(plait::now_ticks() - start);
    const plait::ticks end = start + static_cast<plait::ticks>(which_.factor * taken);
    while (plait::now_ticks() < end) continue;
  }

 private:
  static std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
  }

  slow_worker which_;
  /// Tells it from one that was before it, in its place.
  const std::uint64_t serial_ = next_serial();
  std::atomic<int> next_{0};
};

}  // namespace redblack3d
