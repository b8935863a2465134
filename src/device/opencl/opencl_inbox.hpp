// SPDX-License-Identifier: BSD-3-Clause
/// Callbacks of OpenCL's commands leave a word in an inbox.  They come in threads of the driver,
/// perhaps within the call that asks for them, perhaps with locks of the driver, perhaps after the
/// device is gone: so they leave a word here, and own the place with the device.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

#include "device/back_end.hpp"
#include "device/opencl/opencl_functions.hpp"

namespace plait::detail {

/// A kernel or a copy began, or has run.
struct opencl_news {
  enum class kinds : std::uint8_t { began, ran };
  kinds kind;
  device_queue queue;
  const char* task = "";
  ticks begin = 0;
  ticks now = 0;
};

class opencl_inbox;

/// A command whose callbacks are to come.  Of its inbox, under its mutex.  After a failure some
/// drivers call nobody, and it stays, with the inbox.
struct watched_command {
  std::shared_ptr<opencl_inbox> to = {};  ///< while callbacks are to come
  device_queue queue = device_queue::compute;
  std::uint64_t number = 0;    ///< in its queue
  const char* task = nullptr;  ///< null: a marker, of which the ledger knows nothing
  bool waits = false;          ///< for another queue: a callback says when it began
  int callbacks = 0;
  ticks begin = 0;  ///< 0: not yet
};

/// Wakes the device's thread when somebody waits for what has ended, and not for every command: a
/// wake-up costs more than a short kernel.  News for the ledger lie here meanwhile, no longer than
/// `grain` while commands run.
///
/// A command begins when the one before it in its queue has ended, or when it is enqueued if that
/// is later.  So it needs one callback, at its end; one that waits for another queue has two.
///
/// Why nobody waits for ever: `arm` and `ended` take the mutex.  If the command had ended before
/// `arm`, `arm` finds it in `done`; else `ended` finds `wanted`.  Either wakes the thread, which
/// clears `wanted`, asks the marks, and tells; who still waits then arms again.
///
/// Why a ledger that is read after a mark has the mark's command: a mark passes when the news of
/// its command have been told, and not when its event says that it is over, which may be earlier.
/// Where no callback comes, it passes by its event, after `silence`.
class opencl_inbox : public std::enable_shared_from_this<opencl_inbox> {
 public:
  opencl_inbox() = default;
  ~opencl_inbox() {
    for (const watched_command* const one : unused_) delete one;
  }
  opencl_inbox(const opencl_inbox&) = delete;
  opencl_inbox& operator=(const opencl_inbox&) = delete;

  /// Asks for the callbacks of an enqueued command.  Commands of a queue come in their order.
  /// `what`: its queue, number, task and whether it waits.
  void watch(const opencl_functions& cl, cl_event event, const watched_command& what) {
    watched_command* const one = announce(what);
    if (what.waits) {
      const auto began = [](cl_event, std::int32_t status, void* data) {
        auto& of = *static_cast<watched_command*>(data);
        const std::shared_ptr<opencl_inbox> keep = of.to;
        keep->running(of, status == cl_number::running);
      };
      if (cl.clSetEventCallback(event, cl_number::running, began, one) != 0) running(*one, false);
    }
    const auto over = [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      const std::shared_ptr<opencl_inbox> keep = of.to;
      keep->ended(of, status < 0);
    };
    if (cl.clSetEventCallback(event, cl_number::complete, over, one) != 0) forget(*one);
  }
  /// Has the thread woken when command `number` has ended, or at once if it has; once.
  void arm(device_queue queue, std::uint64_t number) {
    std::lock_guard lock(mutex_);
    one_queue& q = at(queue);
    q.wanted = std::min(q.wanted, number);
    if (q.done >= q.wanted) make_due();
  }
  /// Has the thread woken at once, to look.
  void knock() {
    std::lock_guard lock(mutex_);
    make_due();
  }
  /// Has the thread think again how long it may sleep.
  void wake() {
    std::lock_guard lock(mutex_);
    arrived_.notify_one();
  }
  void end() {
    std::lock_guard lock(mutex_);
    ends_ = true;
    arrived_.notify_one();
  }

