// SPDX-License-Identifier: BSD-3-Clause
#include "comm/engine/proxy_thread.hpp"

#include <ctime>
#include <thread>
#include <utility>

#include <pthread.h>

#include "core/short_slices.hpp"

namespace plait {

void proxy_thread::start(std::function<void()> loop) {
  thread_ = std::thread([loop = std::move(loop)] {
    pthread_setname_np(pthread_self(), "plait-proxy");
    ask_for_short_slices();
    loop();
  });
}

double proxy_thread::cpu_seconds() const noexcept {
  if (!thread_.joinable()) return 0;
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 ||
      clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace plait
