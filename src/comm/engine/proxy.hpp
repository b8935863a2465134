// SPDX-License-Identifier: BSD-3-Clause
/// The proxy: looks after communication beside the workers.  `run` is its thread's; any thread may
/// wake it.
#pragma once

#include <atomic>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/event_count.hpp>

#include "comm/engine/driver.hpp"
#include "comm/engine/proxy_thread.hpp"
#include "comm/engine/spinning.hpp"

namespace plait {

class proxy {
 public:
  /// All three outlive it.
  proxy(driver& messages, spinning& spins, const engine::choice& chosen) noexcept
      : messages_(messages), spins_(spins), chosen_(chosen) {}

  // Submitting thread
  // ---------------------------------------------------------------------------------------------
  void start() {
    thread_.start([this] { run(); });
  }
  void stop() noexcept {
    stopping_.store(true, std::memory_order_seq_cst);
    events_.notify_all();
    thread_.join();
  }

  // Any thread
  // ---------------------------------------------------------------------------------------------
  /// After something was put in flight.  The proxy may sleep past its first look; where workers
  /// look too that does not matter, unless it sleeps without limit.
  void wake() noexcept {
    if (!chosen_.busy_workers || rests_.load(std::memory_order_seq_cst)) events_.notify_one();
  }
  [[nodiscard]] double cpu_seconds() const noexcept { return thread_.cpu_seconds(); }

 private:
  // The proxy
  // ---------------------------------------------------------------------------------------------
  void run();
  void rest();
  [[nodiscard]] bool is_stopped() const noexcept {
    return stopping_.load(std::memory_order_seq_cst);
  }
  /// Whether it has nothing to do but to wait.
  [[nodiscard]] bool is_idle() const noexcept {
    return !is_stopped() && messages_.state().is_idle();
  }
  void sleep_unless(const auto& condition, ticks timeout);

  driver& messages_;
  spinning& spins_;
  const engine::choice& chosen_;
  std::atomic<bool> stopping_{false};
  event_count events_;
  /// It sleeps until it is told that something is in flight.  Set before it asks for the last time
  /// whether something is, read after something has become so, all seq_cst: one of the two sees the
  /// other.
  std::atomic<bool> rests_{false};
  proxy_thread thread_;
};

}  // namespace plait
