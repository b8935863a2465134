// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <vector>

#include <starpu.h>

#include "runner.hpp"

namespace plait::bench::metg {
namespace {

// Of the run under way; StarPU, too, can only be there once in a process.
long iterations_now = 0;

void run_task(void**, void* task) {
  run_point(*static_cast<const point_task*>(task), iterations_now);
}

class starpu_runner final : public runner {
 public:
  starpu_runner(task_graph& graph, int workers) : graph_(graph) {
    start(workers);
    starpu_codelet_init(&codelet_);
    codelet_.cpu_funcs[0] = run_task;
    codelet_.nbuffers = STARPU_VARIABLE_NBUFFERS;
    for (cell& each : graph.cells()) {
      starpu_data_handle_t handle = nullptr;
      starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&each),
                                    sizeof each);
      handles_.push_back(handle);
    }
  }

  ~starpu_runner() override {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    starpu_shutdown();
  }

  void run(long iterations) override {
    iterations_now = iterations;
    for (long step = 0; step < graph_.steps(); ++step) {
      for (const point_task& task : graph_.at(step).tasks) submit(task);
    }
    starpu_task_wait_for_all();
  }

 private:
  static void start(int workers) {
    setenv("STARPU_SILENT", "1", 1);
    // plait's in-flight limit.
    setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "4096", 1);
    setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "2048", 1);
    starpu_conf options;
    starpu_conf_init(&options);
    options.ncpus = workers;
    options.ncuda = 0;
    options.nopencl = 0;
    if (starpu_init(&options) != 0) throw error("starpu_init failed");
  }

  void submit(const point_task& what) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->cl_arg = const_cast<point_task*>(&what);
    const std::size_t count = 1 + what.inputs.size();
    // The most inputs a pattern has is 5.
    PLAIT_EXPECTS(count <= STARPU_NMAXBUFS, "a task has more data than this StarPU was built for");
    task->nbuffers = static_cast<int>(count);
    task->handles[0] = handle_of(what.output);
    task->modes[0] = STARPU_W;
    for (std::size_t i = 1; i < count; ++i) {
      task->handles[i] = handle_of(what.inputs[i - 1]);
      task->modes[i] = STARPU_R;
    }
    if (starpu_task_submit(task) != 0) throw error("starpu_task_submit failed");
  }

  [[nodiscard]] starpu_data_handle_t handle_of(const cell* which) const {
    return handles_[static_cast<std::size_t>(which - graph_.cells().data())];
  }

  task_graph& graph_;
  starpu_codelet codelet_{};
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

peer starpu_tasks() {
  return {"starpu",
          "StarPU: starpu_task_submit, at most 4096 tasks submitted",
          true,
          false,
          true,
          [](environment&, task_graph& graph, const runner_options& options) {
            return std::make_unique<starpu_runner>(graph, options.workers);
          }};
}

}  // namespace plait::bench::metg
