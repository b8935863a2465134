// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/worker_choice.hpp"

#include <plait/core/error.hpp>
#include <plait/core/fair_share.hpp>
#include <plait/model/service_core.hpp>

namespace plait {
namespace {

void check(const runtime_options& options, int cores) {
  if (options.cores < 0)
    throw usage_error("runtime_options: cores is " + std::to_string(options.cores) +
                      "; it must be 0 or more");
  if (options.service == service_core::never) return;
  if (options.workers != 0)
    throw usage_error(
        "runtime_options: a service core takes the number of workers from the cores; leave workers "
        "0");
  if (options.service == service_core::always && cores < 2)
    throw usage_error("runtime_options: a service core needs 2 cores, and this rank has 1");
}

}  // namespace

worker_choice choose_workers(const environment& env, const runtime_options& options) {
  const int cores =
      options.cores != 0 ? options.cores : fair_share(env.node_units(), env.node_rank());
  check(options, cores);
  worker_choice result{options.workers != 0 ? options.workers : cores};
  if (options.step) result.remark = model::service_sentence(*options.step);
  const bool pays = options.step && cores >= 2 && model::forecast_service(*options.step).pays();
  if (options.service == service_core::always ||
      (options.service == service_core::where_it_pays && pays))
    --result.workers;
  return result;
}

}  // namespace plait
