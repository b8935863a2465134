// SPDX-License-Identifier: BSD-3-Clause
// Events of the stand-in for OpenCL, and when their callbacks come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "device/opencl/opencl_functions.hpp"

namespace plait::test {

inline std::mutex guard;  ///< of all that the stand-in has
inline std::condition_variable changed;

}  // namespace plait::test

struct _cl_event {
  std::int32_t status = 3;  ///< queued
  bool is_silent = false;   ///< it has failed by what it waited for
  int references = 2;       ///< the caller's, and the queue's
  std::size_t place = 0;    ///< in `asked`
  struct callback {
    std::int32_t when;
    plait::detail::cl_callback call;
    void* data;
  };
  std::vector<callback> callbacks;

  void release() {
    if (--references == 0) delete this;
  }
  /// Under the guard, which is given up for the callbacks.
  void become(std::int32_t now, std::unique_lock<std::mutex>& lock);
};

namespace plait::test {

/// Some callbacks of ends come later, in a thread of no queue.  Under the guard.
class late_callbacks {
 public:
  ~late_callbacks() {
    {
      std::lock_guard lock(guard);
      ends_ = true;
      changed.notify_all();
    }
    thread_.join();
  }
  [[nodiscard]] bool takes_next() { return ++count_ % 16 == 0; }
  void add(detail::cl_event of, std::int32_t status, const std::vector<_cl_event::callback>& due) {
    for (const _cl_event::callback& one : due) {
      ++of->references;
      waiting_.push_back({of, status, one});
    }
    still_to_come_ += static_cast<int>(due.size());
    changed.notify_all();
  }
  void hold(bool holds) {
    holds_ = holds;
    changed.notify_all();
  }
  [[nodiscard]] int still_to_come() const { return still_to_come_; }

 private:
  struct late {
    detail::cl_event of;
    std::int32_t status;
    _cl_event::callback what;
  };
  void serve() {
    std::unique_lock lock(guard);
    while (true) {
      changed.wait(lock, [this] { return ends_ || (!waiting_.empty() && !holds_); });
      if (waiting_.empty()) return;
      const std::vector<late> now = std::exchange(waiting_, {});
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      for (const late& one : now) one.what.call(one.of, one.status, one.what.data);
      lock.lock();
      for (const late& one : now) one.of->release();
      still_to_come_ -= static_cast<int>(now.size());
    }
  }

  unsigned count_ = 0;
  std::vector<late> waiting_;
  int still_to_come_ = 0;
  bool holds_ = false;
  bool ends_ = false;
  std::thread thread_{[this] { serve(); }};
};
inline late_callbacks late_ones;

}  // namespace plait::test

inline void _cl_event::become(std::int32_t now, std::unique_lock<std::mutex>& lock) {
  status = now;
  plait::test::changed.notify_all();
  std::vector<callback> due;
  for (std::size_t i = 0; i < callbacks.size();) {
    if (now <= callbacks[i].when && !is_silent) {
      due.push_back(callbacks[i]);
      callbacks.erase(callbacks.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (!due.empty() && now != plait::detail::cl_number::running &&
      plait::test::late_ones.takes_next()) {
    plait::test::late_ones.add(this, now, due);
    return;
  }
  lock.unlock();
  for (const callback& one : due) one.call(this, now, one.data);
  lock.lock();
}
