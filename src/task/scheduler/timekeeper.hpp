// SPDX-License-Identifier: BSD-3-Clause
/// The time of one worker: is told what the worker does, decides when the clock is read, and books
/// the time in between.  Not here: the sums themselves (`account`), nor who is told of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <plait/core/clock.hpp>
#include <plait/task/access.hpp>
#include <plait/task/detail/node.hpp>
#include <plait/task/ledger.hpp>

namespace plait::detail {

/// The clock that ledgers are kept by.
struct processor_clock {
  [[nodiscard]] static ticks now() noexcept { return now_ticks(); }
  [[nodiscard]] static clock_pair both() noexcept { return read_both_clocks(); }
  [[nodiscard]] static ticks short_task() noexcept { return seconds_to_ticks(1e-6); }
};

/// Times until some moment: during which communication was in flight, and during which none was and
/// a task was held.
struct waited {
  ticks in_flight = 0;
  ticks held = 0;

  waited(ticks in_flight_, ticks held_ = 0) noexcept  // NOLINT: implicit on purpose
      : in_flight(in_flight_), held(held_) {}
};

/// Everything but what says otherwise is for the worker's own thread.
///
/// When the clock is read around tasks: before one in `sampled_overhead::period`, after each; but
/// of tasks that take no longer than some readings, after one in 64 (a third of an empty
/// replayed task was the reading after one in 16), in eight while messages are in flight.  Posts
/// and submissions are timed likewise: what is not is owed to the account at what it usually takes.
template <class Clock>
class basic_timekeeper {
 public:
  /// Instead of a time: the clock was not read.
  static constexpr ticks unread = 0;
  static constexpr int longest_burst = 16;

  /// `submits`: of the thread whose time outside of plait is the program's.
  explicit basic_timekeeper(bool submits) noexcept
      : submits_(submits), in_(submits ? place::program : place::plait), account_(Clock::now()) {}

  // The program and plait.  Submitting thread
  // ---------------------------------------------------------------------------------------------
  /// Notes the way from the program into plait: the time since `left` was the program's own.  No
  /// effect inside plait.
  void entered() noexcept {
    if (in_ == place::program) read_entry();
  }
  [[nodiscard]] bool is_inside() const noexcept { return in_ != place::program; }
  /// Notes the way from the program into plait, mostly without reading the clock, in which case
  /// `left` does not read it either.  Precondition: only to submit a node, while the in-flight
  /// limit has room.
  void entered_to_submit(node_kind kind) noexcept {
    if (in_ == place::program) enter_to(submissions_[kind == node_kind::compute ? 0 : 1]);
  }
  /// A submission of a task that passes does not come here.  `from`: what the thread did since
  /// `entered`.
  void left(activity from = activity::overhead) noexcept {
    if (std::exchange(in_, place::program) != place::submission) return read_exit(from);
    account_.owe(std::exchange(submission_, nullptr)->usual());
  }
  /// Lets the next submissions of tasks pass until one is to be timed: they are owed now, and
  /// nothing is told of one but that it begins.  After one that was timed: it is not done over and
  /// over where messages come between.
  void let_submissions_pass() noexcept {
    if (submissions_[0].until_due() == sampled_overhead::period - 1)
      owe_passing(submissions_[0], sampled_overhead::period - 1);
  }
  /// Notes the way into plait and back around an operation that begins without a node: all of it is
  /// posting.
  void entered_to_begin(access_mode mode) noexcept {
    enter_to(begun_[mode == access_mode::in ? 0 : 1]);
  }
  void left_after_begin() noexcept {
    if (std::exchange(in_, place::program) != place::submission)
      return read_exit(activity::posting);
    account_.owe(0, std::exchange(submission_, nullptr)->usual());
  }

