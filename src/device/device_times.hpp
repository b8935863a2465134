// SPDX-License-Identifier: BSD-3-Clause
/// Keeps a device's ledger.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

namespace plait::detail {

/// Any thread.  Between two changes of what runs the account is exact: without a kernel `starved_`
/// grows by the whole time if a copy runs, and else by the time in which messages were in flight.
class device_times {
 public:
  /// `until(t)`: ticks until t in which messages were in flight; may be empty.
  void set_messages(std::function<ticks(ticks)> until) {
    std::lock_guard lock(mutex_);
    book(now_ticks());
    messages_ = std::move(until);
    messages_then_ = messages_ ? messages_(last_) : 0;
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
    book(now_ticks());
    return {.kernels_s = ticks_to_seconds(kernels_),
            .starved_s = ticks_to_seconds(starved_),
            .idle_s = ticks_to_seconds(last_ - since_ - kernels_ - starved_),
            .to_host_s = ticks_to_seconds(to_host_),
            .to_device_s = ticks_to_seconds(to_device_),
            .wall_s = ticks_to_seconds(last_ - since_)};
  }
  void reset() {
    std::lock_guard lock(mutex_);
    book(now_ticks());
    since_ = last_;
    kernels_ = starved_ = to_host_ = to_device_ = 0;
  }

 private:
  [[nodiscard]] int& running(device_queue queue) noexcept {
    return running_[static_cast<std::size_t>(queue)];
  }
  void book(ticks now) noexcept {
    if (now <= last_) return;  // two threads took their times in another order than the lock
    const ticks passed = now - last_;
    const bool copies = running(device_queue::to_host) + running(device_queue::to_device) > 0;
    const ticks messages_now = messages_ ? messages_(now) : 0;
    if (running(device_queue::compute) + running(device_queue::urgent) > 0) {
      kernels_ += passed;
    } else {
      starved_ += copies ? passed : std::clamp<ticks>(messages_now - messages_then_, 0, passed);
    }
    if (running(device_queue::to_host) > 0) to_host_ += passed;
    if (running(device_queue::to_device) > 0) to_device_ += passed;
    last_ = now;
    messages_then_ = messages_now;
  }

  std::mutex mutex_;
  std::function<ticks(ticks)> messages_;
  std::array<int, device_queue_count> running_{};
  ticks since_ = now_ticks();
  ticks last_ = since_;
  ticks messages_then_ = 0;
  ticks kernels_ = 0;
  ticks starved_ = 0;
  ticks to_host_ = 0;
  ticks to_device_ = 0;
};

}  // namespace plait::detail
