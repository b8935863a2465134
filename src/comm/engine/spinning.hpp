// SPDX-License-Identifier: BSD-3-Clause
/// Whether threads that have nothing to do may poll without pause.  Runs in any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <plait/core/clock.hpp>

#include "comm/engine/core_watch.hpp"
#include "comm/engine/look_schedule.hpp"

namespace plait {

/// Of one engine.  Any thread.
class spinning {
 public:
  /// What threads of this process know of their cores, whichever engine they spin for.
  [[nodiscard]] static spin_licence& licence() noexcept { return licence_; }

  /// As `engine::may_spin`.
  [[nodiscard]] bool is_allowed(const look_schedule& looks, ticks awake_since) noexcept;

  /// Others want the core of the calling thread.
  void give_way(ticks now) noexcept {
    if (licence_.withdraw(now)) gave_way_.fetch_add(1, std::memory_order_relaxed);
  }
  /// How often.
  [[nodiscard]] std::uint64_t gave_way() const noexcept { return gave_way_.load(); }

 private:
  static constinit spin_licence licence_;
  std::atomic<std::uint64_t> gave_way_{0};
};

}  // namespace plait
