// SPDX-License-Identifier: BSD-3-Clause
/// Says when a device's events were, on the host's clock.
#pragma once

#include <utility>

#include <plait/core/clock.hpp>

#include "device/cuda/cuda_functions.hpp"

namespace plait::detail {

/// The device tells milliseconds between two events, as a `float`: between an anchor, whose time
/// the host has read, and the event that is asked for.  Of 4 s a `float` has 0.25 to 0.5 us, so
/// anchors are renewed after so long, which keeps the drift of the two clocks small, too.
class cuda_clock {
 public:
  explicit cuda_clock(const cuda_functions& by) noexcept : by_(by) {}
  /// Its events are the context's.  Returns what the driver says, 0: they are made.
  [[nodiscard]] int make() {
    const int code = by_.event_create(&anchor_, cuda_number::timing_event);
    return code != 0 ? code : by_.event_create(&next_, cuda_number::timing_event);
  }
  void destroy() noexcept {
    if (anchor_ != nullptr) by_.event_destroy(anchor_);
    if (next_ != nullptr) by_.event_destroy(next_);
  }

  [[nodiscard]] bool is_old(ticks now) const noexcept {
    return now - at_ > seconds_to_ticks(renewed_after_s) &&
           now - failed_at_ > seconds_to_ticks(asked_again_after_s);
  }
  /// Takes a new anchor by a stream with nothing to do.  Its time is known to half of what the
  /// device takes to answer, so the best of at most `most_asked` answers is taken.  Where the first
  /// does not come in `patience_s` the old one stays, and is not old for a while.  Returns what the
  /// driver says, 0: there is a new one.
  int renew(cuda_stream idle, double patience_s = 200e-6, int most_asked = 1) {
    const ticks soon = seconds_to_ticks(20e-6);
    ticks best = seconds_to_ticks(patience_s);
    int result = cuda_number::not_ready;
    for (int asked = 0; asked < most_asked; ++asked) {
      const ticks before = now_ticks();
      int code = by_.event_record(next_, idle);
      if (code == 0) code = by_.event_query(next_);
      while (code == cuda_number::not_ready && now_ticks() - before <= best)
        code = by_.event_query(next_);
      const ticks took = now_ticks() - before;
      if (code != 0 || took > best) {
        if (result == 0) continue;
        failed_at_ = before + took;
        return code != 0 ? code : cuda_number::not_ready;
      }
      std::swap(anchor_, next_);
      at_ = before + took / 2;
      best = took;
      result = 0;
      if (took <= soon) break;
    }
    return result;
  }

  /// Returns when an event was that has passed; `otherwise` where the driver does not say.
  [[nodiscard]] ticks time_of(cuda_event passed, ticks otherwise) const noexcept {
    float ms = 0;
    if (by_.elapsed_ms(&ms, anchor_, passed) != 0) return otherwise;
    return at_ + seconds_to_ticks(static_cast<double>(ms) * 1e-3);
  }
  /// Returns whether the context answers for an event that has passed, as it does until a fault.
  [[nodiscard]] bool answers() const noexcept {
    const int code = by_.event_query(anchor_);
    return code == 0 || cuda_number::is_of_capture(code);
  }

 private:
  static constexpr double renewed_after_s = 4;
  static constexpr double asked_again_after_s = 0.1;

  const cuda_functions& by_;
  cuda_event anchor_ = nullptr;
  cuda_event next_ = nullptr;
  ticks at_ = 0;
  ticks failed_at_ = 0;
};

}  // namespace plait::detail
