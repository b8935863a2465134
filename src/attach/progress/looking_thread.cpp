// SPDX-License-Identifier: BSD-3-Clause
#include "attach/progress/looking_thread.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include "attach/calls/call.hpp"
#include "look/look_schedule.hpp"
#include "look/news_judge.hpp"
#include "look/numbers.hpp"
#include "look/short_slices.hpp"
#include "look/transport_sockets.hpp"

namespace plait::attach {
namespace {

int no_status(void*, MPI_Status*) {
  return MPI_SUCCESS;
}
int no_free(void*) {
  return MPI_SUCCESS;
}
int no_cancel(void*, int) {
  return MPI_SUCCESS;
}

/// Looks with a request of the program's own where it may touch those, so that it learns when all
/// is complete; with one of its own otherwise.  A look of either kind drives the library once.
class looking_thread {
 public:
  explicit looking_thread(bool takes_token)
      : takes_token_(takes_token),
        schedule_(look_numbers::first_of_attach_s, look_numbers::worst_of_attach_s) {
    PLAIT_REAL(MPI_Grequest_start)(no_status, no_free, no_cancel, nullptr, &own_request_);
    thread_ = std::thread([this] { run(); });
  }
  ~looking_thread() {
    attached.wakes.stop();
    sockets_.wake();
    thread_.join();
    PLAIT_REAL(MPI_Grequest_complete)(own_request_);
    PLAIT_REAL(MPI_Wait)(&own_request_, MPI_STATUS_IGNORE);
  }
  looking_thread(const looking_thread&) = delete;
  looking_thread& operator=(const looking_thread&) = delete;

 private:
  void run() {
    // Signals are the program's, and MPI's calls to itself are nobody's.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    pthread_setname_np(pthread_self(), "plait-attach");
    own_thread.depth = 1;
    ask_for_short_slices();
    while (!attached.wakes.is_stopped()) {
      if (has_nothing_to_do()) {
        schedule_.rest();
        attached.wakes.rest([this] { return has_nothing_to_do(); });
      } else {
        look_when_it_pays();
      }
    }
    attached.notes.header().look_cpu_s = 1e-9 * static_cast<double>(processor_ns());
  }

  [[nodiscard]] bool has_nothing_to_do() noexcept {
    const std::uint64_t posts = attached.wakes.posts();
    if (posts != seen_posts_) {
      seen_posts_ = posts;
      all_complete_ = false;
      schedule_.posted(now_ticks());
      if (attached.wakes.in_flight() > 0) beside_calls_ = schedule_.first();
    }
    const bool has_requests = attached.wakes.in_flight() > 0 && !all_complete_;
    return !has_requests && attached.windows.load(std::memory_order_relaxed) == 0 &&
           attached.wakes.left_until() <= now_ticks();
  }

  /// Sleeps while the program is in MPI.  It sees to its messages itself there, and each piece of
  /// news would take the core from it.  So sockets are not listened to then, for as long again each
  /// time. [nwchem, whose ranks access windows 220 000 times each, with a look at each arrival: 6.5
  /// s instead of 3.6]
  void nap_beside_calls() noexcept {
    const bool has_requests = attached.wakes.in_flight() > 0;
    const ticks most = has_requests ? schedule_.worst() / 4 : schedule_.worst();
    const double nap_s = ticks_to_seconds(std::min(beside_calls_, most));
    const timespec nap{0, static_cast<long>(1e9 * nap_s)};
    nanosleep(&nap, nullptr);
    beside_calls_ = std::min(2 * beside_calls_, schedule_.worst());
  }

  void look_when_it_pays() {
    if (takes_token_ && attached.token.is_taken()) return nap_beside_calls();
    const ticks now = now_ticks();
    // A post may be counted before it is in flight, and then seen only with the next reading.
    if (schedule_.next() == look_schedule::never) schedule_.posted(now);
    const ticks inside = attached.wakes.last_inside();
    if (now - inside > schedule_.worst()) beside_calls_ = schedule_.first();
    sockets_.find(now);
    const bool is_told = sockets_.carry_messages();
    const ticks due = is_told ? std::max(schedule_.last(), inside) + schedule_.worst()
                              : std::max(schedule_.next(), inside + schedule_.first());
    ticks nap = std::clamp(due - now, schedule_.first(), schedule_.worst());
    if (has_unread_) nap = std::min(nap, pause_);
    const socket_news news = sockets_.wait(nap);
    const bool has_paused = has_unread_ && !news.arrived;
    if (news.arrived) has_unread_ = true;
    const std::uint64_t expected = steps_expected(news);
    // How long the messages of a post are is not known of collectives: each may ask.
    const bool is_worth_it =
        judge_.is_worth_a_look(news, {.all = expected, .long_receives = expected});
    if (!is_worth_it && !has_paused && now_ticks() < due) return;
    look_until_read();
  }

