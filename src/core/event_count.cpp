// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <plait/core/event_count.hpp>
#include <sys/syscall.h>
#include <unistd.h>

namespace plait {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4, "a futex is a 32-bit word");

bool event_count::wait(key expected, ticks timeout) noexcept {
  timespec limit{};
  if (timeout >= 0) {
    const double seconds = ticks_to_seconds(timeout);
    limit.tv_sec = static_cast<time_t>(seconds);
    limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  }
  bool notified = epoch_.load(std::memory_order_seq_cst) != expected;
  if (!notified) {
    const long rc =
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&epoch_), FUTEX_WAIT_PRIVATE, expected,
                timeout >= 0 ? &limit : nullptr, nullptr, 0);
    notified = !(rc == -1 && errno == ETIMEDOUT);
  }
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  return notified;
}

void event_count::wake(int count) noexcept {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&epoch_), FUTEX_WAKE_PRIVATE, count, nullptr,
          nullptr, 0);
}

}  // namespace plait
