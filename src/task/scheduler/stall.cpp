// SPDX-License-Identifier: BSD-3-Clause
// Looking at the tasks in flight while other threads run and finish them.
//
// Everything here is done by the submitting thread, in an idle spell.  Why it races with nobody:
//  - Nodes, their names, kinds, `edges_made` and edges are written by this thread alone, and
//    nobody else frees or reuses a node.  So a node seen unfinished here keeps its identity until
//    this look is over, even if it finishes meanwhile, and so do the edges, which live in nodes.
//  - What other threads change is atomic: `successors`, `unmet`, `id`, and what a worker runs.
//  - The successors of a recorded task do not change after recording, and the graph that is being
//    replayed is kept by `replaying`.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <unordered_map>

#include <plait/core/error.hpp>

#include "core/filled.hpp"
#include "task/scheduler/stall_reports.hpp"

namespace plait::detail {
namespace {

/// Collects tasks, then finds who waits for whom.
class stall_survey {
 public:
  explicit stall_survey(std::vector<stall::task>& tasks) : tasks_(tasks) {}

  void add_submitted(const task_node& node) {
    if (node.finished()) return;
    // The counter of a node without edges keeps its guard; see is_ready.
    const bool waits = node.edges_made > 0 &&
                       (!node.is_met_elsewhere || node.unmet.load(std::memory_order_relaxed) > 0);
    tasks_.push_back({.node = &node, .is = state_of(node, waits)});
  }

  void add_replayed(const task_node& node, const replayed_graph& graph) {
    const std::uint64_t iteration = graph.iteration_of(node);
    if (iteration == graph.iterations()) return;
    tasks_.push_back({.node = &node, .is = stall::state::waiting, .iteration = iteration + 1});
  }

  /// Before the functions below.
  void sort() {
    std::stable_sort(tasks_.begin(), tasks_.end(), [](const auto& a, const auto& b) {
      return a.iteration == 0 && b.iteration == 0 && id_of(a) < id_of(b);
    });
    for (std::size_t i = 0; i < tasks_.size(); ++i) places_[tasks_[i].node] = i;
  }

  void add_worker(const worker& w, const char* resource, int place) {
    const auto found = places_.find(w.in_task.load(std::memory_order_relaxed));
    if (found == places_.end()) return;
    stall::task& task = tasks_[found->second];
    const ticks begin = w.time.last_read_elsewhere();  // not after the task began
    task.is = stall::state::running;
    task.worker = place;
    task.resource = resource;
    task.running_s = ticks_to_seconds(std::max<ticks>(0, now_ticks() - begin));
  }

  void add_held(const task_node& node, std::uint64_t iteration, ticks since, stall& to) {
    to.held.push_back(
        {node.name, iteration, ticks_to_seconds(std::max<ticks>(0, now_ticks() - since))});
    const auto found = places_.find(&node);
    if (found != places_.end()) tasks_[found->second].is = stall::state::on_hold;
  }

  void find_dependences() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].iteration == 0) {
        find_successors(i);
      } else {
        find_replayed_successors(i);
      }
    }
    for (stall::task& task : tasks_) {
      if (task.iteration != 0 && task.is == stall::state::waiting)
        task.is = state_of(*task.node, !task.waits_for.empty());
    }
  }

 private:
  [[nodiscard]] static stall::state state_of(const task_node& node, bool waits) noexcept {
    if (waits) return stall::state::waiting;
    if (node.suspended.load(std::memory_order_relaxed)) return stall::state::suspended;
    return node.kind == node_kind::asynchronous ? stall::state::started : stall::state::ready;
  }
  [[nodiscard]] static std::uint64_t id_of(const stall::task& task) noexcept {
    return task.node->id.load(std::memory_order_relaxed);
  }

  void find_successors(std::size_t place) {
    const edge* e = tasks_[place].node->successors.load(std::memory_order_acquire);
    if (e == task_node::closed()) return;
    for (; e != nullptr; e = e->next) {
      const auto found = places_.find(e->successor);
      if (found != places_.end()) add_dependence(tasks_[found->second], place);
    }
  }

  /// Iteration k of a successor waits for iteration k of this task, and for iteration k - 1 where
  /// the dependence wraps.
  void find_replayed_successors(std::size_t place) {
    const recorded_task& task = *tasks_[place].node->recorded;
    for (std::uint32_t i = 0; i < task.all(); ++i) {
      const auto found = places_.find(task.successors[i]);
      if (found == places_.end()) continue;
      stall::task& successor = tasks_[found->second];
      const std::uint64_t needed = successor.iteration - (i < task.same ? 0 : 1);
      if (tasks_[place].iteration <= needed) add_dependence(successor, place);
    }
  }

  static void add_dependence(stall::task& successor, std::size_t place) {
    auto& list = successor.waits_for;
    if (successor.is != stall::state::waiting) return;
    if (list.empty() || list.back() != place) list.push_back(place);
  }

  std::vector<stall::task>& tasks_;
  std::unordered_map<const task_node*, std::size_t> places_;
};

