// SPDX-License-Identifier: BSD-3-Clause
/// The clock of the ledger and the trace: ticks of the processor's time-stamp counter where it runs
/// at a constant rate, nanoseconds of the monotonic clock elsewhere.  Not a calendar.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>

namespace plait {

/// A point in time or a duration, in units only `ticks_to_seconds` knows.
using ticks = std::int64_t;

namespace detail {
[[nodiscard]] bool tsc_is_usable() noexcept;
extern const bool use_tsc;
[[nodiscard]] std::int64_t monotonic_ns() noexcept;
}  // namespace detail

/// Returns the present time.  Monotonic and the same on all cores of a node.  Cost: one time-stamp
/// counter read (16 ns on a virtual machine, 8 ns on bare metal; the monotonic clock costs twice
/// that).
[[nodiscard]] inline ticks now_ticks() noexcept {
#if defined(__x86_64__)
  if (detail::use_tsc) return static_cast<ticks>(__builtin_ia32_rdtsc());
#endif
  return detail::monotonic_ns();
}

/// One moment on both clocks: `now_ticks` and the monotonic clock, in nanoseconds.  Reads the
/// clocks until the readings are close together (the thread may lose its processor in between), at
/// most some times.
struct clock_pair {
  ticks at = 0;
  std::int64_t monotonic_ns = 0;
};
[[nodiscard]] clock_pair read_both_clocks() noexcept;

/// Calibrated once per process (5 ms, at the first call), against the monotonic clock.
[[nodiscard]] double seconds_per_tick() noexcept;

[[nodiscard]] inline double ticks_to_seconds(ticks duration) noexcept {
  return static_cast<double>(duration) * seconds_per_tick();
}

[[nodiscard]] inline ticks seconds_to_ticks(double seconds) noexcept {
  return static_cast<ticks>(seconds / seconds_per_tick());
}

}  // namespace plait
