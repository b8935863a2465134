// SPDX-License-Identifier: BSD-3-Clause
/// Tells the owners of operations that these have completed.  Runs in the holder of the token.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include <plait/comm/operation.hpp>

#include "comm/engine/activity.hpp"
#include "comm/engine/held/disturber.hpp"
#include "comm/engine/held/held_queue.hpp"

namespace plait {

/// Adds one to a count with one writer at a time, the holder of the token.
[[gnu::always_inline]] inline void raise_count(std::atomic<std::uint64_t>& count) noexcept {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Holder of the token only, but for `count`.
class completer {
 public:
  completer(const disturbance& disturb, activity& state) : state_(state), disturber_(disturb) {}

  /// Settles the operation, or sets that aside for a while.
  void complete(operation& op, const std::exception_ptr& failure) {
    if (!sets_aside(op, held_queue::why::delayed_completion, failure)) settle(op, failure);
  }
  void settle(operation& op, const std::exception_ptr& failure) {
    count_one();
    state_.one_less();
    // The owner may free it, and the last one's owner this engine's clients.
    op.completed(op, failure);
  }
  /// Holds the start or the completion of the operation back, if the disturbance says so.
  [[nodiscard]] bool sets_aside(operation& op, held_queue::why reason,
                                const std::exception_ptr& failure = nullptr) {
    if (!disturber_.is_on() || state_.is_given_up()) return false;
    const auto until = disturber_.delay();
    if (!until) return false;
    held_.hold({.op = &op, .reason = reason, .until = *until, .failure = failure});
    return true;
  }
  [[nodiscard]] held_queue& held() noexcept { return held_; }
  [[nodiscard]] disturber& random() noexcept { return disturber_; }

  /// Counts one that is over and that nobody is told of.
  [[gnu::always_inline]] void count_one() noexcept { raise_count(count_); }
  /// Operations that were settled.  Any thread.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_.load(); }

 private:
  activity& state_;
  disturber disturber_;
  held_queue held_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace plait
