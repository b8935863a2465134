// SPDX-License-Identifier: BSD-3-Clause
/// Callbacks of OpenCL's commands leave a word in an inbox.  They come in threads of the driver,
/// perhaps within the call that asks for them, perhaps with locks of the driver, perhaps after the
/// device is gone: so they leave a word here, and own the place with the device.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

#include "device/back_end.hpp"
#include "device/opencl/opencl_functions.hpp"
#include "device/opencl/opencl_pace.hpp"
#include "device/opencl/opencl_runs.hpp"

namespace plait::detail {

class opencl_inbox;

/// A callback that is to come.  Of its inbox, under its mutex.  After a failure some drivers call
/// nobody, and it stays, with the inbox.
struct asked_callback {
  std::shared_ptr<opencl_inbox> to = {};  ///< while it is to come
  device_queue queue = device_queue::compute;
  std::uint64_t number = 0;  ///< of a command in its queue
};

/// Wakes the device's thread when somebody waits for what has ended, and not for every command: a
/// wake-up costs more than a short kernel.  News for the ledger lie here meanwhile, no longer than
/// `grain` while commands run.
///
/// A callback costs as much as a short kernel, too.  So not every command has one: those have that
/// somebody waits for, that end a run (opencl_runs.hpp), that come after a pause or not too soon
/// after another (opencl_pace.hpp), and the newest of a queue whenever the thread wakes.  It wakes
/// within `grain` of any command.  So an end that is told late is late by no more than that.
///
/// Why nobody waits for ever: `arm` and `ended` take the mutex.  If the command had ended before
/// `arm`, `arm` finds it in `done`; else `ended` finds `wanted`.  Either wakes the thread, which
/// clears `wanted`, asks the marks, and tells; who still waits then arms again.  Who arms has asked
/// for a callback of that very command.
///
/// Why a ledger that is read after a mark has the mark's command: a mark passes when the news of
/// its command have been told, and not when its event says that it is over, which may be earlier.
/// If other commands of its run follow, the ledger says, as is true, that the queue still runs.
/// Where no callback comes, `over` has the word of the event, after `silence`.
class opencl_inbox : public std::enable_shared_from_this<opencl_inbox> {
 public:
  opencl_inbox() = default;
  ~opencl_inbox() {
    for (const asked_callback* const one : unused_) delete one;
  }
  opencl_inbox(const opencl_inbox&) = delete;
  opencl_inbox& operator=(const opencl_inbox&) = delete;

