// SPDX-License-Identifier: BSD-3-Clause
// All of it runs in the proxy, which takes the token to look.
#include "comm/engine/proxy.hpp"

#include <algorithm>
#include <mutex>
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

/// Naps until something arrives at a socket, for a long message wants an answer soon.  Not where
/// workers have completed by themselves all that was in flight before: then each short message
/// would wake this thread for nothing.  [measure nbc, bcast of 8 bytes, two nodes of one core
/// each: 1.77 of the library's blocking call, now 1.24]
void proxy::nap_while_idle() {
  if (was_needed_) {
    (void)watch_sockets(worst_);
  } else {
    sleep_unless([this] { return !is_idle(); }, worst_);
  }
}

/// More often than not something is in flight again soon, and to wake this thread costs whoever
/// posts it a system call, two thirds of the latency of a small message.  So it is a while before
/// it wants to be woken.
void proxy::rest() {
  if (chosen_.proxy_spins) {
    const ticks until = now_ticks() + seconds_to_ticks(look_numbers::spin_before_rest_s);
    while (is_idle() && now_ticks() < until) cpu_pause();
  } else if (chosen_.busy_workers) {
    for (int naps = 0; naps < look_numbers::naps_before_rest && is_idle(); ++naps) nap_while_idle();
  }
  was_needed_ = false;
  rests_.store(true, std::memory_order_seq_cst);
  sleep_unless([this] { return !is_idle(); }, -1);
  rests_.store(false, std::memory_order_seq_cst);
}

socket_news proxy::watch_sockets(ticks at_most) {
  watches_.store(true, std::memory_order_seq_cst);
  const socket_news news = is_stopped() ? socket_news{} : sockets_.wait(at_most);
  watches_.store(false, std::memory_order_seq_cst);
  return news;
}

/// Starts what was posted and looks as `which` says, and lets those above use what has completed.
/// Returns false if another thread has the token.
bool proxy::step(look which) {
  const std::uint64_t before = messages_.operations();
  if (!messages_.step_if_free(which)) return false;
  if (messages_.operations() == before) return true;
  std::lock_guard lock(after_look_mutex_);
  if (after_look_) after_look_();
  return true;
}

/// Returns the time until the next look where no socket has news: short after something has come to
/// be expected or has completed, then ever longer, up to the worst delay.  Where sockets tell of
/// all messages, it is the worst delay at once.  So an open window at which nothing moves costs
/// what a receive does for which nothing comes.  After a long wait it is up to `longest_distance`
/// times the worst delay, which is then little of the wait.
ticks proxy::next_distance(ticks now) noexcept {
  const std::uint64_t moving = messages_.expectations().all + messages_.operations();
  if (std::exchange(seen_moving_, moving) != moving) {
    moved_at_ = now;
    distance_ = shortest_;
  } else {
    const ticks longest = std::clamp((now - moved_at_) / look_numbers::patience, worst_,
                                     look_numbers::longest_distance * worst_);
    const bool told_of_all = alone_on_node_ && sockets_.carry_messages();
    distance_ = told_of_all ? longest : std::min(2 * distance_, longest);
  }
  return distance_;
}

/// Sleeps as long as a look is not worth its price, and then looks.  Where workers come by often it
/// only waits for them to stop.  Its naps cost the computation beside it, so they become longer, up
/// to an eighth of the time for which workers have come by often: a long task after short ones then
/// goes unwatched for that long at most.
void proxy::look_when_it_pays() {
  const look_schedule& looks = messages_.looks();
  const ticks now = now_ticks();
  const auto nap = [&](ticks time) { sleep_unless([this] { return is_stopped(); }, time); };
  if (at_fixed_interval_) {
    // `never`: something is being posted, and nobody has started it yet.
    const ticks next = looks.next();
    if (next == engine::never || now >= next) {
      (void)step(next == engine::never ? look::no : look::once);
    }
    nap(std::clamp(looks.next() - now_ticks(), looks.first(), looks.worst()));
    return;
  }
  if (chosen_.busy_workers && passes_.are_frequent(now, messages_.flight().began())) {
    const ticks shortest_nap = std::max(worst_, passes_.often());
    nap(std::clamp(passes_.frequent_for(now) / look_numbers::parts_of_frequent, shortest_nap,
                   look_numbers::longest_nap * shortest_nap));
    return;
  }
  const auto leave_it_to_others = [&] {
    nap(std::min(look_numbers::distances_left_to_others * shortest_, worst_));
  };
  // An idle worker polls without pause, or another thread does.
  if (looks.last() != own_last_ && now - looks.last() < shortest_) return leave_it_to_others();
  sockets_.find(now);
  const ticks due = std::max(looks.last(), own_last_) + next_distance(now);
  const socket_news news = watch_sockets(std::max(due - now, looks.first()));
  if (!judge_.is_worth_a_look(news, messages_.expectations()) && now_ticks() < due) return;
  const std::uint64_t before = messages_.operations();
  // Whoever has the token looks.  It may have lost its core in the middle, and to try again soon
  // would keep it from the core.
  if (!step()) return leave_it_to_others();
  if (messages_.operations() != before || news_judge::is_of_long_message(news)) was_needed_ = true;
  own_last_ = looks.last();
  sockets_.looked();
}

/// `dedicated`: polls without pause while anything is in flight, but as `sleeping` for a while
/// where it may give way and others want its core.  `sleeping`: sleeps until a look pays.  Where
/// workers look between short tasks, it leaves that to them.
void proxy::run() {
  core_watch core;
  bool watching = false;
  while (!is_stopped()) {
    if (messages_.state().is_idle()) {
      watching = false;
      rest();
    } else if (chosen_.proxy_spins && (!chosen_.gives_way || spinning::licence().is_valid())) {
      if (!step()) sched_yield();
      if (!chosen_.gives_way) continue;
      const ticks now = now_ticks();
      if (!std::exchange(watching, true)) {
        core.begin(now);
      } else if (core.is_wanted(now)) {
        spins_.give_way(now);
      }
    } else {
      watching = false;
      look_when_it_pays();
    }
  }
}

}  // namespace plait
