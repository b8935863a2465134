// SPDX-License-Identifier: BSD-3-Clause
/// Lets threads sleep until a condition another thread changes may have become true, without a lock
/// on the path of the thread that changes it.  Not a condition variable: no mutex, timed waits
/// only.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

namespace plait {

/// An event count.  The waiter:                    The notifier:
///
///     auto key = events.prepare();                   make the condition true   (seq_cst)
///     if (condition) events.cancel();                events.notify_one();
///     else events.wait(key, timeout);
///
/// Why no wake-up is lost: `prepare` increments `waiters_` and the notifier reads it, both
/// sequentially consistent, as are the writes and reads of the condition.  In their single total
/// order either the notifier's read comes after the increment, so it moves `epoch_` on and `wait`
/// returns; or it comes before it, so the waiter's check of the condition, which follows the
/// increment, sees the change. The condition must therefore be written and read with seq_cst
/// operations (or under a lock). Thread-safe.  Cost of a notify without waiters: one load.
class event_count {
 public:
  using key = std::uint32_t;

  [[nodiscard]] key prepare() noexcept {
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    return epoch_.load(std::memory_order_seq_cst);
  }
  void cancel() noexcept { waiters_.fetch_sub(1, std::memory_order_seq_cst); }

  /// Sleeps until a notify after `prepare` or until `timeout` has passed; negative = for ever.
  /// Returns false on timeout.
  bool wait(key expected, ticks timeout) noexcept;

  void notify_one() noexcept { notify(1); }
  void notify_all() noexcept { notify(1 << 30); }

 private:
  void notify(int count) noexcept {
    if (waiters_.load(std::memory_order_seq_cst) != 0) wake(count);
  }
  void wake(int count) noexcept;

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::int32_t> waiters_{0};
};

}  // namespace plait
