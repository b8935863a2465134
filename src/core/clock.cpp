// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <fstream>
#include <string>

#include <plait/core/clock.hpp>

namespace plait {
namespace detail {

bool tsc_is_usable() noexcept {
#if defined(__x86_64__)
  // The kernel has tested the counter (constant rate, synchronised over cores) if it uses it
  // itself.
  try {
    std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    return (source >> name) && name == "tsc";
  } catch (...) {
    return false;
  }
#else
  return false;
#endif
}

const bool use_tsc = tsc_is_usable();

std::int64_t monotonic_ns() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace detail

namespace {
double calibrate() noexcept {
  if (!detail::use_tsc) return 1e-9;
  const clock_pair start = read_both_clocks();
  clock_pair end = start;
  while (end.monotonic_ns - start.monotonic_ns < 5'000'000) end = read_both_clocks();
  return 1e-9 * static_cast<double>(end.monotonic_ns - start.monotonic_ns) /
         static_cast<double>(end.at - start.at);
}
}  // namespace

clock_pair read_both_clocks() noexcept {
  clock_pair best;
  ticks narrowest = 0;
  for (int i = 0; i < 8; ++i) {
    const ticks before = now_ticks();
    const std::int64_t clock = detail::monotonic_ns();
    const ticks after = now_ticks();
    if (i == 0 || after - before < narrowest) {
      narrowest = after - before;
      best = {before + narrowest / 2, clock};
    }
  }
  return best;
}

double seconds_per_tick() noexcept {
  static const double value = calibrate();
  return value;
}

}  // namespace plait
