// SPDX-License-Identifier: BSD-3-Clause
/// Callbacks of OpenCL's commands leave a word in an inbox.  They come in threads of the driver,
/// perhaps within the call that asks for them, perhaps with locks of the driver, perhaps after the
/// device is gone: so they leave a word here, and own the place with the device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <plait/core/clock.hpp>
#include <plait/device/device.hpp>

#include "device/opencl/opencl_functions.hpp"

namespace plait::detail {

struct opencl_news {
  enum class kinds : std::uint8_t { began, ran, marked };
  kinds kind;
  device_queue queue;
  const char* task = "";
  ticks begin = 0;
  ticks now = 0;
};

struct opencl_inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<opencl_news> all;

  void put(const opencl_news& one) {
    std::lock_guard lock(mutex);
    all.push_back(one);
    arrived.notify_one();
  }
  void wake() {
    std::lock_guard lock(mutex);
    arrived.notify_one();
  }
};

/// A command whose callbacks are to come; it goes with the last.  After a failure some drivers call
/// nobody, and its few bytes stay.
class watched_command {
 public:
  /// Has one callback, at its end.
  static void mark(const opencl_functions& cl, cl_event event,
                   const std::shared_ptr<opencl_inbox>& to, device_queue queue) {
    auto* const one = new watched_command(to, queue, "", 1);
    one->ask(cl, event, cl_number::complete, [](cl_event, std::int32_t, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      of.to_->put({.kind = opencl_news::kinds::marked, .queue = of.queue_});
      of.called();
    });
  }
  /// Has one when it begins, too.
  static void run(const opencl_functions& cl, cl_event event,
                  const std::shared_ptr<opencl_inbox>& to, device_queue queue, const char* task) {
    auto* const one = new watched_command(to, queue, task, 2);
    one->ask(cl, event, cl_number::running, [](cl_event, std::int32_t status, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      if (status == cl_number::running) of.tell_begin(now_ticks());
      of.called();
    });
    one->ask(cl, event, cl_number::complete, [](cl_event, std::int32_t, void* data) {
      auto& of = *static_cast<watched_command*>(data);
      const ticks now = now_ticks();
      of.tell_begin(now);
      of.to_->put({.kind = opencl_news::kinds::ran,
                   .queue = of.queue_,
                   .task = of.task_,
                   .begin = of.begin_.load(std::memory_order_acquire),
                   .now = now});
      of.called();
    });
  }

 private:
  watched_command(std::shared_ptr<opencl_inbox> to, device_queue queue, const char* task,
                  int callbacks)
      : to_(std::move(to)), queue_(queue), task_(task), callbacks_(callbacks) {}

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
      to_->put({.kind = opencl_news::kinds::began, .queue = queue_, .now = now});
  }

  const std::shared_ptr<opencl_inbox> to_;
  const device_queue queue_;
  const char* const task_;
  std::atomic<ticks> begin_{0};
  std::atomic<int> callbacks_;
};

}  // namespace plait::detail
