// SPDX-License-Identifier: BSD-3-Clause
#include "comm/engine/proxy_thread.hpp"

#include <cstdint>
#include <ctime>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait {
namespace {

/// The kernel's struct sched_attr, which Debian 12's C library does not declare.
struct scheduling_attributes {
  std::uint32_t size = sizeof(scheduling_attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

/// Asks for the shortest time slice there is (0.1 ms; Linux 6.12 and later, ignored before): a
/// thread that runs for microseconds then takes its turn at once when it wakes on a core that a
/// worker keeps busy, instead of after the worker's slice of some milliseconds.  Needs no
/// privileges, and takes no more than the thread's fair share.
void ask_for_short_slices() noexcept {
  scheduling_attributes attributes;
  attributes.runtime = 100'000;  // ns
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

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
