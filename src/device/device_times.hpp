// SPDX-License-Identifier: BSD-3-Clause
/// Keeps a device's ledger.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <utility>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

namespace plait::detail {

/// Any thread.  Between two changes of what runs the account is exact: without a kernel `starved_`
/// grows by the whole time if a copy runs, and else by the time in which messages were in flight.
///
/// News may come later than what they tell of.  So `ledger` tells how things would stand if no more
/// came, and books nothing: news of the time before it are booked in full, and what was told may
/// fall.  What is older than the last news, `reset` or `set_messages` counts from there on.
class device_times {
 public:
  /// `until(t)`: ticks until t in which messages were in flight; may be empty.  It is asked in no
  /// order of times.
  void set_messages(std::function<ticks(ticks)> until) {
    std::lock_guard lock(mutex_);
    book(now_ticks());
    messages_ = std::move(until);
    sums_.messages = messages_ ? messages_(sums_.until) : 0;
  }
  void began(device_queue queue, ticks now) noexcept {
    std::lock_guard lock(mutex_);
    book(now);
    ++running(queue);
  }
  void ended(device_queue queue, ticks now) noexcept {
    std::lock_guard lock(mutex_);
    book(now);
    --running(queue);
  }
  [[nodiscard]] device_ledger ledger() {
    std::lock_guard lock(mutex_);
    const account booked = sums_;
    book(now_ticks());
    const account now = std::exchange(sums_, booked);
    return {.kernels_s = ticks_to_seconds(now.kernels),
            .starved_s = ticks_to_seconds(now.starved),
            .idle_s = ticks_to_seconds(now.until - since_ - now.kernels - now.starved),
            .to_host_s = ticks_to_seconds(now.to_host),
            .to_device_s = ticks_to_seconds(now.to_device),
            .wall_s = ticks_to_seconds(now.until - since_)};
  }
  void reset() {
    std::lock_guard lock(mutex_);
    book(now_ticks());
    since_ = sums_.until;
    sums_ = {.until = since_, .messages = sums_.messages};
  }

 private:
  struct account {
    ticks until;
    ticks messages = 0;  ///< what `messages_` has said then
    ticks kernels = 0;
    ticks starved = 0;
    ticks to_host = 0;
    ticks to_device = 0;
  };
  [[nodiscard]] int& running(device_queue queue) noexcept {
    return running_[static_cast<std::size_t>(queue)];
  }
  void book(ticks now) noexcept {
    if (now <= sums_.until) return;  // times come in another order than the lock is taken
    const ticks passed = now - sums_.until;
    const bool copies = running(device_queue::to_host) + running(device_queue::to_device) > 0;
    const ticks messages = messages_ ? messages_(now) : 0;
    if (running(device_queue::compute) + running(device_queue::urgent) > 0) {
      sums_.kernels += passed;
    } else {
      sums_.starved += copies ? passed : std::clamp<ticks>(messages - sums_.messages, 0, passed);
    }
    if (running(device_queue::to_host) > 0) sums_.to_host += passed;
    if (running(device_queue::to_device) > 0) sums_.to_device += passed;
    sums_.until = now;
    sums_.messages = messages;
  }

  std::mutex mutex_;
  std::function<ticks(ticks)> messages_;
  std::array<int, device_queue_count> running_{};
  ticks since_ = now_ticks();
  account sums_{.until = since_};
};

}  // namespace plait::detail
