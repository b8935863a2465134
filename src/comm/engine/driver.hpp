// SPDX-License-Identifier: BSD-3-Clause
/// Takes up what is posted, and drives it while it holds the token.  `post`, `poll` and their kin
/// run in any thread and take the token; what is private runs in its holder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <plait/comm/engine.hpp>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>

#include "comm/engine/activity.hpp"
#include "comm/engine/completer.hpp"
#include "comm/engine/in_flight.hpp"
#include "comm/engine/moment.hpp"
#include "comm/matching/matcher.hpp"
#include "look/paired_receives.hpp"

namespace plait {

using paired_receives = basic_paired_receives<operation>;

class driver {
 public:
  /// `somebody_looks`: a proxy or busy workers do while anything is in flight;
  /// `worst_delay_s`: what lies at most between two looks that the schedule asks for.
  driver(environment& env, const engine_options& options, bool somebody_looks, double worst_delay_s)
      : env_(env),
        token_(env.token()),
        somebody_looks_(somebody_looks),
        matching_(options.persistent_requests),
        paired_(pairs_messages(env, options.paired_receives)),
        tell_(options.disturb, state_),
        at_once_below_bytes_(tell_.random().is_on() ? 0
                             : paired_.is_on()      ? paired_receives::asks_from_bytes
                                                    : SIZE_MAX),
        flights_(token_, state_, tell_, options.poll_every_s, worst_delay_s) {}

  // Submitting thread
  // ---------------------------------------------------------------------------------------------
  [[nodiscard]] matcher& matching() noexcept { return matching_; }
  /// See `engine::leave_out`.
  [[nodiscard]] bool leave_out(std::span<channel* const> channels);
  /// Lists the messages under way and those that have come unasked; see `engine::survey`.
  [[nodiscard]] message_survey survey(const std::function<std::string(const operation&)>& name_of,
                                      double patience_s);

  // Any thread.  What calls MPI takes the token for it.
  // ---------------------------------------------------------------------------------------------
  /// Starts `op`, or leaves it to whoever holds the token.
  void post(operation& op);
  /// See `engine::start_at_once`, and if `succeeds` is not null, `engine::enqueue_and_start`.
  [[nodiscard]] engine::at_once start_at_once(operation& op, engine::successor succeeds);
  /// Drives operations, unless another thread does so or waits for the token.  Returns whether
  /// anything started or completed.  `again`: the caller polls without pause.
  bool poll(bool again) {
    if (state_.is_idle() || gives_token_way() || !token_.try_acquire()) return false;
    const bool worked = step(again ? look::again : look::once);
    release_token();
    return worked;
  }
  /// Takes a step of the proxy, also where nothing is in flight any more.  Returns false if
  /// another thread has the token.
  bool step_if_free(look which) {
    if (gives_token_way() || !token_.try_acquire()) return false;
    step(which);
    release_token();
    return true;
  }
  void watch(awaited& what);
  void serve(served_window& window);
  void stop_serving(served_window& window);
  /// Gives up operations that have not completed, after at most `patience_s` for sends; see
  /// `engine::cancel`.
  [[nodiscard]] bool cancel(double patience_s);
  void want_exact_times(bool wanted) noexcept {
    exact_times_.store(wanted, std::memory_order_relaxed);
  }

  void lock() noexcept { token_.acquire(); }
  /// Not where starts are delayed at random: only the end of a step says when these are due.
  [[nodiscard]] bool try_lock() noexcept {
    return !tell_.random().is_on() && !mpi_token::any_held_here() && token_.try_acquire();
  }
  /// Gives the token back, and takes it again for operations that were pushed by threads that found
  /// it held.
  [[gnu::always_inline]] void release_token() {
    token_.release();
    if (state_.any_posted()) [[unlikely]]
      take_up_posted();
  }

  /// Returns true if a thread that waits for the token is to go first.  Not if nobody has looked
  /// for too long: tasks that call MPI_Test in a loop wait for the token all the time.
  [[nodiscard]] bool gives_token_way() const noexcept {
    return token_.wanted() && now_ticks() < looks().overdue();
  }
  [[nodiscard]] const activity& state() const noexcept { return state_; }
  [[nodiscard]] const look_schedule& looks() const noexcept { return flights_.looks(); }
  [[nodiscard]] const flight_clock& flight() const noexcept { return flights_.flight(); }
  [[nodiscard]] std::uint64_t completed_operations() const noexcept { return tell_.count(); }
  [[nodiscard]] std::uint64_t polls() const noexcept { return flights_.polls(); }
  [[nodiscard]] std::uint64_t expectations() const noexcept { return flights_.expectations(); }

  // Holder of the token, when nothing is in flight
  // ---------------------------------------------------------------------------------------------
  /// Collective in some libraries.
  void close_library() noexcept { flights_.close(); }

