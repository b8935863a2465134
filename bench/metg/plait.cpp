// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

namespace plait::bench {
namespace {

// Iterations come by pointer: a recorded task is given the same values in every replay.
void run_task(const point_task* task, const long* iterations) {
  run_point(*task, *iterations);
}

class submitted_tasks : public runner {
 public:
  submitted_tasks(environment& env, task_graph& graph, const runner_options& options)
      : graph_(graph), rt_(env, {.workers = options.workers, .policy = options.policy}) {}

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

}  // namespace plait::bench
