// SPDX-License-Identifier: BSD-3-Clause
#include "soaker.hpp"

#include <cstring>
#include <utility>

#include <pthread.h>
#include <sched.h>

namespace plait::measure {
namespace {

bool run_on(int unit) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(unit), &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

}  // namespace

soaker::soaker(int unit, std::function<void()> work)
    : thread_([this, unit, work = std::move(work)] {
        run_on(unit);
        const sched_param none{};
        sched_setscheduler(0, SCHED_IDLE, &none);
        while (!stop_.load(std::memory_order_relaxed)) {
          work();
          count_.fetch_add(1, std::memory_order_relaxed);
        }
      }) {}

soaker::~soaker() {
  stop_.store(true);
  thread_.join();
}

pinned::pinned(int unit) {
  cpu_set_t before;
  static_assert(sizeof before == sizeof before_);
  if (pthread_getaffinity_np(pthread_self(), sizeof before, &before) != 0) return;
  std::memcpy(before_, &before, sizeof before);
  changed_ = run_on(unit);
}

pinned::~pinned() {
  if (!changed_) return;
  cpu_set_t before;
  std::memcpy(&before, before_, sizeof before);
  pthread_setaffinity_np(pthread_self(), sizeof before, &before);
}

}  // namespace plait::measure
