// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <plait/comm/mpi.hpp>

#include "measure/base/mpi_check.hpp"
#include "runner.hpp"

namespace plait::bench::metg {
namespace {

using measure::check_mpi;

// Receives are posted before the step they travel under, sends as soon as their task has run.
class mpi_runner final : public runner {
 public:
  mpi_runner(environment& env, task_graph& graph) : comm_(native(env)), graph_(graph) {}

  void run(long iterations) override {
    for (long step = 0; step < graph_.steps(); ++step)
      run_step(graph_.at(step), step + 1 < graph_.steps(), iterations);
  }

 private:
  void run_step(const graph_step& step, bool with_messages, long iterations) {
    requests_.clear();
    if (with_messages) {
      for (const message& one : step.receives) post(one, MPI_Irecv, "MPI_Irecv");
    }
    auto next_send = step.sends.begin();  // by point, as the tasks are
    for (const point_task& task : step.tasks) {
      run_point(task, iterations);
      for (; with_messages && next_send != step.sends.end() && next_send->point == task.point;
           ++next_send)
        post(*next_send, MPI_Isend, "MPI_Isend");
    }
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
  }

  template <class Call>
  void post(const message& one, Call&& call, const char* name) {
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(call(one.what, sizeof(cell), MPI_BYTE, one.peer, static_cast<int>(one.point), comm_,
                   &requests_.back()),
              name);
  }

  MPI_Comm comm_;
  task_graph& graph_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

peer plain_mpi() {
  return {"mpi",
          "MPI_Irecv, the tasks with MPI_Isend after each, MPI_Waitall, step by step",
          false,
          true,
          false,
          [](environment& env, task_graph& graph, const runner_options&) {
            return std::make_unique<mpi_runner>(env, graph);
          }};
}

}  // namespace plait::bench::metg