  // Tasks
  // ---------------------------------------------------------------------------------------------
  /// Returns the time at which the task begins if `wanted` or if this one is timed; else `unread`.
  [[nodiscard]] ticks task_begins(bool wanted) noexcept {
    stop_passing();
    return between_tasks_.is_next_due() || wanted ? read_begin() : unread;
  }
  /// Returns the time at which the task ended.  `began`: result of `task_begins`.
  [[nodiscard]] ticks task_ended(ticks began) noexcept {
    stop_passing();
    (void)between_tasks_.is_due();
    return read_end(began != unread);
  }
  /// Returns true if the tasks before the last reading of the clock took, on average, less than
  /// `Clock::short_task()`.
  [[nodiscard]] bool tasks_are_short() const noexcept { return tasks_short_; }
  /// Leaves the clock unread for some of the next tasks, if they are as short as the last.  They
  /// are owed now, and nothing is told of one that passes but that it does.  `watchful`: somebody
  /// wants to know soon how late it is.
  void let_pass(bool watchful = false) noexcept {
    stop_passing();
    const int most = watchful ? most_unread / 2 : sampled_overhead::period - 1;
    const int count = std::min(most - unread_, between_tasks_.until_due() - 1);
    if (tasks_short_ && count > 0) owe_passing(between_tasks_, count);
  }
  /// Returns whether nothing is to be told before the next task: if so, `passed` is asked when it
  /// has ended.
  [[nodiscard]] bool lets_pass() const noexcept { return left_to_pass_ >= 0; }
  /// Returns true if the task has passed, false if it is to be told to `task_ended` as `unread`;
  /// or whether the submission that begins passes.
  [[nodiscard]] bool passed() noexcept { return --left_to_pass_ >= 0; }
  /// Notes that the task that runs, and those after it, do not pass; nor submissions.
  void stop_passing() noexcept {
    if (left_to_pass_ > 0) owe_passing(*passing_, -left_to_pass_);
    left_to_pass_ = -1;
  }
  /// Notes that no task follows at once: the time from here on is no task's.
  void tasks_over() noexcept {
    stop_passing();
    if (account_.owes()) account_.charge(activity::compute, read());
    unread_ = 0;
  }
  /// Notes that a task runs another: until here the time was its own.
  void inner_task_begins() noexcept { account_.charge(activity::compute, read()); }
  void inner_task_ended() noexcept { account_.charge(activity::overhead, read()); }

  // Posts
  // ---------------------------------------------------------------------------------------------
  /// Posts that have begun, up to `longest_burst` one after the other, as `posts_ended` needs them.
  struct burst {
    ticks begin = unread;
    bool is_read = false;     ///< the clock is, when they have ended
    bool is_owed = false;     ///< one of them is
    bool submitting = false;  ///< they are part of the submission of their message
  };
  /// Notes that posts begin.  Those of a worker that polls are part of its look, or of its idle
  /// spell.  The submitting thread may also post from code of the program that drives communication
  /// (environment::barrier).
  [[nodiscard]] burst posts_begin() noexcept {
    stop_passing();
    const bool books = !is_idle() && in_ != place::look;
    const bool from_program = in_ == place::program;
    burst started;
    started.submitting = submission_ != nullptr;
    started.is_owed = books && !from_program && leaves_post_unread(started.submitting);
    if (started.is_owed) return started;
    if (in_ == place::submission) {
      // Of the time since `left` all but what usually comes before a post was the program's own.
      in_ = place::plait;
      submission_ = nullptr;
      account_.owe(before_posts_.usual());
    }
    if (!books) return started;
    started.is_read = true;
    const bool owes = account_.owes();
    if (before_posts_.is_due() || from_program || owes) {
      started.begin = read();
      if (!from_program && !owes) before_posts_.learn(started.begin - account_.last());
      account_.charge(from_program ? activity::compute : activity::overhead, started.begin);
      unread_ = 0;
    }
    return started;
  }
  void posts_ended(const burst& started, int count = 1) noexcept {
    if (started.is_read) {
      const ticks now = read();
      const bool timed = started.begin != unread;
      if (timed) {
        const ticks took = (now - started.begin) / count;
        posts_.learn(took);
        posts_short_ = took < short_task_;
      }
      account_.charge_most(activity::posting, now, timed ? 0 : before_posts_.usual());
    } else if (started.is_owed && count > 1) {
      unread_ += count - 1;
      before_posts_.pass(count - 1);
      account_.owe(0, (count - 1) * posts_.usual());
    }
    if (started.submitting) posted_since_entry_ += count * posts_.usual();
  }

  // Looks between two tasks
  // ---------------------------------------------------------------------------------------------
  /// Notes that a look begins.  No task ran since the clock was read: the owed time is that of
  /// posts, and the rest no task's.  Until `look_ended` posts and completions are part of the look.
  void look_begins() noexcept {
    account_.charge_most(activity::overhead, read(), 0);
    unread_ = 0;
    in_ = place::look;
  }
  void look_ended() noexcept {
    in_ = place::plait;
    account_.charge_most(activity::posting, read(), 0);
    unread_ = 0;
  }

