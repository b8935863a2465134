// SPDX-License-Identifier: BSD-3-Clause
/// Wakes the thread that looks after a device.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace plait::detail {

/// Host functions of streams ring it, which may call nothing of CUDA, are told of no error, and
/// after a fault come late or never.  So a bell is not freed: it serves another device, which a
/// late ring wakes once for nothing.  Any thread.
class cuda_bell {
 public:
  [[nodiscard]] static cuda_bell& take() {
    kept& all = every();
    std::lock_guard lock(all.mutex);
    if (all.free.empty()) {
      all.made.push_back(std::make_unique<cuda_bell>());
      return *all.made.back();
    }
    cuda_bell& one = *all.free.back();
    all.free.pop_back();
    return one;
  }
  void give_back() {
    kept& all = every();
    std::lock_guard lock(all.mutex);
    all.free.push_back(this);
  }

  /// Rings as a host function, whose data is the bell.
  static void ring_host(void* bell) { static_cast<cuda_bell*>(bell)->ring(); }
  void ring() {
    std::lock_guard lock(mutex_);
    rang_ = true;
    changed_.notify_one();
  }
  /// Returns when the bell has rung since the last wait.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return rang_; });
    rang_ = false;
  }
  void wait_for(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [this] { return rang_; });
    rang_ = false;
  }

 private:
  struct kept {
    std::mutex mutex;
    std::vector<std::unique_ptr<cuda_bell>> made;
    std::vector<cuda_bell*> free;
  };
  /// Outlives what the process destroys at its end: the driver's threads may ring still.
  [[nodiscard]] static kept& every() {
    static kept& all = *new kept;
    return all;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool rang_ = false;
};

}  // namespace plait::detail