  /// Notes an enqueued command.  Commands of a queue come in their order.  Returns whether a
  /// callback is to be asked for.
  [[nodiscard]] bool add(const opencl_command& what) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    one_queue& q = at(what.queue);
    q.runs.enqueued(what, now, news_);
    stir();
    return what.is_alone || q.pace.is_time(now, spacing_);
  }
  /// Has `ended` called when a command has ended.
  void ask(const opencl_functions& cl, cl_event event, device_queue queue, std::uint64_t number) {
    const auto over = [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<asked_callback*>(data);
      const std::shared_ptr<opencl_inbox> keep = of.to;
      keep->ended(of, status < 0);
    };
    (void)ask(cl, event, cl_number::complete, over, take(queue, number));
  }
  /// Has `began` called when a command that waits has begun.  It has been added.  Returns whether
  /// the driver takes it; else its end tells that it has begun, if that is asked for.
  [[nodiscard]] bool ask_begin(const opencl_functions& cl, cl_event event, device_queue queue,
                               std::uint64_t number) {
    const auto runs = [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<asked_callback*>(data);
      const std::shared_ptr<opencl_inbox> keep = of.to;
      keep->began(of, status);
    };
    return ask(cl, event, cl_number::running, runs, take(queue, number));
  }
  /// Returns whether a command is known to have ended.
  [[nodiscard]] bool has_ended(device_queue queue, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    return at(queue).runs.done() >= number;
  }
  /// Says that commands up to `number` are over, of which no callback may come.
  void over(device_queue queue, std::uint64_t number) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    one_queue& q = at(queue);
    if (number <= q.runs.done()) return;
    q.runs.ended(number, now, news_);
    make_due();
  }
  /// Has the thread woken when command `number` has ended, or at once if it has; once.  A callback
  /// of it has been asked for.
  void arm(device_queue queue, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    one_queue& q = at(queue);
    q.wanted = std::min(q.wanted, number);
    if (q.runs.done() >= q.wanted) make_due();
  }
  /// Has the thread woken at once, to look.
  void knock() {
    std::lock_guard lock(mutex_);
    make_due();
  }
  /// Has a thread that is asleep think again how long it may sleep.
  void wake() {
    std::lock_guard lock(mutex_);
    if (is_asleep_) arrived_.notify_one();
  }
  void end() {
    std::lock_guard lock(mutex_);
    ends_ = true;
    arrived_.notify_one();
  }

  struct waking {
    bool asks = false;     ///< marks may have passed, and commands have no callback yet
    bool is_late = false;  ///< callbacks may have failed to come
    bool ends = false;
    /// The last command of each queue whose news are told then.
    std::array<std::uint64_t, device_queue_count> told{};
  };
  /// Sleeps until it is time: for long or, unless `may_sleep()`, for `silence`, and for `grain`
  /// while short commands run.  Swaps `read`, which is empty, for the news.  By the device's
  /// thread.
  [[nodiscard]] waking sleep(std::vector<opencl_news>& read, const auto& may_sleep) {
    std::unique_lock lock(mutex_);
    const auto is_up = [this] { return is_due_ || ends_; };
    if (is_near_) {
      arrived_.wait_for(lock, grain, is_up);
    } else if (may_sleep()) {
      is_asleep_ = true;
      arrived_.wait(lock, [&] { return is_up() || !may_sleep(); });
      is_asleep_ = false;
      looked_ = now_ticks();
    } else {
      arrived_.wait_for(lock, silence, is_up);
    }
    const ticks now = now_ticks();
    waking why;
    why.ends = ends_;
    why.is_late = now - looked_ >= silence_;
    if (why.is_late) looked_ = now;
    const bool stirred = std::exchange(stirred_, false);
    why.asks = std::exchange(is_due_, false) || stirred;
    is_near_ = stirred && now - woke_ < short_interval * grain_;
    woke_ = now;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      one_queue& q = queues_[i];
      why.told[i] = q.runs.done();
      if (q.runs.done() >= q.wanted) q.wanted = none;
    }
    read.swap(news_);
    return why;
  }
  /// After a failure nothing runs.  Returns the last news: that all which had begun has ended.
  [[nodiscard]] std::vector<opencl_news> end_all() {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    for (one_queue& q : queues_) q.runs.stop(now, news_);
    return std::exchange(news_, {});
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  /// Time that a ledger may be behind while short commands run: that of many of them.
  static constexpr std::chrono::microseconds grain{200};
  /// Wakings that are no more grains apart are of short commands.
  static constexpr ticks short_interval = 4;

  struct one_queue {
    opencl_runs runs;
    opencl_pace pace;
    std::uint64_t wanted = none;
  };
  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }

  [[nodiscard]] asked_callback* take(device_queue queue, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    if (unused_.empty()) return new asked_callback{shared_from_this(), queue, number};
    asked_callback* const one = unused_.back();
    unused_.pop_back();
    *one = {shared_from_this(), queue, number};
    return one;
  }
  /// Who is refused is as one whose driver calls nobody.  Without the mutex.
  [[nodiscard]] bool ask(const opencl_functions& cl, cl_event event, std::int32_t when,
                         cl_callback call, asked_callback* data) {
    if (cl.clSetEventCallback(event, when, call, data) == 0) return true;
    std::lock_guard lock(mutex_);
    put_back(*data);
    return false;
  }
  /// The caller has the inbox.
  void put_back(asked_callback& one) {
    one.to.reset();
    unused_.push_back(&one);
  }

  /// Drivers may call for a begin only when the command has ended.
  void began(asked_callback& of, std::int32_t status) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    one_queue& q = at(of.queue);
    if (status == cl_number::running) {
      q.runs.began(of.number, now, news_);
    } else if (status == cl_number::complete) {
      q.runs.ended(of.number, now, news_);
    }
    stir_or_wake(q.runs.done() >= q.wanted);
    put_back(of);
  }
  void ended(asked_callback& of, bool has_failed) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    one_queue& q = at(of.queue);
    q.runs.ended(of.number, now, news_);
    stir_or_wake(has_failed || q.runs.done() >= q.wanted);
    put_back(of);
  }

  void stir_or_wake(bool is_wanted) {
    if (is_wanted) {
      make_due();
    } else {
      stir();
    }
  }
  /// The thread is to know within `grain`.
  void stir() {
    stirred_ = true;
    if (!is_near_) make_due();
  }
  void make_due() {
    if (!std::exchange(is_due_, true)) arrived_.notify_one();
  }

  const ticks grain_ = seconds_to_ticks(std::chrono::duration<double>(grain).count());
  const ticks silence_ = seconds_to_ticks(std::chrono::duration<double>(silence).count());
  const ticks spacing_ = seconds_to_ticks(opencl_pace::spacing_s);
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<opencl_news> news_;
  std::array<one_queue, device_queue_count> queues_;
  std::vector<asked_callback*> unused_;
  ticks woke_ = 0;          ///< when the thread last woke
  ticks looked_ = 0;        ///< when it last asked what no callback has told of
  bool stirred_ = false;    ///< since it woke
  bool is_near_ = false;    ///< it wakes within `grain` by itself
  bool is_asleep_ = false;  ///< for long
  bool is_due_ = false;
  bool ends_ = false;
};

}  // namespace plait::detail
