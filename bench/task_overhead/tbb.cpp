// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstddef>
#include <deque>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "peer.hpp"

namespace plait::bench::task_overhead {
namespace {

// oneTBB finds no dependences from accesses.  What its user would write for such chains is a node
// that handles one message at a time, so the program, not the library, knows what conflicts.
using chain = tbb::flow::function_node<int, tbb::flow::continue_msg>;

double seconds_of(tbb::flow::graph& graph, std::deque<chain>& chains, long count) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) chains[static_cast<std::size_t>(i) % chains.size()].try_put(0);
  graph.wait_for_all();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double run_tbb(const load& what) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(what.workers));
  tbb::task_arena arena(what.workers);
  double seconds = 0;
  arena.execute([&] {
    tbb::flow::graph graph;
    std::deque<chain> chains;
    for (int i = 0; i < what.chains; ++i) {
      chains.emplace_back(graph, tbb::flow::serial, [](int) { return tbb::flow::continue_msg(); });
    }
    seconds_of(graph, chains, what.tasks / 10);
    seconds = seconds_of(graph, chains, what.tasks);
  });
  return seconds;
}

}  // namespace plait::bench::task_overhead