  // Idleness.  `in_flight_until(time)`: how long others have been waited for by then (`waited`)
  // ---------------------------------------------------------------------------------------------
  struct spell {
    ticks begin = 0;
    ticks end = 0;
    ticks exposed = 0;
  };
  /// Returns the time at which idleness begins.
  [[nodiscard]] ticks idleness_begins(const auto& in_flight_until) noexcept {
    const ticks begin = read();
    account_.charge(activity::overhead, begin);  // or what unread tasks are owed
    unread_ = 0;
    const waited by_then = in_flight_until(begin);
    idle_held_.store(by_then.held, std::memory_order_relaxed);
    idle_in_flight_.store(by_then.in_flight, std::memory_order_release);
    return begin;
  }
  [[nodiscard]] spell idleness_ended(ticks begin, const auto& in_flight_until) noexcept {
    const ticks end = read();
    // What was posted a moment before it was started counts from then: more than this spell at
    // most.
    const waited by_then = in_flight_until(end);
    const ticks in_flight = by_then.in_flight - idle_in_flight_.load(std::memory_order_relaxed);
    const ticks exposed = std::clamp<ticks>(in_flight, 0, end - begin);
    account_.charge_idle(end, exposed, by_then.held - idle_held_.load(std::memory_order_relaxed));
    idle_in_flight_.store(not_idle, std::memory_order_release);
    return {begin, end, exposed};
  }
  [[nodiscard]] bool is_idle() const noexcept {
    return idle_in_flight_.load(std::memory_order_relaxed) != not_idle;
  }

  // What is booked
  // ---------------------------------------------------------------------------------------------
  /// Returns the time of the last booking: the last reading of the clock, or an earlier time.
  [[nodiscard]] ticks last_read() const noexcept { return account_.last(); }
  /// Returns the time of the last booking, as other threads can see it.  Any thread.
  [[nodiscard]] ticks last_read_elsewhere() const noexcept { return account_.snapshot().last; }
  struct statement {
    account::sums sums;
    std::int64_t wall_ns = 0;
  };
  /// Returns the times since the last `reset`, with the open stretch booked by guess.  Any thread.
  [[nodiscard]] statement since_reset(const auto& in_flight_until) const noexcept;
  /// Returns `since_reset` in seconds.
  [[nodiscard]] ledger_entry entry(int worker, const auto& in_flight_until) const noexcept;
  /// Submitting thread.
  void reset(const auto& in_flight_until) noexcept { base_ = booked(in_flight_until); }

 private:
  [[nodiscard]] ticks read() noexcept {
    stop_passing();
    return Clock::now();
  }
  void enter_to(sampled_overhead& what) noexcept {
    submission_ = &what;
    if (what.is_due()) {
      read_entry();
      entered_at_ = account_.last();
      posted_since_entry_ = 0;
    } else {
      in_ = place::submission;
    }
  }
  /// Reads the clock on the way from the program into plait.
  [[gnu::noinline]] void read_entry() noexcept {
    in_ = place::plait;
    account_.charge(activity::compute, read());
  }
  /// Reads the clock on the way from plait back into the program.
  [[gnu::noinline]] void read_exit(activity to) noexcept {
    sampled_overhead* const usual = std::exchange(submission_, nullptr);
    const ticks now = read();
    // What was posted is booked at what posts usually take, which may be more than this one took.
    if (usual != nullptr) usual->learn(std::max<ticks>(0, now - entered_at_ - posted_since_entry_));
    account_.charge_most(to, now, 0);
  }
  /// Reads the clock before a task that is timed.
  [[gnu::noinline]] ticks read_begin() noexcept {
    const ticks now = read();
    if (!account_.owes()) between_tasks_.learn(now - account_.last());
    account_.charge(activity::overhead, now);
    return now;
  }
  /// Reads the clock after a task that leaves nothing unread.
  [[gnu::noinline]] ticks read_end(bool timed) noexcept {
    const ticks now = read();
    tasks_short_ = now - account_.last() < short_task_ * (unread_ + 1);
    unread_ = 0;
    account_.charge_most(activity::compute, now, timed ? 0 : between_tasks_.usual());
    return now;
  }
  void owe_passing(sampled_overhead& what, int count) noexcept {
    if (&what == &between_tasks_) unread_ += count;
    what.pass(count);
    account_.owe(count * std::max<ticks>(1, what.usual()));
    left_to_pass_ = count;
    passing_ = &what;
  }
  /// Returns true if the clock is not read for a message that is about to be posted; its time is
  /// booked later.  `submitting`: the time before the post is part of the submission, and owed as
  /// such.
  [[nodiscard]] bool leaves_post_unread(bool submitting) noexcept {
    if (!posts_short_ || unread_ >= most_unread || before_posts_.is_next_due()) return false;
    (void)before_posts_.is_due();
    ++unread_;
    account_.owe(submitting ? 0 : before_posts_.usual(), posts_.usual());
    return true;
  }
  /// Everything until now; `wall_ns` is a time of the monotonic clock.
  [[nodiscard]] statement booked(const auto& in_flight_until) const noexcept;