  struct waking {
    bool asks = false;  ///< marks may have passed
    bool ends = false;
    /// The last command of each queue whose news are told then; any, where no callback came.
    std::array<std::uint64_t, device_queue_count> told{};
  };
  /// Sleeps until it is time, for long or, unless `is_asleep()`, for `silence`.  Swaps `read`,
  /// which is empty, for the news.  By the device's thread.
  [[nodiscard]] waking sleep(std::vector<opencl_news>& read, const auto& is_asleep) {
    std::unique_lock lock(mutex_);
    const auto is_up = [this] { return is_due_ || ends_; };
    waking why;
    bool is_late = false;
    if (is_asleep()) {
      arrived_.wait(lock, [&] { return is_up() || !is_asleep(); });
    } else {
      is_late = !arrived_.wait_for(lock, silence, is_up);
    }
    why.asks = std::exchange(is_due_, false) || is_late;
    why.ends = ends_;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      one_queue& q = queues_[i];
      why.told[i] = is_late ? none : q.done;
      if (q.done >= q.wanted) q.wanted = none;
    }
    read.swap(all_);
    return why;
  }
  /// After a failure nothing runs.  Returns the last news: that all which had begun has ended.
  [[nodiscard]] std::vector<opencl_news> end_all() {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    for (const one_queue& q : queues_) {
      for (watched_command* const one : q.open) {
        if (one->task != nullptr && one->begin != 0) put_ran(*one, now);
        one->task = nullptr;
      }
    }
    return std::exchange(all_, {});
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  /// Time that a ledger may be behind while short commands run: that of many of them.
  static constexpr double grain_s = 2e-4;

  struct one_queue {
    std::deque<watched_command*> open;  ///< commands behind `done`
    std::uint64_t done = 0;             ///< the last command that has ended
    std::uint64_t wanted = none;
  };
  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
  }
  [[nodiscard]] watched_command* announce(const watched_command& what) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    watched_command* one = nullptr;
    if (unused_.empty()) {
      one = new watched_command(what);
    } else {
      one = unused_.back();
      unused_.pop_back();
      *one = what;
    }
    one->to = shared_from_this();
    one->callbacks = what.waits ? 2 : 1;
    one_queue& q = at(what.queue);
    q.open.push_back(one);
    if (q.open.size() == 1) begin_next(q, now);
    return one;
  }
  void running(watched_command& one, bool is_known) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    if (is_known) begin(one, now);
    leave(one);
  }
  /// Drivers may tell of a later command first.
  void ended(watched_command& one, bool has_failed) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    end(one, now);
    one_queue& q = at(one.queue);
    q.done = std::max(q.done, one.number);
    while (!q.open.empty() && q.open.front()->number <= q.done) q.open.pop_front();
    begin_next(q, now);
    if (has_failed || q.done >= q.wanted) make_due();
    leave(one);
  }

  /// Of a command that no callback will end.
  void forget(watched_command& one) {
    const ticks now = now_ticks();
    std::lock_guard lock(mutex_);
    end(one, now);
    one_queue& q = at(one.queue);
    std::erase(q.open, &one);
    begin_next(q, now);
    leave(one);
  }

  void end(watched_command& one, ticks now) {
    if (one.task == nullptr) return;
    begin(one, now);
    put_ran(one, now);
  }
  /// Threads may have taken their times in another order than the mutex.
  void put_ran(const watched_command& one, ticks now) {
    put({.kind = opencl_news::kinds::ran,
         .queue = one.queue,
         .task = one.task,
         .begin = one.begin,
         .now = std::max(now, one.begin)});
  }
  void begin_next(one_queue& q, ticks now) {
    if (q.open.empty()) return;
    watched_command& next = *q.open.front();
    if (next.task != nullptr && !next.waits) begin(next, now);
  }
  void begin(watched_command& one, ticks now) {
    if (one.begin != 0) return;
    one.begin = now;
    put({.kind = opencl_news::kinds::began, .queue = one.queue, .now = now});
  }
  /// The caller has the inbox.
  void leave(watched_command& one) {
    if (--one.callbacks > 0) return;
    one.to.reset();
    unused_.push_back(&one);
  }
  void put(const opencl_news& one) {
    all_.push_back(one);
    if (one.now - due_since_ < grain_) return;
    due_since_ = one.now;
    make_due();
  }
  void make_due() {
    if (!std::exchange(is_due_, true)) arrived_.notify_one();
  }

  const ticks grain_ = seconds_to_ticks(grain_s);
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<opencl_news> all_;
  std::array<one_queue, device_queue_count> queues_;
  std::vector<watched_command*> unused_;
  ticks due_since_ = 0;  ///< when news last woke the thread
  bool is_due_ = false;
  bool ends_ = false;
};

}  // namespace plait::detail
