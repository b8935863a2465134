// SPDX-License-Identifier: BSD-3-Clause
/// A thread that takes what processor time is left and counts how much that was.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace plait::measure {

/// Repeats a small piece of work on one processing unit, only when nothing else wants the unit
/// (Linux's SCHED_IDLE), until it is destroyed.  How much slower it goes while something else
/// happens there is the processor time of that, wherever it is spent: in this process, in another,
/// or in an interrupt.
class soaker {
 public:
  /// `work` is called on the soaker's thread until destruction; it should take some 100 µs.
  soaker(int unit, std::function<void()> work);
  ~soaker();
  soaker(const soaker&) = delete;
  soaker& operator=(const soaker&) = delete;

  /// Returns how often the work has been done.  Thread-safe.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Keeps the calling thread on one processing unit for a scope.  Does nothing where that is not
/// allowed.
class pinned {
 public:
  explicit pinned(int unit);
  ~pinned();
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

 private:
  std::uint64_t before_[16] = {};  ///< a cpu_set_t
  bool changed_ = false;
};

}  // namespace plait::measure
