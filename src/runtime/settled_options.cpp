// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/settled_options.hpp"

#include <string>

#include <plait/comm/blocking_calls.hpp>
#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>
#include <plait/model/service_core.hpp>

#include "runtime/written/stall_report.hpp"

namespace plait {
namespace {

void check(const runtime_options& options, int cores) {
  if (options.engine.cores < 0)
    throw usage_error("runtime_options: cores is " + std::to_string(options.engine.cores) +
                      "; it must be 0 or more");
  if (options.service == service_core::never) return;
  if (options.tasks.workers != 0)
    throw usage_error(
        "runtime_options: a service core takes the number of workers from the cores; leave workers "
        "0");
  if (options.service == service_core::always && cores < 2)
    throw usage_error("runtime_options: a service core needs 2 cores, and this rank has 1");
}

[[nodiscard]] bool gives_up_a_worker(const runtime_options& options, int cores) {
  if (options.service == service_core::always) return true;
  return options.service == service_core::where_it_pays && options.step && cores >= 2 &&
         model::forecast_service(*options.step).pays();
}

}  // namespace

runtime_options settled(const environment& env, runtime_options options) {
  scheduler_options& tasks = options.tasks;
  tasks.checked = scheduler::checks_accesses(tasks.checked);
  if (tasks.checked) {  // nobody else may touch the data of a task meanwhile
    if (tasks.workers > 0) tasks.workers = 1;
    options.engine.policy = progress::none;
    options.service = service_core::never;
  }
  const int share = fair_share(env.node_units(), env.node_rank());
  const int cores = options.engine.cores != 0 ? options.engine.cores : share;
  check(options, cores);
  if (tasks.workers == 0) tasks.workers = cores - (gives_up_a_worker(options, cores) ? 1 : 0);
  const auto& units = env.node_units()[static_cast<std::size_t>(env.node_rank())];
  tasks.oversubscribed = share < tasks.workers || env.node_size() > static_cast<int>(units.size());
  constexpr std::size_t usual_stack_bytes = std::size_t{1} << 20;
  if (!blocking_calls::linked) {
    tasks.task_stack_bytes = 0;
  } else if (tasks.task_stack_bytes == 0) {
    tasks.task_stack_bytes = usual_stack_bytes;
  }
  tasks.stall_report_s = stall_report_seconds(tasks.stall_report_s);
  options.engine.workers = tasks.workers;
  if (options.step) options.engine.remark = model::service_sentence(*options.step);
  return options;
}

}  // namespace plait