  /// Looks as often as a look leaves work that nobody would tell of.  Some libraries take one part
  /// of a message from a socket in a look (Open MPI: 128 KiB), and some begin the next round of a
  /// collective in the look after the one that has ended the round before (MPICH). [osu_iallreduce,
  /// MPICH, 256 and 512 KiB, 1 MiB at 1 Gbit/s, medians of two, time by
  /// attainable: 1.13, 1.34, 1.26; now 1.05, 1.08, 1.03]
  void look_until_read() {
    has_unread_ = false;
    if (!look()) return;
    sockets_.looked();
    if (!sockets_.carry_messages()) return;
    for (std::size_t left = sockets_.unread(); left >= look_numbers::worth_another_look_bytes;) {
      if (!look()) return;
      const std::size_t before = std::exchange(left, sockets_.unread());
      if (left >= before) break;
    }
    if (may_have_rounds_) (void)look();
  }

  /// Returns how many steps of messages were to be expected so far.  Of accesses of other ranks to
  /// a window nothing is known before they come: each is a step.
  [[nodiscard]] std::uint64_t steps_expected(const socket_news& news) noexcept {
    if (news.arrived && attached.windows.load(std::memory_order_relaxed) > 0) ++accesses_;
    return seen_posts_ + accesses_;
  }

  /// Looks once, but not while the program is inside MPI, which drives its messages itself, nor
  /// where the library might run an operation of the program's on this thread.  Returns false in
  /// the first case.
  [[nodiscard]] bool look() noexcept {
    if (takes_token_ && !attached.token.try_look()) {
      schedule_.looked(now_ticks(), false, true);
      return false;
    }
    const ticks begin = now_ticks();
    const bool may_run_users_code =
        takes_token_ ? attached.pending.user_operations() > 0 : attached.user_operations.load() > 0;
    bool completed = false;
    if (!may_run_users_code) completed = takes_token_ ? look_at_programs() : look_at_own();
    if (!may_run_users_code) note_time_looked_after(now_ticks());
    if (takes_token_) attached.token.looked();
    const ticks end = now_ticks();
    schedule_.looked(end, completed, true);
    profile_header& h = attached.notes.header();
    ++h.looks;
    if (completed) ++h.looks_that_completed;
    h.look_s += static_cast<double>(end - begin) * h.seconds_per_tick;
    return true;
  }

  /// Counts the time since the program's last call or the last look: what has moved in it has moved
  /// by looks, or by itself.
  void note_time_looked_after(ticks until) noexcept {
    const ticks since = std::max(last_look_, attached.wakes.last_inside());
    last_look_ = until;
    if (until <= since) return;
    std::atomic_ref(attached.notes.header().looked)
        .fetch_add(until - since, std::memory_order_relaxed);
  }

  /// Looks at the oldest request that is not complete: its turn comes first in most libraries.
  [[nodiscard]] bool look_at_programs() noexcept {
    bool completed = false;
    bool is_driven = false;
    request_data* one = attached.pending.oldest();
    while (one != nullptr) {
      if (!one->is_complete) {
        int flag = 0;
        PLAIT_REAL(MPI_Request_get_status)(one->handle, &flag, MPI_STATUS_IGNORE);
        is_driven = true;
        if (flag == 0) break;
        one->is_complete = true;
        completed = true;
      }
      one = one->newer;
    }
    all_complete_ = one == nullptr;
    may_have_rounds_ = one != nullptr && !one->is_message;
    if (!is_driven) completed = look_at_own() || completed;
    return completed;
  }
  [[nodiscard]] bool look_at_own() noexcept {
    int flag = 0;
    PLAIT_REAL(MPI_Request_get_status)(own_request_, &flag, MPI_STATUS_IGNORE);
    return false;
  }

  const bool takes_token_;
  look_schedule schedule_;
  transport_sockets sockets_;
  news_judge judge_;
  MPI_Request own_request_{};
  std::uint64_t seen_posts_ = 0;
  ticks last_look_ = 0;
  std::uint64_t accesses_ = 0;  ///< of other ranks to windows, at most
  bool all_complete_ = false;
  bool may_have_rounds_ = true;  ///< the oldest request may be a collective
  const ticks pause_ = seconds_to_ticks(look_numbers::silence_s);
  ticks beside_calls_ = schedule_.first();  ///< the next nap while the program is in MPI
  bool has_unread_ = false;                 ///< bytes have arrived since the last look
  std::thread thread_;
};

std::unique_ptr<looking_thread>& the_thread() {
  static auto& one = *new std::unique_ptr<looking_thread>;
  return one;
}

}  // namespace

void start_looking(int level) {
  if (!attached.asked.has(switch_progress)) return;
  if (level < MPI_THREAD_SERIALIZED) {
    attached.notes.header().switches &= ~static_cast<std::uint32_t>(switch_progress);
    return;
  }
  ask_kernel_to_order_threads();
  attached.locks_token = level == MPI_THREAD_SERIALIZED;
  attached.progresses = true;
  the_thread() = std::make_unique<looking_thread>(attached.locks_token);
}

void stop_looking() {
  the_thread().reset();
  attached.progresses = false;
  attached.locks_token = false;
}

}  // namespace plait::attach
