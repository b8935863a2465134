// SPDX-License-Identifier: BSD-3-Clause
/// The proxy: looks after communication beside the workers.  `run` is its thread's; any thread may
/// wake it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>

#include "comm/engine/driver.hpp"
#include "look/attention.hpp"
#include "look/spinning.hpp"
#include "look/worker_passes.hpp"

namespace plait {

class proxy {
 public:
  struct settings {
    double worst_delay_s;  ///< between two looks, where workers do not look often enough
    bool at_fixed_interval;
    bool alone_on_node;  ///< all messages cross a network
    int ranks_a_core;    ///< that share the core which the proxy runs on
  };
  /// The first three outlive it.
  proxy(driver& messages, spinning& spins, const engine::choice& chosen, const settings& how);
  ~proxy() { stop(); }
  proxy(const proxy&) = delete;
  proxy& operator=(const proxy&) = delete;

  // --- Submitting thread ------------------------------------------------------------------------
  void start();
  void stop() noexcept {
    attention_.sleep().stop();
    if (thread_.joinable()) thread_.join();
  }

  // --- Any thread -------------------------------------------------------------------------------
  /// After something was put in flight, for which a sleep may be too long.  Where workers look too
  /// only a rest is.  No effect where all that was put in flight has landed: a short send is
  /// complete when it is started.
  void wake() noexcept;
  void after_looks(std::function<void()> what) {
    std::lock_guard lock(after_look_mutex_);
    after_look_ = std::move(what);
  }
  void beside_looks(std::function<ticks()> what) {
    std::lock_guard lock(after_look_mutex_);
    beside_ = std::move(what);
  }
  /// Has it call what is beside its looks.  The write of `is_called_` and the read of the sleeper's
  /// depth are what the proof in sleeper.hpp calls the waker's.
  void call() noexcept {
    is_called_.store(true, std::memory_order_seq_cst);
    attention_.sleep().wake(sleeper::depth::naps);
  }
  [[nodiscard]] worker_passes& passes() noexcept { return passes_; }
  /// Returns the processor time that it has used so far; 0 if it was not started, or has stopped.
  [[nodiscard]] double cpu_seconds() noexcept;

 private:
  // --- The proxy --------------------------------------------------------------------------------
  void run();
  void rest();
  bool step();
  void look();
  void call_beside();
  [[nodiscard]] bool beside_is_due() const noexcept {
    return is_called_.load(std::memory_order_seq_cst) ||
           (beside_at_ != engine::never && now_ticks() >= beside_at_);
  }
  [[nodiscard]] bool may_spin() noexcept;
  [[nodiscard]] pace_facts facts() noexcept;
  /// Returns true if the proxy has nothing to do but to wait.
  [[nodiscard]] bool is_idle() const noexcept {
    return !attention_.sleep().is_stopped() && messages_.state().is_idle() && !beside_is_due();
  }

  driver& messages_;
  spinning& spins_;
  const engine::choice& chosen_;
  const bool alone_on_node_;
  const bool at_fixed_interval_;
  worker_passes passes_;
  attention attention_;
  ticks awake_since_ = 0;
  ticks looked_at_ = 0;            ///< when it looked last, or found that another thread does
  ticks own_last_ = 0;             ///< `looks().last` after its own last look
  bool others_look_ = false;       ///< another thread had the token when this one wanted to look
  bool was_needed_ = false;        ///< since it rested, a look completed something or moved bulk
  std::uint64_t seen_moving_ = 0;  ///< expectations and completed operations, at the last `facts`
  ticks moved_at_ = 0;             ///< when `facts` saw them change
  std::mutex after_look_mutex_;    ///< held during a call, by the proxy
  std::function<void()> after_look_;
  std::function<ticks()> beside_;  ///< called under the same mutex
  std::atomic<bool> is_called_{false};
  ticks beside_at_ = engine::never;  ///< when to call it next
  std::thread thread_;
};

}  // namespace plait
