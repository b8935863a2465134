// SPDX-License-Identifier: BSD-3-Clause
#include "run_by_hand.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include <sys/prctl.h>

#include "measure/compare/steps_of_run.hpp"

namespace plait::stencil {
namespace {

constexpr std::chrono::microseconds a_nap{20};

}  // namespace

void run_by_hand::begin(const device& gpu, const measure::step_range& recorded) {
  gpu_ = gpu;
  recorded_ = recorded;
  if (recorded.size() > 0)
    by_hand::observe(gpu, [this](device_queue which, const char* name, ticks from, ticks to) {
      events_.push_back({.lane = gpu_.name() + ", " + to_string(which),
                         .name = name,
                         .begin_s = ticks_to_seconds(from),
                         .end_s = ticks_to_seconds(to)});
    });
  spent_.begin(gpu);
  began_s_ = ticks_to_seconds(now_ticks());
  watch_.start();
}

void run_by_hand::end(int steps, bool said) {
  for (const device_queue all : {device_queue::urgent, device_queue::compute})
    by_hand::await(gpu_, by_hand::record(by_hand::queue_of(gpu_, all, "end")));
  spent_.end(gpu_, said);
  (void)watch_.stop();
  by_hand::observe(gpu_, {});
  done_ = steps;
}

// The device is behind the host: its commands of some steps are a share of all, as tasks are.
measure::run_report run_by_hand::report() {
  measure::run_report result;
  measure::keep_steps(result, std::exchange(events_, {}), began_s_, done_, recorded_);
  const measure::run_report of_host = watch_.report();
  result.events.insert(result.events.end(), of_host.events.begin(), of_host.events.end());
  spent_.add_to(result);
  return result;
}

brief_naps::brief_naps() : before_(::prctl(PR_GET_TIMERSLACK)) {
  ::prctl(PR_SET_TIMERSLACK, 1UL);
}

brief_naps::~brief_naps() {
  ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
}

void brief_naps::take(measure::stopwatch& watch) const {
  std::this_thread::sleep_for(a_nap);
  watch.lap(activity::exposed, "wait");
}

}  // namespace plait::stencil
