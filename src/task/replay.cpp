// SPDX-License-Identifier: BSD-3-Clause
// Recording tasks and running what was recorded.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <plait/core/error.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

using detail::replayed_graph;
using detail::task_node;

graph scheduler::record(const std::function<void()>& submit) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "record() inside record()");
  s.entered();
  auto recorded = std::make_shared<replayed_graph>();
  recorded->belongs_to = s.serial;
  s.recording = recorded.get();
  try {
    submit();
  } catch (...) {
    s.recording = nullptr;
    s.time().left();
    throw;
  }
  s.recording = nullptr;
  s.time().left();
  s.expect_submitting_thread();  // no submission was left open
  recorded->close(s.measured_priorities, s.workers.size() == 1);
  if (s.checker != nullptr) s.checker->record(recorded);
  return graph(std::move(recorded));
}

bool scheduler::recording() const noexcept {
  return self_->recording != nullptr;
}

void scheduler::expect_in_place(const std::function<std::string()>& named_by,
                                const detail::container& c) {
  if (c.object == nullptr || self_->recording == nullptr) return;
  self_->recording->add_fixed(named_by(), c);
}

void scheduler::replay(graph& recorded, std::uint64_t iterations,
                       const std::function<void()>& before_first) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "replay() inside record()");
  replayed_graph& g = recorded.recorded();
  if (g.belongs_to != s.serial) throw usage_error("the graph was recorded by another scheduler");
  if (g.compute_tasks() > s.in_flight) {
    throw usage_error("the graph has " + std::to_string(g.compute_tasks()) +
                      " tasks, the in-flight limit is " + std::to_string(s.in_flight) +
                      "; give at least as many");
  }
  wait();
  g.check_containers();
  if (iterations == 0 || g.nodes().empty()) return;

  if (s.checker != nullptr) s.checker->expect_live(g);
  if (before_first) before_first();
  s.entered();
  g.begin(iterations, s.last_id + 1);
  if (s.checker != nullptr) s.checker->add_replayed(g);
  if (s.observer != nullptr) s.observer->replay_began(s.last_id + 1, g.nodes().size(), iterations);
  s.last_id += iterations * g.nodes().size();
  s.peak = std::max(s.peak, g.compute_tasks());
  s.replaying = recorded.self_;
  ++s.submitted;
  g.active.store(1, std::memory_order_relaxed);  // this call, until all have been looked at
  for (task_node& node : g.nodes()) {
    if (!g.meet(node, nullptr)) continue;
    g.active.fetch_add(1, std::memory_order_relaxed);
    s.launch(node);
  }
  if (g.active.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    s.count_finished(s.workers.front().get(), true);
  }
  s.time().left();
}

}  // namespace plait
