// SPDX-License-Identifier: BSD-3-Clause
// But for what starts, wakes or asks it, all of it runs in the proxy, which takes the token to
// look.
#include "comm/engine/proxy.hpp"

#include <algorithm>
#include <ctime>
#include <mutex>
#include <utility>

#include <plait/core/cpu_pause.hpp>
#include <pthread.h>
#include <sched.h>

#include "core/short_slices.hpp"
#include "look/numbers.hpp"

namespace plait {

proxy::proxy(driver& messages, spinning& spins, const engine::choice& chosen, const settings& how)
    : messages_(messages),
      spins_(spins),
      chosen_(chosen),
      alone_on_node_(how.alone_on_node),
      at_fixed_interval_(how.at_fixed_interval),
      passes_(how.worst_delay_s),
      attention_(how.at_fixed_interval ? pace_limits::fixed(how.worst_delay_s)
                                       : pace_limits::up_to(how.worst_delay_s, how.ranks_a_core)) {}

void proxy::start() {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "plait-proxy");
    ask_for_short_slices();
    run();
  });
}

void proxy::wake() noexcept {
  if (messages_.state().is_idle()) return;
  attention_.sleep().wake(chosen_.busy_workers ? sleeper::depth::rests : sleeper::depth::naps);
}

double proxy::cpu_seconds() noexcept {
  clockid_t clock{};
  timespec time{};
  if (!thread_.joinable() || pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 ||
      clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// `dedicated`: polls without pause while anything is in flight, but as `sleeping` for a while
/// where it may give way and others want its core.  `sleeping`: sleeps until a look pays.
void proxy::run() {
  while (!attention_.sleep().is_stopped()) {
    if (beside_is_due()) call_beside();
    if (messages_.state().is_idle()) {
      rest();
    } else if (may_spin()) {
      if (!step()) sched_yield();
    } else if (attention_.look_pays_else_sleep(
                   facts(), [this](const socket_news&) { return messages_.expectations(); })) {
      look();
    } else {
      awake_since_ = now_ticks();
    }
  }
}

/// More often than not something is in flight again soon, and to wake this thread costs whoever
/// posts it a system call, two thirds of the latency of a small message.  So it is a while before
/// it wants to be woken.  Meanwhile a socket may wake it, for a long message wants an answer soon.
/// Not where workers have completed by themselves all that was in flight before: then each short
/// message would wake this thread for nothing.  [measure nbc, bcast of 8 bytes, two nodes of one
/// core each: 1.77 of the library's blocking call, now 1.24]
void proxy::rest() {
  if (chosen_.proxy_spins) {
    const ticks until = now_ticks() + seconds_to_ticks(look_numbers::spin_before_rest_s);
    while (is_idle() && now_ticks() < until) cpu_pause();
  } else if (chosen_.busy_workers) {
    for (int naps = 0; naps < look_numbers::naps_before_rest && is_idle(); ++naps) {
      if (was_needed_) {
        (void)attention_.sleep().listen(attention_.limits().worst);
      } else {
        attention_.sleep().nap(attention_.limits().worst);
      }
    }
  }
  was_needed_ = false;
  const ticks at_most =
      beside_at_ == engine::never ? -1 : std::max<ticks>(1, beside_at_ - now_ticks());
  attention_.sleep().rest([this] { return is_idle(); }, at_most);
  awake_since_ = now_ticks();
}

bool proxy::may_spin() noexcept {
  return chosen_.proxy_spins &&
         (!chosen_.gives_way ||
          (spinning::licence().is_valid() && spins_.is_allowed(messages_.looks(), awake_since_)));
}

/// An idle worker polls without pause, or a worker comes by often: then this thread only waits for
/// them to stop.  While nothing is to be looked after (an operation is being posted, or waits for
/// its turn on a channel) the last look is now, as it will be when that starts
/// (`look_schedule::posted`).
pace_facts proxy::facts() noexcept {
  const look_schedule& looks = messages_.looks();
  const ticks now = now_ticks();
  const std::uint64_t moving = messages_.expectations() + messages_.completed_operations();
  if (std::exchange(seen_moving_, moving) != moving) moved_at_ = now;
  pace_facts f{
      .now = now,
      .last_look = looks.next() == look_schedule::never ? now : std::max(looks.last(), looked_at_),
      .moved = moved_at_,
      .is_told = alone_on_node_};
  const bool others_have_it = std::exchange(others_look_, false);
  if (at_fixed_interval_) {
    if (others_have_it) f.others_for = 0;
  } else if (chosen_.busy_workers && passes_.are_frequent(now, messages_.flight().began())) {
    f.others_for = passes_.frequent_for(now);
  } else if (others_have_it ||
             (looks.last() != own_last_ && now - looks.last() < attention_.limits().shortest)) {
    f.others_for = 0;
  }
  return f;
}

/// Does what has been called for: finishes tasks that others have let go, polls sources.
void proxy::call_beside() {
  is_called_.store(false, std::memory_order_seq_cst);
  std::lock_guard lock(after_look_mutex_);
  beside_at_ = beside_ ? beside_() : engine::never;
}

void proxy::look() {
  const std::uint64_t before = messages_.completed_operations();
  const bool has_looked = step();
  const bool was_long = news_judge::is_of_long_message(attention_.last_news());
  attention_.looked(has_looked);
  looked_at_ = now_ticks();
  others_look_ = !has_looked;
  if (!has_looked) return;
  was_needed_ = was_needed_ || was_long || messages_.completed_operations() != before;
  own_last_ = messages_.looks().last();
}

/// Starts what was posted and looks, and lets those above use what has completed.  Returns false if
/// another thread has the token: it looks, or it has lost its core in the middle, and needs it.
bool proxy::step() {
  const std::uint64_t before = messages_.completed_operations();
  if (!messages_.step_if_free(look::once)) return false;
  if (messages_.completed_operations() == before) return true;
  std::lock_guard lock(after_look_mutex_);
  if (after_look_) after_look_();
  return true;
}

}  // namespace plait
