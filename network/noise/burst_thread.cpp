// SPDX-License-Identifier: BSD-3-Clause
#include "burst_thread.hpp"

#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>

namespace plait::network::noise {
namespace {

[[nodiscard]] timespec to_timespec(nanoseconds time) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  return {whole.count(), (time - whole).count()};
}

/// Processor time of the calling thread.
[[nodiscard]] nanoseconds used() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

}  // namespace

burst_thread::burst_thread(const burst_plan& plan, precedence how) : plan_(plan) {
  sem_init(&ready_, 0, 0);
  sem_init(&told_, 0, 0);
  thread_ = std::thread([this, how] { run(how); });
  wait_for(ready_);
  if (refusal_.empty()) return;
  thread_.join();
  throw refused(refusal_);
}

burst_thread::~burst_thread() {
  end();
  sem_destroy(&ready_);
  sem_destroy(&told_);
}

void burst_thread::begin(moment origin) {
  origin_ = origin;
  has_begun_ = true;
  sem_post(&told_);
}

burst_account burst_thread::end() {
  if (thread_.joinable()) {
    if (!has_begun_) begin(moment::max() - plan_.period);
    sem_post(&told_);
    thread_.join();
  }
  return {bursts_, skipped_, taken_};
}

void burst_thread::run(precedence how) {
  try {
    stay_on(plan_.core);
    way_ = go_first(how);
  } catch (const refused& why) {
    refusal_ = why.what();
  }
  sem_post(&ready_);
  if (!refusal_.empty()) return;
  wait_for(told_);
  const nanoseconds before = used();
  make_bursts(origin_, before);
  taken_ = used() - before;
}

void burst_thread::make_bursts(moment origin, nanoseconds before) {
  moment due = origin + plan_.phase;
  // To wake up and to fall asleep takes time, too: 17 us a burst in a virtual machine.
  nanoseconds enough = before;
  while (!is_told_before(due)) {
    enough += plan_.length;
    while (used() < enough) {
    }
    ++bursts_;
    due += plan_.period;
    const moment now = std::chrono::steady_clock::now();
    if (due > now) continue;
    const auto missed = (now - due) / plan_.period + 1;
    skipped_ += missed;
    due += missed * plan_.period;
  }
}

bool burst_thread::is_told_before(moment due) {
  const timespec time = to_timespec(due.time_since_epoch());
  while (sem_clockwait(&told_, CLOCK_MONOTONIC, &time) != 0)
    if (errno != EINTR) return false;
  return true;
}

}  // namespace plait::network::noise
