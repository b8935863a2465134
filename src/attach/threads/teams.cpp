// SPDX-License-Identifier: BSD-3-Clause
#include "attach/threads/teams.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "attach/calls/call.hpp"

namespace plait::attach {
namespace {

constexpr int most_threads = 1024;  ///< larger teams are not counted

/// One thread's times in the team, as of its last wait.  A thread writes them before it arrives at
/// the barrier that ends the team, and the thread that formed the team reads them behind it: the
/// barrier orders the two.
struct alignas(64) place_in_team {
  std::atomic<ticks> busy{0};
  std::atomic<ticks> mpi{0};
};
place_in_team places[most_threads];

/// The team that is counted now.  Written by the thread that forms it, but for `joined`.
struct {
  bool is_open = false;
  ticks begin = 0;
  ticks mpi_before = 0;        ///< of the thread that forms it
  std::atomic<int> joined{0};  ///< threads, by the largest place
  std::atomic<int> given{0};   ///< places
  int used = 0;                ///< by the last team
} team;

/// State of a thread of the team: a bit for each part that has begun and not ended, 1 for a wait.
/// The lowest is the innermost; none is the team's code itself.
struct team_thread {
  int place = -1;  ///< -1: in no counted team
  std::uint64_t parts = 0;
  ticks since = 0;
  ticks busy = 0;
  ticks mpi_before = 0;
};
thread_local constinit team_thread own_part __attribute__((tls_model("initial-exec")));

[[nodiscard]] bool is_waiting(const team_thread& one) noexcept {
  return (one.parts & 1U) != 0;
}

void publish(const team_thread& one) noexcept {
  place_in_team& at = places[one.place];
  at.busy.store(one.busy, std::memory_order_relaxed);
  at.mpi.store(own_thread.in_mpi - one.mpi_before, std::memory_order_relaxed);
}

/// Books the time since the last change to what the thread did until now.
void book(team_thread& to) noexcept {
  const ticks now = now_ticks();
  if (!is_waiting(to)) to.busy += now - to.since;
  to.since = now;
}

void begin_part(std::uint64_t is_wait) noexcept {
  team_thread& own = own_part;
  if (own.place < 0) return;
  book(own);
  own.parts = own.parts << 1U | is_wait;
  if (is_wait != 0) publish(own);
}

}  // namespace

bool begin_team(team_runtime by) noexcept {
  if (!is_attached.load(std::memory_order_relaxed)) return false;
  if (!own_thread.is_main || team.is_open || own_part.place >= 0) return false;
  for (int i = 0; i < team.used; ++i) {
    places[i].busy.store(0, std::memory_order_relaxed);
    places[i].mpi.store(0, std::memory_order_relaxed);
  }
  team.joined.store(0, std::memory_order_relaxed);
  team.given.store(0, std::memory_order_relaxed);
  attached.notes.header().teams.runtimes |= static_cast<std::int32_t>(by);
  team.is_open = true;
  team.mpi_before = own_thread.in_mpi;
  team.begin = now_ticks();
  return true;
}

int next_place() noexcept {
  return team.given.fetch_add(1, std::memory_order_relaxed);
}

void join_team(int place) noexcept {
  if (place < 0) return;
  int joined = team.joined.load(std::memory_order_relaxed);
  while (joined <= place &&
         !team.joined.compare_exchange_weak(joined, place + 1, std::memory_order_relaxed)) {
  }
  if (place >= most_threads) return;
  own_part = {place, 0, now_ticks(), 0, own_thread.in_mpi};
}

void leave_team() noexcept {
  team_thread& own = own_part;
  if (own.place < 0) return;
  book(own);
  publish(own);
  own.place = -1;
}

void forget_team() noexcept {
  own_part.place = -1;
}

bool is_in_counted_team() noexcept {
  return own_part.place >= 0;
}

void begin_team_wait() noexcept {
  begin_part(1);
}
void begin_team_task() noexcept {
  begin_part(0);
}
void end_team_part() noexcept {
  team_thread& own = own_part;
  if (own.place < 0) return;
  book(own);
  own.parts >>= 1U;
  if (is_waiting(own)) publish(own);
}

/// Of what threads do not compute, as much as each of them has is the runtime's own: to start and
/// to end the team.  The rest is for slower threads.  [TALP: scheduling and load imbalance]
void end_team() noexcept {
  const ticks time = now_ticks() - team.begin;
  const int threads = team.joined.load(std::memory_order_relaxed);
  team.is_open = false;
  team.used = std::min(threads, most_threads);
  if (threads == 0 || threads > most_threads || !is_attached.load(std::memory_order_relaxed))
    return;
  team_sums& sums = attached.notes.header().teams;
  ticks least = time;
  ticks all = 0;
  for (int i = 0; i < threads; ++i) {
    const ticks busy = std::min(places[i].busy.load(std::memory_order_relaxed), time);
    sums.busy += busy;
    sums.mpi += places[i].mpi.load(std::memory_order_relaxed);
    all += time - busy;
    least = std::min(least, time - busy);
  }
  sums.own_mpi += own_thread.in_mpi - team.mpi_before;
  sums.scheduling += threads * least;
  sums.unequal += all - threads * least;
  sums.time += time;
  sums.capacity += threads * time;
  sums.largest = std::max<std::int32_t>(sums.largest, threads);
  ++sums.teams;
}

}  // namespace plait::attach
