// SPDX-License-Identifier: BSD-3-Clause
// Runs the tasks and messages of the exchange in StarPU-MPI, whose own thread drives them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include <plait/comm/mpi.hpp>
#include <starpu.h>
#include <starpu_mpi.h>

#include "contestants.hpp"

namespace plait::bench::exchange {
namespace {

struct session {
  session(environment& env, int workers) {
    setenv("STARPU_SILENT", "1", 1);
    starpu_conf options;
    starpu_conf_init(&options);
    options.ncpus = workers;
    options.ncuda = 0;
    options.nopencl = 0;
    if (starpu_mpi_init_conf(nullptr, nullptr, 0, native(env), &options) != 0)
      throw error("starpu_mpi_init_conf failed");
  }
  ~session() { starpu_mpi_shutdown(); }
  session(const session&) = delete;
  session& operator=(const session&) = delete;
};

template <class Range>
starpu_data_handle_t registered(Range& data) {
  starpu_data_handle_t handle = nullptr;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(data.data()),
                              static_cast<std::uint32_t>(data.size()), sizeof *data.data());
  return handle;
}

struct handles {
  explicit handles(buffers& data)
      : outgoing(registered(data.outgoing)), incoming(registered(data.incoming)) {
    starpu_variable_data_register(&gate, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&data.gate),
                                  sizeof data.gate);
    for (values& piece : data.pieces) pieces.push_back(registered(piece));
  }
  ~handles() {
    for (starpu_data_handle_t one : {outgoing, incoming, gate}) starpu_data_unregister(one);
    for (starpu_data_handle_t one : pieces) starpu_data_unregister(one);
  }
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;

  starpu_data_handle_t outgoing;
  starpu_data_handle_t incoming;
  starpu_data_handle_t gate = nullptr;
  std::vector<starpu_data_handle_t> pieces;
};

// The arguments of a task besides its handles.
struct piece_of_work {
  values* on;
  long units;
};

void run_work(void**, void* argument) {
  const auto& piece = *static_cast<const piece_of_work*>(argument);
  work(*piece.on, piece.units);
}

void run_combine(void**, void* argument) {
  auto& data = *static_cast<buffers*>(argument);
  combine(data.incoming, data.outgoing, data.gate);
}

class starpu_steps {
 public:
  starpu_steps(environment& env, const load& what, buffers& data)
      : env_(env), session_(env, what.workers), data_(data), handles_(data) {
    for (int i = 0; i < what.pieces; ++i)
      pieces_.push_back({&data.pieces[static_cast<std::size_t>(i)], what.units_of(i)});
    starpu_codelet_init(&work_);
    work_.cpu_funcs[0] = run_work;
    work_.nbuffers = 2;
    work_.modes[0] = STARPU_RW;
    work_.modes[1] = STARPU_R;
    starpu_codelet_init(&combine_);
    combine_.cpu_funcs[0] = run_combine;
    combine_.nbuffers = 3;
    combine_.modes[0] = STARPU_R;
    combine_.modes[1] = combine_.modes[2] = STARPU_RW;
  }

  void run(int count) {
    for (int i = 0; i < count; ++i) submit_step();
    starpu_task_wait_for_all();
    starpu_mpi_wait_for_all(native(env_));
  }

 private:
  void submit_step() {
    const int peer = 1 - env_.rank();
    starpu_mpi_irecv_detached(handles_.incoming, peer, 0, native(env_), nullptr, nullptr);
    starpu_mpi_isend_detached(handles_.outgoing, peer, 0, native(env_), nullptr, nullptr);
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      submit(work_, &pieces_[i], {handles_.pieces[i], handles_.gate});
    submit(combine_, &data_, {handles_.incoming, handles_.outgoing, handles_.gate});
  }

  static void submit(starpu_codelet& what, void* argument,
                     std::initializer_list<starpu_data_handle_t> on) {
    starpu_task* task = starpu_task_create();
    task->cl = &what;
    task->cl_arg = argument;
    std::copy(on.begin(), on.end(), task->handles);
    if (starpu_task_submit(task) != 0) throw error("starpu_task_submit failed");
  }

  environment& env_;
  session session_;
  buffers& data_;
  handles handles_;
  std::vector<piece_of_work> pieces_;
  starpu_codelet work_{};
  starpu_codelet combine_{};
};

measure::timing run_starpu(environment& env, const load& what) {
  buffers data(what);
  double total_s = 0;
  {
    starpu_steps steps(env, what, data);
    steps.run(1);
    // StarPU's thread makes MPI calls of its own, so this one must not.
    starpu_mpi_barrier(native(env));
    const ticks start = now_ticks();
    steps.run(what.steps);
    total_s = ticks_to_seconds(now_ticks() - start);
  }
  expect_steps(data, static_cast<std::uint64_t>(what.steps) + 1);
  return {total_s / what.steps, std::nan("")};
}

}  // namespace

contestant starpu_mpi_tasks() {
  return {"starpu-mpi", "starpu_mpi_isend_detached, starpu_mpi_irecv_detached, tasks", run_starpu};
}

}  // namespace plait::bench::exchange
