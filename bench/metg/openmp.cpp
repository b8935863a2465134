// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace plait::bench::metg {
namespace {

// One thread of the team makes the tasks; all run them.
class openmp_runner final : public runner {
 public:
  openmp_runner(task_graph& graph, int workers) : graph_(graph), workers_(workers) {}

  void run(long iterations) override {
#pragma omp parallel num_threads(workers_)
#pragma omp single
    for (long step = 0; step < graph_.steps(); ++step) {
      for (const point_task& task : graph_.at(step).tasks) make_task(task, iterations);
    }
  }

 private:
  // GCC takes objects that are named in depend() alone for unused.
  static void make_task(const point_task& task, long iterations) {
    const point_task* one = &task;
    [[maybe_unused]] cell* output = task.output;
    [[maybe_unused]] const cell* const* inputs = task.inputs.data();
    [[maybe_unused]] const auto count = static_cast<long>(task.inputs.size());
#pragma omp task depend(out                                     \
                        : output[0]) depend(iterator(long i = 0 \
                                                     : count),  \
                                            in                  \
                                            : inputs[i][0]) firstprivate(one, iterations)
    run_point(*one, iterations);
  }

  task_graph& graph_;
  int workers_;
};

}  // namespace

peer openmp_tasks() {
  return {"openmp",
          "GCC's OpenMP: task depend(iterator), one producer",
          true,
          false,
          true,
          [](environment&, task_graph& graph, const runner_options& options) {
            return std::make_unique<openmp_runner>(graph, options.workers);
          }};
}

}  // namespace plait::bench::metg
