// SPDX-License-Identifier: BSD-3-Clause
/// Callbacks of OpenCL's commands leave a word in an inbox.  They come in threads of the driver,
/// perhaps within the call that asks for them, perhaps with locks of the driver, perhaps after the
/// device is gone: so they leave a word here, and own the place with the device.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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

/// Wakes the device's thread when somebody waits for what has ended, and not for every command: a
/// wake-up costs more than a short kernel.  News for the ledger lie here meanwhile, no longer than
/// `grain` while commands run.
///
/// Why nobody waits for ever: `arm` and `ended` take the mutex.  If the command had ended before
/// `arm`, `arm` finds it in `done`; else `ended` finds `wanted`.  Either wakes the thread, which
/// clears `wanted`, asks the marks, and tells; who still waits then arms again.
class opencl_inbox {
 public:
  void began(device_queue queue, ticks now) {
    std::lock_guard lock(mutex_);
    put({.kind = opencl_news::kinds::began, .queue = queue, .now = now});
  }
  /// Command `number` of a queue has ended.  `news`: for the ledger; may be null.
  void ended(device_queue queue, std::uint64_t number, bool has_failed, const opencl_news* news) {
    std::lock_guard lock(mutex_);
    if (news != nullptr) put(*news);
    one_queue& q = at(queue);
    q.done = std::max(q.done, number);
    if (has_failed || q.done >= q.wanted) make_due();
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
  };
  /// Sleeps until it is time, for long or, unless `is_asleep()`, for `silence`.  Swaps `read`,
  /// which is empty, for the news.  By the device's thread.
  [[nodiscard]] waking sleep(std::vector<opencl_news>& read, const auto& is_asleep) {
    std::unique_lock lock(mutex_);
    const auto is_up = [this] { return is_due_ || ends_; };
    waking why;
    if (is_asleep()) {
      arrived_.wait(lock, [&] { return is_up() || !is_asleep(); });
    } else {
      why.asks = !arrived_.wait_for(lock, silence, is_up);
    }
    why.asks = std::exchange(is_due_, false) || why.asks;
    why.ends = ends_;
    for (one_queue& q : queues_) {
      if (q.done >= q.wanted) q.wanted = none;
    }
    read.swap(all_);
    return why;
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  /// Time that a ledger may be behind while short commands run: that of many of them.
  static constexpr double grain_s = 2e-4;

  struct one_queue {
    std::uint64_t done = 0;  ///< the last command that has ended
    std::uint64_t wanted = none;
  };
  [[nodiscard]] one_queue& at(device_queue queue) noexcept {
    return queues_[static_cast<std::size_t>(queue)];
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
  ticks due_since_ = 0;  ///< when news last woke the thread
  bool is_due_ = false;
  bool ends_ = false;
};

/// A command whose callbacks are to come; it goes with the last.  After a failure some drivers call
/// nobody, and its few bytes stay.
class watched_command {
 public:
  /// Which command of which queue it is.
  struct place {
    device_queue queue;
    std::uint64_t number;
  };
  /// Has one callback, at its end.
  static void mark(const opencl_functions& cl, cl_event event,
                   const std::shared_ptr<opencl_inbox>& to, const place& at) {
    auto* const one = new watched_command(to, at, "", 1);
    one->ask(cl, event, cl_number::complete, [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      of.to_->ended(of.at_.queue, of.at_.number, status < 0, nullptr);
      of.called();
    });
  }
  /// Has one when it begins, too.
  static void run(const opencl_functions& cl, cl_event event,
                  const std::shared_ptr<opencl_inbox>& to, const place& at, const char* task) {
    auto* const one = new watched_command(to, at, task, 2);
    one->ask(cl, event, cl_number::running, [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      if (status == cl_number::running) of.tell_begin(now_ticks());
      of.called();
    });
    one->ask(cl, event, cl_number::complete, [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      const ticks now = now_ticks();
      of.tell_begin(now);
      const opencl_news ran{.kind = opencl_news::kinds::ran,
                            .queue = of.at_.queue,
                            .task = of.task_,
                            .begin = of.begin_.load(std::memory_order_acquire),
                            .now = now};
      of.to_->ended(of.at_.queue, of.at_.number, status < 0, &ran);
      of.called();
    });
  }

 private:
  watched_command(std::shared_ptr<opencl_inbox> to, const place& at, const char* task,
                  int callbacks)
      : to_(std::move(to)), at_(at), task_(task), callbacks_(callbacks) {}

  void ask(const opencl_functions& cl, cl_event event, std::int32_t when, cl_callback callback) {
    if (cl.clSetEventCallback(event, when, callback, this) != 0) called();
  }
  void called() {
    if (callbacks_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// One of two callbacks comes first, and says that the command began.
  void tell_begin(ticks now) {
    ticks none = 0;
    if (begin_.compare_exchange_strong(none, now, std::memory_order_acq_rel))
      to_->began(at_.queue, now);
  }

  const std::shared_ptr<opencl_inbox> to_;
  const place at_;
  const char* const task_;
  std::atomic<ticks> begin_{0};
  std::atomic<int> callbacks_;
};

}  // namespace plait::detail
