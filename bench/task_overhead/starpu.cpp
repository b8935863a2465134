// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <starpu.h>

#include "peer.hpp"

namespace plait::bench::task_overhead {
namespace {

void nothing(void**, void*) {}

double seconds_of(starpu_codelet& codelet, const std::vector<starpu_data_handle_t>& handles,
                  long count) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = handles[static_cast<std::size_t>(i) % handles.size()];
    if (starpu_task_submit(task) != 0) throw std::runtime_error("starpu_task_submit failed");
  }
  starpu_task_wait_for_all();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double run_starpu(const load& what) {
  setenv("STARPU_SILENT", "1", 1);
  // plait's in-flight limit.  Without a limit StarPU holds all tasks at once and takes about twice
  // as long.
  setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "4096", 1);
  setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "2048", 1);
  starpu_conf options;
  starpu_conf_init(&options);
  options.ncpus = what.workers;
  options.ncuda = 0;
  options.nopencl = 0;
  options.sched_policy_name = what.setting.c_str();
  if (starpu_init(&options) != 0) throw std::runtime_error("starpu_init failed");

  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = nothing;
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  std::vector<chain_object> objects(static_cast<std::size_t>(what.chains));
  std::vector<starpu_data_handle_t> handles(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i)
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<uintptr_t>(&objects[i]), sizeof objects[i]);

  seconds_of(codelet, handles, what.tasks / 10);
  const double seconds = seconds_of(codelet, handles, what.tasks);

  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  return seconds;
}

}  // namespace plait::bench::task_overhead
