// SPDX-License-Identifier: BSD-3-Clause
// Tasks of one rank and one worker: empty ones in 64 chains, as `task_overhead` has them, and those
// of the pattern stencil_1d of `metg`, each with three inputs.
#include <memory>
#include <vector>

#include "bench/metg/runner.hpp"
#include "parts.hpp"

namespace plait::bench::counts {
namespace {

constexpr int chains = 64;
constexpr int links = 16;
constexpr int tasks = chains * links;
constexpr int warm_runs = 6;  // measured priorities take their samples

struct alignas(64) chain_object {
  long value = 0;
};

void nothing(chain_object&) {}

void submit(scheduler& to, std::vector<chain_object>& objects) {
  for (int i = 0; i < tasks; ++i)
    to.task("nothing", nothing, inout(objects[static_cast<std::size_t>(i % chains)]));
}

void count_empty(parts& part) {
  std::vector<chain_object> objects(chains);
  scheduler all({.workers = 1, .in_flight = 4096});
  const auto once = [&] {
    submit(all, objects);
    all.wait();
  };
  for (int i = 0; i < warm_runs; ++i) once();
  part.count("plait", "empty task", tasks, once);
}

void count_empty_replayed(parts& part) {
  constexpr int iterations = 4;
  std::vector<chain_object> objects(chains);
  scheduler all({.workers = 1, .in_flight = 4096});
  graph recorded = all.record([&] { submit(all, objects); });
  all.replay(recorded, warm_runs);
  all.wait();
  part.count("plait replayed", "empty task", iterations * tasks, [&] {
    all.replay(recorded, iterations);
    all.wait();
  });
}

void count_stencil(session& s, const metg::peer& who) {
  constexpr long steps = 64;
  metg::task_graph graph(metg::pattern("stencil_1d", 16), steps, 0, 1);
  const std::unique_ptr<metg::runner> running =
      who.make(s.env, graph, {.workers = 1, .policy = progress::workers});
  s.turn.among_two([&] {
    s.turn.of(0, [&] {
      for (int i = 0; i < 2; ++i) {
        graph.reset();
        running->run(1);
      }
      graph.reset();
      s.part.count(who.name, "task with 3 inputs", static_cast<int>(graph.tasks()),
                   [&] { running->run(1); });
      graph.verify();
    });
  });
}

}  // namespace

void count_tasks(session& s) {
  s.turn.among_two([&] {
    s.turn.of(0, [&] {
      count_empty(s.part);
      count_empty_replayed(s.part);
    });
  });
  count_stencil(s, metg::plait_tasks());
  count_stencil(s, metg::plait_replayed());
}

}  // namespace plait::bench::counts
