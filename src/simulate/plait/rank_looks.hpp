// SPDX-License-Identifier: BSD-3-Clause
/// When a rank looks after its messages: the engine's own schedule and pace (src/look), on
/// simulated time.  A tick is a picosecond here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <plait/simulate/dataflow.hpp>

#include "look/look_schedule.hpp"
#include "look/numbers.hpp"
#include "look/pace.hpp"

namespace plait::simulate {

class rank_looks {
 public:
  /// `alone`: no other rank is on the node, so sockets tell of everything.
  rank_looks(const machine& on, bool alone)
      : policy_(on.policy),
        alone_(alone),
        any_thread_waits_(on.workers == 0),
        schedule_(of_ps(ps_of(look_numbers::first_s)), of_ps(on.worst_delay_ps)),
        limits_{.shortest = std::min(on.worst_delay_ps, ps_of(look_numbers::shortest_distance_s)),
                .worst = on.worst_delay_ps,
                .longest_wait = look_numbers::longest_distance * on.worst_delay_ps,
                .shortest_leave =
                    std::min(on.worst_delay_ps, look_numbers::distances_left_to_others *
                                                    ps_of(look_numbers::shortest_distance_s)),
                .longest_leave = look_numbers::longest_leave * on.worst_delay_ps} {}

  [[nodiscard]] bool has_proxy() const noexcept {
    return policy_ == look_policy::sleeping || policy_ == look_policy::automatic;
  }
  [[nodiscard]] bool always() const noexcept { return policy_ == look_policy::dedicated; }
  /// Returns whether a worker that has nothing to run looks without pause.  With `none` the thread
  /// in wait() does, worker 0; of a program whose calculations name their processors, each that is
  /// in a call.
  [[nodiscard]] bool idle_looks(std::size_t worker) const noexcept {
    return policy_ == look_policy::workers || policy_ == look_policy::automatic ||
           (policy_ == look_policy::none && (worker == 0 || any_thread_waits_));
  }
  [[nodiscard]] bool due_after_task(std::int64_t now_ps) const noexcept {
    const bool busy = policy_ == look_policy::workers || policy_ == look_policy::automatic;
    return busy && schedule_.next() <= now_ps;
  }

  void posted(std::int64_t now_ps) {
    schedule_.posted(now_ps);
    moved_ps_ = now_ps;
    ++in_flight_;
  }
  void completed(std::int64_t now_ps) {
    moved_ps_ = now_ps;
    --in_flight_;
  }
  [[nodiscard]] bool is_idle() const noexcept { return in_flight_ == 0; }
  void looked(std::int64_t now_ps, bool completed, std::int64_t price_ps) {
    schedule_.looked(now_ps, completed, in_flight_ > 0, price_ps);
    has_news_ = false;
  }
  /// Something has come that sockets tell the proxy of.
  void news() noexcept { has_news_ = true; }

  /// Returns what the proxy does now, by the engine's own decision.
  [[nodiscard]] pace_verdict proxy(std::int64_t now_ps) const noexcept {
    const bool none_due = schedule_.next() == look_schedule::never;
    return decide({.now = now_ps,
                   .last_look = none_due ? now_ps : schedule_.last(),
                   .moved = moved_ps_,
                   .is_told = alone_,
                   .has_news = alone_ && has_news_},
                  limits_);
  }

 private:
  [[nodiscard]] static std::int64_t ps_of(double seconds) noexcept {
    return static_cast<std::int64_t>(seconds * 1e12 + 0.5);
  }
  /// Returns the seconds that the schedule turns into so many ticks.
  [[nodiscard]] static double of_ps(std::int64_t ps) noexcept { return ticks_to_seconds(ps); }

  const look_policy policy_;
  const bool alone_;
  const bool any_thread_waits_;
  look_schedule schedule_;
  const pace_limits limits_;
  std::int64_t moved_ps_ = 0;
  std::int64_t in_flight_ = 0;
  bool has_news_ = false;
};

}  // namespace plait::simulate
