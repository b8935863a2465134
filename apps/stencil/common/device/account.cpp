// SPDX-License-Identifier: BSD-3-Clause
#include "account.hpp"

#include <utility>

#include <sys/resource.h>

namespace plait::stencil {
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

void device_account::begin(const device& gpu) {
  by_hand::reset_ledger(gpu);
  const used now = used_by_process();
  cpu_s_ = -now.cpu_s;
  sleeps_ = -now.sleeps;
}

void device_account::end(const device& gpu, bool said) {
  device_ = by_hand::ledger(gpu);
  if (!said) device_.starved_s += std::exchange(device_.idle_s, 0);
  const used now = used_by_process();
  cpu_s_ += now.cpu_s;
  sleeps_ += now.sleeps;
}

void device_account::add_to(measure::run_report& report) const {
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

}  // namespace plait::stencil