 private:
  // Holder of the token
  // ---------------------------------------------------------------------------------------------
  bool step(look which, operation* here = nullptr);
  void take_up_posted();
  bool drain();
  void take_up(operation& op, moment& when);
  void admit(operation& op, moment& when);
  /// The turn of the operation has come: starts it, or keeps it, and starts what it lets go.
  void begin(operation& op, moment& when);
  void begin_in_pairs(operation& op, moment& when);
  void begin_parked(channel& via, moment& when) {
    while (operation* next = via.unpark()) begin(*next, when);
  }
  /// A receive that waited for its send starts.
  void start_kept(operation& op, moment& when);
  void start_alone(std::span<const held_queue::entry> released, bool have_failed);
  void start_all_kept();
  /// Ends the job if something is waited for that a rank that has left would have to send.
  void look_for_departures();
  /// Goes on with what was held back for long enough.  `worked`: something has started or completed
  /// in this step.
  bool release_held(look which, bool worked);
  /// Returns whether long receives are kept until sends: where messages go by TCP.
  [[nodiscard]] static bool pairs_messages(environment& env, pairing wanted);
  [[nodiscard]] bool is_paired(const operation& op) const noexcept {
    return paired_.is_on() && op.size_bytes >= paired_receives::asks_from_bytes;
  }

  environment& env_;
  mpi_token& token_;
  const bool somebody_looks_;
  std::atomic<bool> exact_times_{false};  ///< each operation's `posted_at` is read from the clock
  activity state_;
  matcher matching_;
  /// Starts what is kept before somebody else has the token for long.
  struct kept_starts : mpi_token::put_off {
    explicit kept_starts(driver& of_) noexcept : of(of_) {
      catch_up = [](put_off& self) noexcept {
        static_cast<kept_starts&>(self).of.start_all_kept();
      };
    }
    driver& of;
  } kept_starts_{*this};
  paired_receives paired_;
  completer tell_;
  const std::size_t at_once_below_bytes_;  ///< longer messages may have to wait
  in_flight flights_;
};

inline void driver::post(operation& op) {
  // Where somebody looks all the time, the last look is as good: a reading takes longer than all
  // else that is done here.
  const bool lately = somebody_looks_ && looks().next() != engine::never &&
                      !exact_times_.load(std::memory_order_relaxed);
  op.posted_at = lately ? looks().last() : now_ticks();
  if (mpi_token::any_held_here()) {  // in `completed` of another operation
    moment when;
    state_.one_more();
    take_up(op, when);
  } else if (token_.try_acquire()) {
    state_.one_more();
    step(look::no, &op);
    release_token();
  } else {
    state_.push(op);
    if (token_.try_acquire()) {
      step(look::no);
      release_token();
    }
  }
}

[[gnu::always_inline]] inline engine::at_once driver::start_at_once(operation& op,
                                                                    engine::successor succeeds) {
  if (op.size_bytes >= at_once_below_bytes_) return engine::at_once::later;
  const bool is_held = mpi_token::any_held_here();  // for several starts, or for `completed`
  if (!is_held && !token_.try_acquire()) return engine::at_once::later;
  auto became = engine::at_once::later;
  try {
    channel& via = *op.via;  // after its start `op` may be gone
    became = flights_.start_at_once(op, succeeds);
    if (!via.parked().empty() && became != engine::at_once::later) [[unlikely]] {
      moment when;
      begin_parked(via, when);
    }
  } catch (...) {
    if (!is_held) release_token();
    throw;
  }
  if (!is_held) release_token();
  return became;
}

inline void driver::take_up(operation& op, moment& when) {
  if (!tell_.sets_aside(op, held_queue::why::delayed_start)) admit(op, when);
}

/// Starts the operation and those that were parked behind it, or parks it until its turn.
inline void driver::admit(operation& op, moment& when) {
  if (state_.is_given_up()) {
    tell_.settle(op, nullptr);
    return;
  }
  if (op.remote != nullptr) {
    flights_.start_one_sided(op, when);
    return;
  }
  channel& via = *op.via;
  if (!via.may_start(op)) {
    via.park(op);
    return;
  }
  begin(op, when);
  if (!via.parked().empty()) begin_parked(via, when);
}

inline void driver::begin(operation& op, moment& when) {
  if (is_paired(op) && op.what != operation::kind::collective) {
    begin_in_pairs(op, when);
  } else {
    flights_.start(op, when);
  }
}

inline bool driver::drain() {
  operation* oldest = state_.take_posted();
  if (oldest == nullptr) return false;
  moment when;
  while (oldest != nullptr) take_up(*std::exchange(oldest, oldest->next), when);
  return true;
}

}  // namespace plait
