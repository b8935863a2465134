// SPDX-License-Identifier: BSD-3-Clause
/// A worker that is slower than the others, as one that shares a port to memory, for trying out how
/// variants share the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <plait/plait.hpp>

namespace plait::measure {

/// A worker that is held up (of a variant of one thread 0), and how many times as long as others it
/// takes; a factor of 1: none.
struct slow_worker {
  int worker = 0;
  double factor = 1;
};

/// "1:1.5".  Errors: usage_error naming `option`.
[[nodiscard]] slow_worker parse_slow_worker(const std::string& option, const std::string& text);

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
    const ticks start = now_ticks();
    work();
    const double taken = static_cast<double>(now_ticks() - start);
    const ticks end = start + static_cast<ticks>(which_.factor * taken);
    while (now_ticks() < end) continue;
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

}  // namespace plait::measure
