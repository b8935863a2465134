// SPDX-License-Identifier: BSD-3-Clause
/// The proxy: looks after communication beside the workers.  `run` is its thread's; any thread may
/// wake it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include <plait/comm/engine.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/event_count.hpp>

#include "comm/engine/driver.hpp"
#include "comm/engine/policy_choice.hpp"
#include "comm/engine/proxy_thread.hpp"
#include "look/news_judge.hpp"
#include "look/numbers.hpp"
#include "look/spinning.hpp"
#include "look/transport_sockets.hpp"
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
  proxy(driver& messages, spinning& spins, const engine::choice& chosen, const settings& how)
      : messages_(messages),
        spins_(spins),
        chosen_(chosen),
        worst_(seconds_to_ticks(how.worst_delay_s)),
        at_fixed_interval_(how.at_fixed_interval),
        alone_on_node_(how.alone_on_node),
        passes_(how.ranks_a_core * look_numbers::frequent_pass_s),
        shortest_(seconds_to_ticks(how.ranks_a_core * look_numbers::shortest_distance_s)) {}

  // Submitting thread
  // ---------------------------------------------------------------------------------------------
  void start() {
    thread_.start([this] { run(); });
  }
  void stop() noexcept {
    stopping_.store(true, std::memory_order_seq_cst);
    events_.notify_all();
    sockets_.wake();
    thread_.join();
  }

  // Any thread
  // ---------------------------------------------------------------------------------------------
  /// After something was put in flight.  The proxy may sleep past its first look; where workers
  /// look too that does not matter, unless it sleeps without limit.  No effect where all that was
  /// put in flight has landed: a short send is complete when it is started.
  void wake() noexcept {
    if (messages_.state().is_idle()) return;
    if (!chosen_.busy_workers || rests_.load(std::memory_order_seq_cst)) {
      events_.notify_one();
      if (watches_.load(std::memory_order_seq_cst)) sockets_.wake();
    }
  }
  void after_looks(std::function<void()> what) {
    std::lock_guard lock(after_look_mutex_);
    after_look_ = std::move(what);
  }
  [[nodiscard]] worker_passes& passes() noexcept { return passes_; }
  [[nodiscard]] double cpu_seconds() const noexcept { return thread_.cpu_seconds(); }

 private:
  // The proxy
  // ---------------------------------------------------------------------------------------------
  void run();
  void rest();
  bool step(look which = look::once);
  void look_when_it_pays();
  /// Sleeps until a socket has news, at most so long.
  [[nodiscard]] socket_news watch_sockets(ticks at_most);
  [[nodiscard]] ticks next_distance(ticks now) noexcept;
  [[nodiscard]] bool is_stopped() const noexcept {
    return stopping_.load(std::memory_order_seq_cst);
  }
  /// Returns true if the proxy has nothing to do but to wait.
  [[nodiscard]] bool is_idle() const noexcept {
    return !is_stopped() && messages_.state().is_idle();
  }
  void sleep_unless(const auto& condition, ticks timeout);
  void nap_while_idle();

  driver& messages_;
  spinning& spins_;
  const engine::choice& chosen_;
  std::atomic<bool> stopping_{false};
  event_count events_;
  /// True while the proxy sleeps until something is in flight.  The proxy sets it before it asks
  /// for the last time whether something is in flight; a poster reads it after something has become
  /// so.  All are seq_cst, so one of the two sees the other.
  std::atomic<bool> rests_{false};
  const ticks worst_;
  const bool at_fixed_interval_;
  const bool alone_on_node_;
  /// True while the proxy sleeps until a socket has news, or its time has come.
  std::atomic<bool> watches_{false};
  worker_passes passes_;
  transport_sockets sockets_;
  news_judge judge_;
  const ticks shortest_;
  ticks own_last_ = 0;          ///< its own last look
  bool was_needed_ = false;     ///< since it rested last, a look completed something or moved bulk
  ticks distance_ = shortest_;  ///< to the next; never 0, which doubled stays 0
  std::uint64_t seen_moving_ = 0;  ///< expectations and completed operations then
  ticks moved_at_ = 0;             ///< when the proxy saw `seen_moving_` change
  std::mutex after_look_mutex_;    ///< held during a call, by the proxy
  std::function<void()> after_look_;
  proxy_thread thread_;
};

}  // namespace plait
