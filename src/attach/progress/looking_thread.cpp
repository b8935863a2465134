// SPDX-License-Identifier: BSD-3-Clause
#include "attach/progress/looking_thread.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include <pthread.h>

#include "attach/calls/call.hpp"
#include "attach/progress/looks.hpp"
#include "core/short_slices.hpp"
#include "look/attention.hpp"
#include "look/numbers.hpp"

namespace plait::attach {
namespace {

class looking_thread {
 public:
  explicit looking_thread(bool takes_token)
      : looks_(takes_token), attention_(pace_limits::up_to(look_numbers::worst_of_attach_s)) {
    attention_.limits().longest_wait = attention_.limits().worst;
    attached.wakes.wakes_up(&attention_.sleep());
    thread_ = std::thread([this] { run(); });
  }
  ~looking_thread() {
    attached.wakes.wakes_up(nullptr);
    attention_.sleep().stop();
    thread_.join();
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
    while (!attention_.sleep().is_stopped()) {
      if (has_nothing_to_do()) {
        attention_.sleep().rest([this] {
          order_other_threads();
          return has_nothing_to_do();
        });
      } else if (attention_.look_pays_else_sleep(facts(),
                                                 [this](const auto& n) { return expected(n); })) {
        attention_.look_until_read([this] { return looks_.look(); },
                                   [this] { return looks_.may_have_rounds(); });
      }
    }
    attached.notes.header().look_cpu_s = 1e-9 * static_cast<double>(processor_ns());
  }

  [[nodiscard]] bool has_nothing_to_do() noexcept {
    const ticks now = now_ticks();
    const std::uint64_t posts = attached.wakes.posts();
    if (std::exchange(seen_posts_, posts) != posts) {
      looks_.posted();
      moved_ = now;
      if (attached.wakes.in_flight() > 0) calls_since_ = now;
    }
    const bool has_requests = attached.wakes.in_flight() > 0 && !looks_.all_complete();
    return !has_requests && attached.windows.count() == 0 && attached.wakes.left_until() <= now;
  }

  /// While the program is in MPI it sees to its messages itself, and each piece of news would take
  /// the core from it.  So messages are left to it then, for as long again each time. [nwchem,
  /// whose ranks access windows 220 000 times each, with a look at each arrival: 6.5 s instead
  /// of 3.6]
  [[nodiscard]] pace_facts facts() noexcept {
    const ticks now = now_ticks();
    const ticks inside = attached.wakes.last_inside();
    pace_limits& limits = attention_.limits();
    const bool is_inside = looks_.program_is_inside();
    if (!is_inside && now - inside > limits.worst) calls_since_ = now;
    limits.longest_leave = attached.wakes.in_flight() > 0 ? limits.worst / 4 : limits.worst;
    return {.now = now,
            .last_look = std::max(looks_.last(), inside),
            .moved = std::max(moved_, looks_.completed_at()),
            .others_for = is_inside ? now - calls_since_ : -1,
            .is_told = true};
  }

  /// Returns how many steps of messages were to be expected so far.  Of accesses of other ranks to
  /// a window nothing is known before they come: each is a step.
  [[nodiscard]] std::uint64_t expected(const socket_news& news) noexcept {
    if (news.arrived && attached.windows.count() > 0) ++accesses_;
    return seen_posts_ + accesses_;
  }

  looks looks_;
  attention attention_;
  std::uint64_t seen_posts_ = 0;
  std::uint64_t accesses_ = 0;  ///< of other ranks to windows, at most
  ticks moved_ = 0;             ///< when the last post was seen
  ticks calls_since_ = 0;       ///< the program has called MPI often since, or has posted then
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
