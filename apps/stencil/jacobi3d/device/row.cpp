// SPDX-License-Identifier: BSD-3-Clause
#include "device/row.hpp"

#include <utility>

#include <sys/resource.h>

#include "measure/compare/steps_of_run.hpp"

namespace jacobi3d {

using plait::device_queue;
using plait::measure::run_report;
using plait::measure::step_range;

namespace {

struct used {
  double cpu_s;
  double sleeps;
};
[[nodiscard]] used used_by_process() {
  rusage all{};
  ::getrusage(RUSAGE_SELF, &all);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(all.ru_utime) + seconds(all.ru_stime), static_cast<double>(all.ru_nvcsw)};
}

}  // namespace

void device_account::begin(const plait::device& gpu) {
  plait::by_hand::reset_ledger(gpu);
  const used now = used_by_process();
  cpu_s_ = -now.cpu_s;
  sleeps_ = -now.sleeps;
}

void device_account::end(const plait::device& gpu, bool said) {
  device_ = plait::by_hand::ledger(gpu);
  if (!said) device_.starved_s += std::exchange(device_.idle_s, 0);
  const used now = used_by_process();
  cpu_s_ += now.cpu_s;
  sleeps_ += now.sleeps;
}

void device_account::add_to(run_report& report) const {
  report.ledger = {{.compute_s = device_.kernels_s,
                    .exposed_s = device_.starved_s,
                    .idle_s = device_.idle_s,
                    .wall_s = device_.wall_s}};
  report.workers = 1;
  report.figures["to_host_s"] = device_.to_host_s;
  report.figures["to_device_s"] = device_.to_device_s;
  report.figures["host_cpu_s"] = cpu_s_;
  report.figures["host_sleeps"] = sleeps_;
}

void row_by_hand::prepare(problem& p) {
  block_.emplace(p, how_);
  make();
}

void row_by_hand::run(problem&, int steps, const step_range& recorded) {
  recorded_ = recorded;
  if (recorded.size() > 0) observe();
  spent_.begin(block().gpu());
  began_s_ = plait::ticks_to_seconds(plait::now_ticks());
  watch_.start();
  advance(steps);
  for (const device_queue all : {device_queue::urgent, device_queue::compute})
    plait::by_hand::await(block().gpu(), plait::by_hand::record(queue(all, "end")));
  spent_.end(block().gpu(), solves_ == setting::isolated);
  (void)watch_.stop();
  plait::by_hand::observe(block().gpu(), {});
  done_ = steps;
}

// The device is behind the host: its commands of these steps are a share of all, as tasks are.
run_report row_by_hand::finish(problem& p) {
  run_report report;
  plait::measure::keep_steps(report, std::exchange(events_, {}), began_s_, done_, recorded_);
  const run_report of_host = watch_.report();
  report.events.insert(report.events.end(), of_host.events.begin(), of_host.events.end());
  spent_.add_to(report);
  unmake();
  block().fetch(p, done_);
  block_.reset();
  return report;
}

void row_by_hand::observe() {
  plait::by_hand::observe(block().gpu(), [this](device_queue which, const char* name,
                                                plait::ticks from, plait::ticks to) {
    events_.push_back({.lane = block().gpu().name() + ", " + to_string(which),
                       .name = name,
                       .begin_s = plait::ticks_to_seconds(from),
                       .end_s = plait::ticks_to_seconds(to)});
  });
}

void row_by_hand::relax(plait::queue to, int step, const box& some) {
  const span_there from = block().iterate(step);
  const reads needs(some);
  const layout& lies = block().lies();
  block().relax()(to, lies.rows(from, needs.below).as_const(),
                  lies.rows(from, needs.own).as_const(), lies.rows(from, needs.above).as_const(),
                  lies.rows(block().b(), some), lies.rows(block().iterate(step + 1), some), some);
}

}  // namespace jacobi3d
