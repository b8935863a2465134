// SPDX-License-Identifier: BSD-3-Clause
/// The ledger: where each worker's time went.  Not a trace: sums, no events.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/core/extremes.hpp>

namespace plait {

/// Names the accounts to which a worker's time is charged.
enum class activity : std::uint8_t {
  compute,   ///< task functions; on the submitting thread also the program between calls of plait
  posting,   ///< starting and polling communication while there is other work to do
  exposed,   ///< nothing to run while communication of this rank is in flight
  overhead,  ///< plait itself: submission, dependences, scheduling
  idle,      ///< nothing to run, nothing in flight and no task held
  on_hold,   ///< nothing to run and nothing in flight, while a task is held
};
inline constexpr int activity_count = 6;

/// Seconds one worker spent.  compute + posting + exposed + overhead + idle + held = wall, to
/// within 1 %.
struct ledger_entry {
  int worker = 0;
  double compute_s = 0;
  double posting_s = 0;
  double exposed_s = 0;
  double overhead_s = 0;
  double idle_s = 0;
  double held_s = 0;
  double wall_s = 0;  ///< by the monotonic clock, not by adding up the others

  /// Returns |sum of the parts - wall| / wall; 0 for an empty interval.
  [[nodiscard]] double balance_error() const noexcept;
};

using ledger = std::vector<ledger_entry>;

namespace detail {

/// The account of one worker.  `charge` books everything since the last booking; so nothing is lost
/// or counted twice, whatever the order of the calls.  One writer; any thread may take a snapshot:
/// `version_` is odd while a booking is under way and a reader that meets one, or two different
/// versions, tries again.
class account {
 public:
  using sums = std::array<ticks, activity_count>;

  explicit account(ticks now) noexcept : last_(now) {}

  /// The last booking.  Writer only.
  [[nodiscard]] ticks last() const noexcept { return last_.load(std::memory_order_relaxed); }

  /// Books time without reading the clock, for spells that are too short to read it every time.  Of
  /// the time since the last booking, `overhead` more is plait's own and `posting` more is posting.
  /// The rest is `compute` once the clock is read.  Less than nothing: of what was owed before.
  void owe(ticks overhead, ticks posting = 0) noexcept {
    owed_.store(owed() + (overhead != 0 ? overhead : 1), std::memory_order_relaxed);
    if (posting != 0) owed_posting_.store(owed_posting() + posting, std::memory_order_relaxed);
  }
  [[nodiscard]] bool owes() const noexcept { return owed() != 0; }

  /// Charges the time since the last booking; if something is owed, not to `to`, but as it was
  /// owed.
  void charge(activity to, ticks now) noexcept {
    if (owes()) {
      charge_most(activity::compute, now, 0);
    } else {
      book(to, now);
    }
  }

  /// Charges `usual_overhead` of the time since the last booking, or all of it, to `overhead`, of
  /// the rest to `posting` what is owed, and what is left to `to`.
  void charge_most(activity to, ticks now, ticks usual_overhead) noexcept {
    const ticks since = last();
    usual_overhead += owed();
    owed_.store(0, std::memory_order_relaxed);
    book(activity::overhead, since + clamped<ticks>(usual_overhead, 0, now - since));
    if (const ticks posting = owed_posting(); posting != 0) {
      owed_posting_.store(0, std::memory_order_relaxed);
      book(activity::posting, last() + clamped<ticks>(posting, 0, now - last()));
    }
    book(to, now);
  }

  /// Charges the time since the last booking to `exposed`, up to `at_most_exposed` of it, of the
  /// rest up to `at_most_held` to `on_hold`, and what is left to `idle`.
  void charge_idle(ticks now, ticks at_most_exposed, ticks at_most_held = 0) noexcept {
    const ticks since = last_.load(std::memory_order_relaxed);
    const ticks exposed = clamped<ticks>(at_most_exposed, 0, now - since);
    book(activity::exposed, since + exposed);
    if (at_most_held > 0)
      book(activity::on_hold,
           since + exposed + clamped<ticks>(at_most_held, 0, now - since - exposed));
    book(activity::idle, now);
  }

  /// Holds the booked times, the end of the booked time, and the times owed since then.
  struct state {
    sums booked;
    ticks last;
    ticks owed;
    ticks owed_posting;
  };
  [[nodiscard]] state snapshot() const noexcept {
    for (;;) {
      const auto before = version_.load(std::memory_order_acquire);
      state result;
      for (int i = 0; i < activity_count; ++i)
        result.booked[i] = sums_[i].load(std::memory_order_acquire);
      result.last = last_.load(std::memory_order_acquire);
      result.owed = owed_.load(std::memory_order_acquire);
      result.owed_posting = owed_posting_.load(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_acquire) == before) return result;
    }
  }

 private:
  [[nodiscard]] ticks owed() const noexcept { return owed_.load(std::memory_order_relaxed); }
  [[nodiscard]] ticks owed_posting() const noexcept {
    return owed_posting_.load(std::memory_order_relaxed);
  }

  void book(activity to, ticks now) noexcept {
    const auto version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    auto& sum = sums_[static_cast<std::size_t>(to)];
    const ticks since = last_.load(std::memory_order_relaxed);
    sum.store(sum.load(std::memory_order_relaxed) + (now - since), std::memory_order_release);
    last_.store(now, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  std::array<std::atomic<ticks>, activity_count> sums_{};
  std::atomic<ticks> last_;
  std::atomic<std::uint32_t> version_{0};
  std::atomic<ticks> owed_{0};
  std::atomic<ticks> owed_posting_{0};
};

/// Sums since a reset.  What was open at the reset was booked by guess: as the program's own time
/// on the submitting thread, as overhead or as idleness elsewhere.  If it has been booked as
/// something else since, there is less than nothing of the one: what is missing is taken from the
/// other.
void settle_what_was_open(account::sums& since_reset) noexcept;

/// Estimates plait's own time between two events that are booked, measured at some of them.
/// Reading the clock costs 16 to 24 ns here, and a task of the program needs four readings, a third
/// of the 194 ns that it took.  So all four are made for one task in `period`, else one reading
/// when the task has ended, and not even that for most that are short (timekeeper.hpp).
/// The sums stay exact.  The split of a task shorter than this overhead is an estimate.
class sampled_overhead {
 public:
  [[nodiscard]] bool is_due() noexcept {
    if (left_-- > 0) return false;
    left_ = period - 1;
    return true;
  }
  [[nodiscard]] bool is_next_due() const noexcept { return left_ == 0; }
  /// Returns how many pass before the next that is due.
  [[nodiscard]] int until_due() const noexcept { return left_; }
  /// Notes that so many more have passed unmeasured; fewer than none: that they have not.
  void pass(int events) noexcept { left_ = left_ > events ? left_ - events : 0; }
  /// An interruption counts little, and is forgotten soon; of the first sample nobody knows whether
  /// it was interrupted.
  void learn(ticks measured) noexcept {
    constexpr ticks most_at_first = 4096;  // a microsecond or a few
    const ticks step = usual_ / 2 + 1;
    usual_ = usual_ == 0 ? smaller(measured, most_at_first)
                         : usual_ + clamped(measured - usual_, -step, step) / 2;
  }
  [[nodiscard]] ticks usual() const noexcept { return usual_; }

  static constexpr int period = 64;

 private:
  int left_ = 0;
  ticks usual_ = 0;
};

}  // namespace detail
}  // namespace plait
