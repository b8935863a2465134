// SPDX-License-Identifier: BSD-3-Clause
/// Budget of the events that may still be kept on this rank.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace plait {

/// Any thread.
class trace_budget {
 public:
  explicit trace_budget(std::size_t events) noexcept : left_(events) {}

  /// Takes `wanted`, or what is left.
  [[nodiscard]] std::size_t take(std::size_t wanted) noexcept {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (left > 0) {
      const std::size_t taken = std::min(left, wanted);
      if (left_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed)) return taken;
    }
    return 0;
  }
  void give_back(std::size_t events) noexcept {
    left_.fetch_add(events, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::size_t> left_;
};

}  // namespace plait
