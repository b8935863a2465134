// SPDX-License-Identifier: BSD-3-Clause
/// Threads that are nobody's workers and call functions a little later: as the threads of another
/// library do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace plait::test {

class late_threads {
 public:
  explicit late_threads(int count = 2) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  }
  /// Calls what is left first.
  ~late_threads() {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& one : threads_) one.join();
  }
  late_threads(const late_threads&) = delete;
  late_threads& operator=(const late_threads&) = delete;

  /// `what` may hold what cannot be copied.
  template <class What>
  void call_in(std::chrono::microseconds delay, What what) {
    auto kept = std::make_shared<What>(std::move(what));
    {
      std::lock_guard lock(mutex_);
      calls_.push({clock::now() + delay, [kept] { (*kept)(); }});
    }
    changed_.notify_one();
  }

 private:
  using clock = std::chrono::steady_clock;
  struct call {
    clock::time_point at;
    std::function<void()> what;
    friend bool operator<(const call& a, const call& b) { return a.at > b.at; }
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (calls_.empty()) {
        if (ends_) return;
        changed_.wait(lock);
      } else if (const auto at = calls_.top().at; at > clock::now()) {
        changed_.wait_until(lock, at);
      } else {
        std::function<void()> what = calls_.top().what;
        calls_.pop();
        lock.unlock();
        what();
        what = nullptr;
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::priority_queue<call> calls_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace plait::test
