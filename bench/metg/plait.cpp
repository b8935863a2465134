// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace plait::bench::metg {
namespace {

// Iterations come by pointer: a recorded task is given the same values in every replay.
void run_task(const point_task* task, const long* iterations) {
  run_point(*task, *iterations);
}

class submitted_tasks : public runner {
 public:
  submitted_tasks(environment& env, task_graph& graph, const runner_options& options)
      : graph_(graph),
        rt_(env, {.engine = {.policy = options.policy}, .tasks = {.workers = options.workers}}) {}

  void run(long iterations) override {
    iterations_ = iterations;
    submit_steps(0, graph_.steps());
    rt_.wait();
  }

 protected:
  void submit_steps(long first, long last) {
    for (long step = first; step < last; ++step) {
      submit_tasks(graph_.at(step));
      if (step + 1 < graph_.steps()) submit_messages(graph_.at(step));
    }
  }

  void submit_tasks(const graph_step& step) {
    for (const point_task& task : step.tasks) {
      auto one = rt_.task("point", run_task, &task, &iterations_);
      one.also(out(*task.output));
      for (const cell* input : task.inputs) one.also(in(*input));
    }
  }

  void submit_messages(const graph_step& step) {
    for (const message& one : step.sends)
      rt_.send("send", in(*one.what), one.peer, static_cast<int>(one.point));
    for (const message& one : step.receives)
      rt_.recv("receive", out(*one.what), one.peer, static_cast<int>(one.point));
  }

  task_graph& graph_;
  runtime rt_;
  long iterations_ = 0;
};

// The time of a replay, taken apart: 2 processes with 1 worker each, Open MPI 4.1.4, tasks of 0.15
// us (stencil_1d) and 0.65 us (spread), from the ledger; in MPI's calls from readings around them
// (20 ns each, included), beside those of the hand-written program; ns:
//
//   stencil_1d, a task: overhead 115 to 160, of it some 30 to find, run and finish it and 40 for
//   looks outside of MPI, by samples of the program counter; exposed 35 to 60; posting 5.  In MPI,
//   a message sent and one received: Isend 210 to 240, Start 70, Test of the send 30, two looks
//   that find nothing, 130 to 150 each, most of it the delivery of what has come, and one that
//   does, 40. Hand-written: Isend 230 to 400, Irecv 75, Waitall 400 to 480.
//
//   spread, a task with a message each way: posting 310, of it Isend 205, Irecv 85, Test 30;
//   exposed 205; overhead 165; looks 200 in MPI.  Hand-written: Isend 255, Irecv 85, Waitall 200.
//   So MPI's calls cost as much as in the hand-written program, and there is as much again beside
//   them.
//
//   trivial, a task: 34, all overhead, a fifth of it the clock (since then read half as often).
//   Hand-written: 4.
//
// Where the kernel puts memory matters: under `setarch -R` 15 runs of stencil_1d in 16 took 0.28 to
// 0.32 us, with random addresses 4 in 8 took 0.45 to 0.48, one rank at 110 ns of overhead a task
// and the other at 160 to 215.  The stack's place makes no difference.  What made none that could
// be seen: four looks before the token is given back, no locked instructions to count what is in
// flight, a proxy that wakes more rarely.
class replayed_tasks final : public submitted_tasks {
 public:
  replayed_tasks(environment& env, task_graph& graph, const runner_options& options)
      : submitted_tasks(env, graph, options), stretch_(rt_.record([this] {
          for (long step = graph_.fields(); step < 2 * graph_.fields(); ++step) {
            submit_tasks(graph_.at(step));
            submit_messages(graph_.at(step));
          }
        })) {}

  void run(long iterations) override {
    iterations_ = iterations;
    const long unlike = graph_.repeats_from_the_start() ? 0 : graph_.fields();
    submit_stretch(unlike);
    const long alike = (graph_.steps() - unlike) / graph_.fields();
    if (alike > 0) rt_.replay(stretch_, static_cast<std::uint64_t>(alike));
    rt_.wait();
  }

 private:
  void submit_stretch(long steps) {
    for (long step = 0; step < steps; ++step) {
      submit_tasks(graph_.at(step));
      submit_messages(graph_.at(step));
    }
  }

  graph stretch_;
};

template <class Runner>
std::unique_ptr<runner> make(environment& env, task_graph& graph, const runner_options& options) {
  return std::make_unique<Runner>(env, graph, options);
}

}  // namespace

peer plait_tasks() {
  return {"plait", "rt.task, rt.send, rt.recv in program order",
          true,    true,
          true,    make<submitted_tasks>};
}

peer plait_replayed() {
  return {"plait replayed",    "a stretch of steps recorded, then replayed", true, true, true,
          make<replayed_tasks>};
}

}  // namespace plait::bench::metg
