// SPDX-License-Identifier: BSD-3-Clause
/// Shows an engine to a scheduler.
#pragma once

#include <algorithm>
#include <thread>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>
#include <plait/task/progress_source.hpp>

namespace plait {

/// Lets workers poll where the engine's policy leaves that to them, and says when.
class engine_source final : public progress_source {
 public:
  engine_source(engine& e, bool node_is_crowded)
      : engine_(e),
        node_is_crowded_(node_is_crowded),
        shortest_sleep_(node_is_crowded ? e.shortest_sleep() : 1) {}

  bool poll(bool again) override {
    if (!may_poll()) return false;
    return again && node_is_crowded_ ? engine_.poll_in_turn() : engine_.poll(again);
  }

  [[nodiscard]] bool starts_begin() override { return engine_.try_lock(); }
  void starts_end() override { engine_.unlock(); }

  /// A worker that polls does so without pause where it has a core of its own.  Where ranks share
  /// the core it gives the core up after each look, and sleeps from look to look once it has looked
  /// often in vain.
  [[nodiscard]] ticks idle_wait(ticks awake_since) override {
    if (!may_poll() || engine_.idle()) return never;
    if (node_is_crowded_ ? engine_.may_poll_in_turn() : engine_.may_spin(awake_since)) return 0;
    const ticks next = engine_.next_poll();
    if (next == engine::never) return being_started_;
    return std::max(shortest_sleep_, next - now_ticks());
  }

  [[nodiscard]] bool needs_idle_workers() const noexcept override {
    return engine_.chosen().idle_workers || !engine_.chosen().proxy;
  }

  [[nodiscard]] ticks in_flight_until(ticks now) const override {
    return engine_.in_flight_until(now);
  }
  [[nodiscard]] bool cancel() override { return engine_.cancel(); }

  [[nodiscard]] ticks due_at() const noexcept override {
    return engine_.chosen().busy_workers ? engine_.next_poll() : never;
  }
  void passed(ticks now) noexcept override { engine_.worker_passed(now); }

 private:
  [[nodiscard]] bool may_poll() const noexcept {
    const auto& chosen = engine_.chosen();
    // `none`: nobody but the thread that waits.
    return chosen.idle_workers || (!chosen.proxy && std::this_thread::get_id() == waiting_thread_);
  }

  engine& engine_;
  const bool node_is_crowded_;
  const ticks shortest_sleep_;
  /// Something was posted while another thread had the token; that thread starts it when it gives
  /// the token back, and tells nobody when to look.
  const ticks being_started_ = seconds_to_ticks(50e-6);
  const std::thread::id waiting_thread_ = std::this_thread::get_id();
};

}  // namespace plait
