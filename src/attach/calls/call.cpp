// SPDX-License-Identifier: BSD-3-Clause
#include "attach/calls/call.hpp"

#include <algorithm>

namespace plait::attach {

thread_local constinit thread_data own_thread;
ticks long_computation = INT64_MAX;

bool end_abandoned_call(std::uintptr_t stack) noexcept {
  if (own_thread.stack == 0 || stack < own_thread.stack) return false;
  if (attached.locks_token) attached.token.release();
  own_thread.depth = 0;
  own_thread.stack = 0;
  own_thread.last_exit = now_ticks();
  return true;
}

namespace {
ticks reading = 1;  ///< of the processor clock and the counters, what it takes
ticks most_readings_left = 0;
}  // namespace

/// The processor clock is a system call, and most calls are followed by next to no computation.
/// So long computation pays for the readings at the site before it: those take at most 1/128 of it,
/// and a site stops reading soon after its computation was long by accident.
void call::end_of_long_computation() noexcept {
  if (own_thread.last_site < 0) return;
  site_data& before = attached.notes.site(own_thread.last_site);
  before.readings_left = std::min(before.readings_left + computed_ / 128, most_readings_left);
  if (!own_thread.knows_processor_time) return;
  const std::int64_t used = processor_ns() - own_thread.processor_ns_at_exit;
  const double used_s = 1e-9 * static_cast<double>(used);
  before.stolen += std::max<ticks>(0, computed_ - seconds_to_ticks(used_s));
  if (own_thread.work_at_exit.cycles == 0) return;
  if (const std::optional<counted_work> now = counters.read()) {
    profile_header& h = attached.notes.header();
    h.cycles += now->cycles - own_thread.work_at_exit.cycles;
    h.instructions += now->instructions - own_thread.work_at_exit.instructions;
  }
}

void call::read_processor_clock(site_data& at) noexcept {
  at.readings_left -= reading;
  own_thread.knows_processor_time = true;
  own_thread.work_at_exit = {};
  if (own_thread.is_main && counters.are_open())
    own_thread.work_at_exit = counters.read().value_or(counted_work{});
  own_thread.processor_ns_at_exit = processor_ns();
}

void set_price_of_readings() noexcept {
  long_computation = seconds_to_ticks(200e-6);
  constexpr int times = 16;
  const ticks begin = now_ticks();
  for (int i = 0; i < times; ++i) {
    (void)processor_ns();
    if (counters.are_open()) (void)counters.read();
  }
  reading = std::max<ticks>(1, (now_ticks() - begin) / times);
  most_readings_left = 1024 * reading;
}

}  // namespace plait::attach