  /// Says where the thread is, as far as that decides to what its time is booked.
  enum class place : std::uint8_t {
    program,     ///< of the submitting thread: code of the program, outside of tasks
    submission,  ///< on the way from there to submit a node, and nothing was read since
    plait,       ///< in plait or in a task
    look,        ///< between two tasks, after messages
  };
  static constexpr int most_unread = 15;
  static constexpr ticks not_idle = -1;

  const bool submits_;
  bool tasks_short_ = false;  ///< the last task for which the clock was read
  bool posts_short_ = false;  ///< the last post for which it was
  place in_;
  int unread_ = 0;         ///< tasks and posts since the clock was read, and `left_to_pass_`
  int left_to_pass_ = -1;  ///< 0: the next may begin so, and is told of when it has ended
  sampled_overhead* passing_ = nullptr;  ///< what is counted there
  account account_;
  const ticks short_task_ = Clock::short_task();
  sampled_overhead between_tasks_;
  sampled_overhead before_posts_;
  sampled_overhead posts_;                       ///< from begin to end of one
  std::array<sampled_overhead, 2> submissions_;  ///< by kind; without what was posted
  std::array<sampled_overhead, 2> begun_;        ///< without a node: reads, writes
  sampled_overhead* submission_ = nullptr;       ///< since the program was left to submit
  ticks entered_at_ = 0;
  ticks posted_since_entry_ = 0;
  /// While idle: the time communication had been in flight when the spell began; else `not_idle`.
  std::atomic<ticks> idle_in_flight_{not_idle};
  std::atomic<ticks> idle_held_{0};  ///< the same of `waited::held`
  statement base_{};
};

template <class Clock>
typename basic_timekeeper<Clock>::statement basic_timekeeper<Clock>::booked(
    const auto& in_flight_until) const noexcept {
  // The account first, the clocks after it: whatever happens in between is part of the time since.
  auto [sums, last, owed, owed_posting] = account_.snapshot();
  const ticks before = idle_in_flight_.load(std::memory_order_acquire);
  const clock_pair now = Clock::both();
  ticks open = std::max<ticks>(0, now.at - last);
  const auto add = [&sums](activity to, ticks duration) {
    sums[static_cast<std::size_t>(to)] += duration;
  };
  if (submits_ || owed != 0) {  // the program's own time, or that of unread tasks
    const auto add_some = [&](activity to, ticks duration) {
      duration = std::min(duration, open);
      add(to, duration);
      open -= duration;
    };
    add_some(activity::overhead, owed);
    add_some(activity::posting, owed_posting);
    add(activity::compute, open);
  } else if (before == not_idle) {
    add(activity::overhead, open);  // on its way between a task and idleness
  } else {
    const waited by_now = in_flight_until(now.at);
    const ticks exposed = std::clamp<ticks>(by_now.in_flight - before, 0, open);
    const ticks on_hold = std::clamp<ticks>(
        by_now.held - idle_held_.load(std::memory_order_relaxed), 0, open - exposed);
    add(activity::exposed, exposed);
    add(activity::on_hold, on_hold);
    add(activity::idle, open - exposed - on_hold);
  }
  return {sums, now.monotonic_ns};
}

template <class Clock>
typename basic_timekeeper<Clock>::statement basic_timekeeper<Clock>::since_reset(
    const auto& in_flight_until) const noexcept {
  statement now = booked(in_flight_until);
  for (std::size_t i = 0; i < now.sums.size(); ++i) now.sums[i] -= base_.sums[i];
  settle_what_was_open(now.sums);
  now.wall_ns -= base_.wall_ns;
  return now;
}

template <class Clock>
ledger_entry basic_timekeeper<Clock>::entry(int worker,
                                            const auto& in_flight_until) const noexcept {
  const statement times = since_reset(in_flight_until);
  const auto seconds = [&times](activity a) {
    return ticks_to_seconds(times.sums[static_cast<std::size_t>(a)]);
  };
  return {.worker = worker,
          .compute_s = seconds(activity::compute),
          .posting_s = seconds(activity::posting),
          .exposed_s = seconds(activity::exposed),
          .overhead_s = seconds(activity::overhead),
          .idle_s = seconds(activity::idle),
          .held_s = seconds(activity::on_hold),
          .wall_s = static_cast<double>(times.wall_ns) * 1e-9};
}

using timekeeper = basic_timekeeper<processor_clock>;

}  // namespace plait::detail
