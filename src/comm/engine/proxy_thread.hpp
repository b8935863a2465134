// SPDX-License-Identifier: BSD-3-Clause
/// The thread that drives communication beside the workers.
#pragma once

#include <functional>
#include <thread>

namespace plait {

class proxy_thread {
 public:
  ~proxy_thread() { join(); }
  void start(std::function<void()> loop);
  void join() noexcept {
    if (thread_.joinable()) thread_.join();
  }
  /// Processor time it has used so far; 0 if it was never started or has been joined.
  [[nodiscard]] double cpu_seconds() const noexcept;

 private:
  mutable std::thread thread_;
};

}  // namespace plait
