// SPDX-License-Identifier: BSD-3-Clause
// Recording tasks and running what was recorded.
#include <memory>
#include <string>
#include <utility>

#include <plait/core/error.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::node_kind;
using detail::replayed_graph;
using detail::task_node;

graph scheduler::record(const std::function<void()>& submit) {
  begin_record();
  {
    const implementation::stay inside(*self_);
    try {
      submit();
    } catch (...) {
      self_->recording.reset();
      throw;
    }
  }
  return std::move(end_record()).value();
}

void scheduler::begin_record() {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "record() inside record()");
  s.time().stop_passing();
  s.recording = std::make_shared<replayed_graph>();
  s.recording->belongs_to = s.serial;
}

std::optional<graph> scheduler::end_record(bool keep) {
  implementation& s = *self_;
  s.expect_submitting_thread();  // no submission was left open
  PLAIT_EXPECTS(s.recording != nullptr, "nothing is being recorded");
  std::shared_ptr<replayed_graph> recorded = std::move(s.recording);
  if (!keep) return std::nullopt;
  recorded->close(s.measured_priorities, s.threads.is_one());
  s.watch.recorded(recorded);
  return graph(std::move(recorded));
}

bool scheduler::recording() const noexcept {
  return self_->recording != nullptr;
}

void scheduler::group(std::uint32_t number) {
  self_->watch.group(number);
}

void scheduler::add_fixed(std::string named_by, const detail::container& c) {
  self_->recording->add_fixed(std::move(named_by), c);
}

void scheduler::replay(graph& recorded, std::uint64_t iterations,
                       const std::function<void()>& before_first) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "replay() inside record()");
  replayed_graph& g = recorded.recorded();
  if (g.belongs_to != s.serial) throw usage_error("the graph was recorded by another scheduler");
  if (g.compute_tasks() > s.tasks.limit()) {
    throw usage_error("the graph has " + std::to_string(g.compute_tasks()) +
                      " tasks, the in-flight limit is " + std::to_string(s.tasks.limit()) +
                      "; give at least as many");
  }
  wait();
  g.check_containers();
  if (iterations == 0 || g.nodes().empty()) return;

  s.watch.expect_live(g);
  if (before_first) before_first();
  const implementation::stay inside(s);
  const std::uint64_t first_id =
      s.tasks.add_replay(iterations * g.nodes().size(), g.compute_tasks());
  g.begin(iterations, first_id);
  s.watch.replay_begins(g, first_id);
  s.replaying = recorded.self_;
  detail::waiting_starts messages;
  g.start([&](task_node& node) {
    node.kind == node_kind::compute ? s.ready.add_submitted(node) : (void)messages.add(node, node);
  });
  // In one turn, so that one which is over at once does not run ahead in the next iterations.
  if (messages.first != nullptr)
    s.start_in_turn(*messages.first, *messages.last, &s.threads.submitter());
}

}  // namespace plait