[[nodiscard]] ticks stall_ticks(double seconds) {
  constexpr double for_ever_s = 1e9;  // and ticks of this many seconds do not overflow
  return seconds > 0 && seconds < for_ever_s ? seconds_to_ticks(seconds) : progress_source::never;
}

/// Grows with every task that starts or finishes, those of a replay included.
[[nodiscard]] std::uint64_t progress_mark(const crew& threads, const replayed_graph* replaying) {
  std::uint64_t mark = threads.total(&counters::tasks) + threads.total(&counters::finished) +
                       threads.total(&counters::uncounted) + threads.total(&counters::children);
  if (replaying == nullptr) return mark;
  for (const task_node& node : replaying->nodes()) {
    mark += node.id.load(std::memory_order_relaxed);
  }
  return mark;
}

[[nodiscard]] stall describe(const crew& threads, const submitted_tasks& tasks,
                             const replayed_graph* replaying, const held_tasks& open) {
  stall result;
  stall_survey survey(result.tasks);
  tasks.for_each_node([&survey](const task_node& node) { survey.add_submitted(node); });
  if (replaying != nullptr) {
    for (const task_node& node : replaying->nodes()) survey.add_replayed(node, *replaying);
  }
  survey.sort();
  for (const auto& w : threads.workers()) survey.add_worker(*w, "", w->index);
  threads.for_each_resource([&survey](const resource_threads& one) {
    int place = 0;
    for (const auto& w : one.threads) survey.add_worker(*w, one.name.c_str(), place++);
  });
  open.for_each([&](const task_node& node, ticks since) {
    survey.add_held(node, node.recorded == nullptr ? 0 : iteration_of(node) + 1, since, result);
  });
  survey.find_dependences();
  return result;
}

/// No thread runs anything, no message is under way, and no task is suspended in a call of MPI.
[[nodiscard]] bool only_holds_are_open(const stall& found, const crew& threads) {
  bool others = false;
  threads.for_each_thread(
      [&](const worker& w) { others |= w.in_task.load(std::memory_order_relaxed) != nullptr; });
  for (const stall::task& task : found.tasks)
    others |= task.is == stall::state::started || task.is == stall::state::suspended;
  return !others && !found.held.empty();
}

/// Nobody but the owners of holds can move anything, and the program has given them all the time
/// that it may: its memory, which they use, would be freed.
[[noreturn]] void end_with_holds(const stall& found) {
  constexpr std::size_t most_names = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(found.held.size(), most_names); ++i) {
    const stall::held_task& one = found.held[i];
    names += std::string(i == 0 ? "'" : ", '") + one.name + "'";
    if (one.iteration != 0) names += " of iteration " + std::to_string(one.iteration);
    names += " (for " + fixed(one.held_s, 1) + " s)";
  }
  if (found.held.size() > most_names)
    names += " and " + std::to_string(found.held.size() - most_names) + " more";
  std::fprintf(stderr,
               "plait: %s: the runtime ends while tasks are held, and nobody lets them go: %s\n",
               process_label().c_str(), names.c_str());
  detail::abort_job();
}

}  // namespace

stall_reports::stall_reports(const scheduler_options& options)
    : report_(options.stalled),
      stall_period_(stall_ticks(options.stall_report_s)),
      period_(report_ != nullptr ? stall_period_ : progress_source::never) {}

void stall_reports::end_begins(bool unwinds) noexcept {
  constexpr double after_an_exception_s = 1;
  ends_ = true;
  period_ =
      unwinds ? std::min(stall_period_, seconds_to_ticks(after_an_exception_s)) : stall_period_;
}

void stall_reports::look(stall_watch& watch, const crew& threads, const submitted_tasks& tasks,
                         const replayed_graph* replaying, const held_tasks& open,
                         bool in_flight) const {
  if (!watch.look(progress_mark(threads, replaying), now_ticks())) return;
  // A program that may only be slow must not end because a report cannot be made.
  try {
    stall found = describe(threads, tasks, replaying, open);
    found.quiet_s = ticks_to_seconds(now_ticks() - watch.since());
    if (ends_ && !in_flight && only_holds_are_open(found, threads)) end_with_holds(found);
    if (report_ != nullptr) report_(found);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "plait: %s: nothing moves, and no report can be made: %s\n",
                 process_label().c_str(), e.what());
  }
}

}  // namespace plait::detail
