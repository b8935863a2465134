// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the proxy, which takes the token to look.
#include "comm/engine/proxy.hpp"

#include <algorithm>
#include <utility>

#include <plait/core/cpu_pause.hpp>
#include <sched.h>

namespace plait {

void proxy::sleep_unless(const auto& condition, ticks timeout) {
  const auto key = events_.prepare();
  if (condition()) {
    events_.cancel();
  } else {
    events_.wait(key, timeout);
  }
}

/// More often than not something is in flight again soon, and to wake this thread costs whoever
/// posts it a system call, two thirds of the latency of a small message.  So it is a while before
/// it wants to be woken.
void proxy::rest() {
  if (chosen_.proxy_spins) {
    const ticks until = now_ticks() + seconds_to_ticks(50e-6);
    while (is_idle() && now_ticks() < until) cpu_pause();
  } else if (chosen_.busy_workers) {
    for (int naps = 0; naps < 32 && is_idle(); ++naps) {
      sleep_unless([this] { return is_stopped(); }, messages_.looks().worst());
    }
  }
  rests_.store(true, std::memory_order_seq_cst);
  sleep_unless([this] { return !is_idle(); }, -1);
  rests_.store(false, std::memory_order_seq_cst);
}

/// `dedicated`: polls without pause while anything is in flight, but as `sleeping` for a while
/// where it may give way and others want its core.  `sleeping`: sleeps until a look is due.  Where
/// workers look between tasks, it sleeps until one is overdue, unless it has been the only one to
/// look for a while: then their tasks are long, and it looks as if there were none.  [jacobi3d,
/// 512x512x64, in the lab: a proxy that came 60 us after a look was due made 2400 looks a run
/// beside 450 of the worker, at 0.07 s of processor time of 0.85, and hid 0.65; one that waits
/// until a look is overdue makes 170 beside 530, at 0.02 s, and hides 0.80 like workers alone]
void proxy::run() {
  const look_schedule& looks = messages_.looks();
  core_watch core;
  bool watching = false;
  ticks own_last = 0;  // its own last look
  int looks_in_a_row = 0;
  while (!is_stopped()) {
    if (messages_.state().is_idle()) {
      watching = false;
      rest();
    } else if (chosen_.proxy_spins && (!chosen_.gives_way || spinning::licence().is_valid())) {
      if (!messages_.look_if_free()) sched_yield();
      if (!chosen_.gives_way) continue;
      const ticks now = now_ticks();
      if (!std::exchange(watching, true)) {
        core.begin(now);
      } else if (core.is_wanted(now)) {
        spins_.give_way(now);
      }
    } else {
      watching = false;
      // `never`: something was posted that whoever has the token has not started yet.
      if (looks.last() != own_last) looks_in_a_row = 0;
      const auto due = [&] {
        return chosen_.busy_workers && looks_in_a_row < 4 ? looks.overdue() : looks.next();
      };
      const ticks at = due();
      if ((at == engine::never || now_ticks() >= at) && messages_.look_if_free()) {
        own_last = looks.last();
        ++looks_in_a_row;
      }
      sleep_unless([this] { return is_stopped(); },
                   std::clamp(due() - now_ticks(), looks.first(), looks.worst()));
    }
  }
}

}  // namespace plait
