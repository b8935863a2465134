// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <plait/core/cpu_pause.hpp>
#include <plait/core/error.hpp>
#include <plait/core/exception_text.hpp>
#include <plait/task/scheduler.hpp>
#include <plait/task/topology.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

using detail::node_action;
using detail::node_kind;
using detail::task_node;
using detail::worker;

// --- the submitting thread ---------------------------------------------------------------------

void scheduler::implementation::expect_submitting_thread() const {
  // The usual case, without a call.
  if (this_worker() == workers.front().get() && open_submission == nullptr &&
      workers.front()->in_task.load(std::memory_order_relaxed) == nullptr) {
    return;
  }
  PLAIT_EXPECTS(std::this_thread::get_id() == submitter,
                "only the thread that made the scheduler submits tasks and waits");
  PLAIT_EXPECTS(!workers.front()->in_task,
                "a task cannot wait, record or replay; what it submits is finished before it is");
  PLAIT_EXPECTS(
      open_submission == nullptr,
      std::string("task '") + open_submission->name +
          "' is not submitted yet: a task that is kept in a variable is submitted when the "
          "variable's scope ends");
}

std::uint64_t scheduler::implementation::total(
    std::atomic<std::uint64_t> detail::counters::*which) const noexcept {
  std::uint64_t sum = (outside_counts.*which).load(std::memory_order_seq_cst);
  const auto add = [&](const auto& all) {
    for (const auto& w : all) sum += (w->counts.*which).load(std::memory_order_seq_cst);
  };
  add(workers);
  for_each_resource([&](const detail::resource_threads& one) { add(one.threads); });
  return sum;
}

void scheduler::implementation::collect_returned(detail::returned_nodes& from) noexcept {
  task_node* list = from.take_all();
  if (free_nodes == nullptr) {
    free_nodes = list;
    return;
  }
  while (list != nullptr) {
    task_node* next = list->next_free;
    list->next_free = std::exchange(free_nodes, list);
    list = next;
  }
}

task_node& scheduler::implementation::take_free_node() {
  if (free_nodes == nullptr) collect_free_nodes();
  task_node& node = *std::exchange(free_nodes, free_nodes->next_free);
  if (free_nodes != nullptr) free_nodes->prefetch_to_submit();
  return node;
}

/// Nodes that workers have given back; or new ones.
void scheduler::implementation::collect_free_nodes() {
  for (auto& w : workers) collect_returned(w->returned);
  for_each_resource([this](const detail::resource_threads& one) {
    for (const auto& w : one.threads) collect_returned(w->returned);
  });
  collect_returned(outside_returned);
  if (free_nodes == nullptr) {
    node_blocks.push_back(std::make_unique<task_node[]>(nodes_per_block));
    for (std::size_t i = 0; i < nodes_per_block; ++i) {
      task_node& node = node_blocks.back()[i];
      node.next_free = std::exchange(free_nodes, &node);
    }
  }
}

/// After a failure other ranks may never send what messages in flight wait for.
void scheduler::implementation::give_up_if_failed() {
  if (gave_up || !has_failed.load(std::memory_order_seq_cst)) return;
  gave_up = true;
  if (progress == nullptr || progress->cancel()) return;
  // The program would free memory that messages still use.
  std::fprintf(stderr, "plait: %s: a task failed (%s), and messages in flight cannot be given up\n",
               process_label().c_str(), failure_text().c_str());
  detail::abort_job();
}

std::string scheduler::implementation::failure_text() {
  std::lock_guard lock(failure_mutex);
  if (failure != nullptr) return exception_text(failure);
  return "dropped while another exception unwinds the stack";
}

/// Until there is room for one task; and for more at once, as long as that takes no time to speak
/// of: whoever comes back for every task meets the counts and nodes of the others in their caches
/// each time.  Tasks are run only where there was no room at all.
void scheduler::implementation::wait_for_room() {
  constexpr std::size_t most_at_once = 32;
  const std::size_t enough = std::clamp<std::size_t>(in_flight / 8, 1, most_at_once);
  const auto room = [this] {
    uncounted_seen = total(&detail::counters::uncounted);
    return in_flight - (submitted - uncounted_seen);
  };
  give_up_if_failed();
  std::size_t free = room();
  if (free >= enough) return;
  worker& w = *workers.front();
  const bool is_full = free == 0;
  if (is_full) {
    // Workers in the middle of long chains do not wake this thread for every task they finish: it
    // looks for itself, often enough that they do not run dry.
    const ticks longest_sleep = seconds_to_ticks(200e-6);
    const auto some_room = [&] {
      give_up_if_failed();
      return room() > 0;
    };
    work_until(w, some_room, longest_sleep);
  }
  const ticks until = now_ticks() + seconds_to_ticks(5e-6);
  if (is_full) {
    std::size_t more = enough;
    run_ready(w, [&] { return --more > 0 && w.time.last_read() <= until; });
    free = room();
  }
  if (workers.size() == 1 || oversubscribed) return;
  while (free < enough && now_ticks() <= until) {
    for (int i = 0; i < 16; ++i) cpu_pause();
    free = room();
  }
}

std::uint64_t scheduler::implementation::next_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

task_node& scheduler::allocate(task_name name, node_kind kind) {
  implementation& s = *self_;
  if (task_node* parent = s.calling_task()) return s.allocate_child(*parent, name.c_str(), kind);
  s.expect_submitting_thread();
  if (s.recording != nullptr) {
    task_node& node = s.recording->add_node(name.c_str(), kind);
    s.open_submission = &node;
    if (s.checker != nullptr) s.checker->begin(node);
    return node;
  }
  if (s.replaying != nullptr) wait();
  const bool full = s.submitted - s.uncounted_seen >= s.in_flight;
  // A trace wants to know when the program ran, to the spell.
  full || s.observer != nullptr ? s.entered() : s.time().entered_to_submit(kind);
  if (full) s.wait_for_room();
  s.peak = std::max(s.peak, static_cast<std::size_t>(s.submitted - s.uncounted_seen) + 1);

  task_node& node = s.take_free_node();
  ++s.submitted;
  s.prepare(node, ++s.last_id, name.c_str(), kind);
  s.open_submission = &node;
  if (s.checker != nullptr) s.checker->begin(node);
  return node;
}

/// A node that was free, for a new life.
void scheduler::implementation::prepare(task_node& node, std::uint64_t id, const char* name,
                                        node_kind kind) const noexcept {
  ++node.generation;
  node.id.store(id, std::memory_order_relaxed);
  node.name = name;
  node.kind = kind;
  node.urgency = priority::normal;
  node.uncounted = false;
  node.trivial = false;
  node.where = 0;
  node.unshared = workers.size() == 1 && kind == node_kind::compute;
  node.follows_unshared = true;
  node.last_successor_id = 0;
  node.edges_used = 0;
  node.edges_made = 0;
  if (node.more_edges != nullptr) node.more_edges->clear();
  node.unmet.store(task_node::submission_guard, std::memory_order_relaxed);
  node.successors.store(nullptr, std::memory_order_relaxed);
}

void scheduler::add_access(task_node& node, byte_range bytes, access_mode mode,
                           const void* operation) {
  if (!self_->keep(node, bytes, mode, operation)) return;
  node.edges_made += self_->tracker_of(node).add(node, bytes, mode, operation);
}

void scheduler::add_container(task_node& node, const detail::container& c, access_mode mode,
                              const void* operation) {
  implementation& s = *self_;
  detail::dependence_tracker& tracker = s.tracker_of(node);
  if (s.checker != nullptr) s.checker->add_container(node, c, tracker.elements_of(c), mode);
  if (node.recorded != nullptr) {
    node.recorded->graph->add_container(node, c, tracker.elements_of(c), tracker.is_settled(c),
                                        mode, operation);
  } else {
    node.edges_made += tracker.add_container(node, c, mode, operation);
  }
}

void scheduler::add_box(task_node& node, const strided_bytes& box, access_mode mode) {
  if (!self_->keep(node, box, mode, nullptr)) return;
  node.edges_made += self_->tracker_of(node).add_box(node, box, mode);
}

void scheduler::submit(task_node& node) {
  implementation& s = *self_;
  if (node.is_child) {
    s.submit_child(node);
    return;
  }
  s.open_submission = nullptr;
  if (node.recorded != nullptr) return;
  if (s.is_ready(node)) s.launch(node);
  s.time().left();
}

/// Ends the submission of a node, whose accesses are known.  Returns true if nothing that it waits
/// for is unfinished.
bool scheduler::implementation::is_ready(task_node& node) noexcept {
  const std::int32_t guard = task_node::submission_guard - node.edges_made;
  // Nobody else knows the node, or lowers its count: no atomic read-modify-write needed.
  if (node.edges_made == 0) return true;
  if (node.follows_unshared) {
    const std::int32_t left = node.unmet.load(std::memory_order_relaxed) - guard;
    node.unmet.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  return node.unmet.fetch_sub(guard, std::memory_order_acq_rel) == guard;
}

/// Starts a node that is ready when it is submitted.
void scheduler::implementation::launch(task_node& node) {
  if (node.kind == node_kind::asynchronous) {
    start_in_turn(node, workers.front().get());
    return;
  }
  if (node.where != 0) return make_ready_from_outside(node);
  if (node.urgency == priority::high) high_ready.fetch_add(1, std::memory_order_seq_cst);
  fresh[node.urgency].push(&node, node.id.load(std::memory_order_relaxed));
  worker_events.notify_one();
}

void scheduler::wait() {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "record() records tasks: there is nothing to wait for");
  s.entered();
  const auto done = [&s] {
    s.give_up_if_failed();
    return s.total(&detail::counters::finished) == s.submitted;
  };
  s.run_ready(*s.workers.front(), [&s] { return !s.has_failed.load(std::memory_order_relaxed); });
  s.work_until(*s.workers.front(), done, progress_source::never);
  s.give_up_if_failed();  // a failure the last look did not see
  if (s.replaying != nullptr) std::exchange(s.replaying, nullptr)->adopt_containers();
  if (s.checker != nullptr) s.checker->forget();
  s.time().left();
  if (s.has_failed.load(std::memory_order_seq_cst)) {
    std::exception_ptr error;
    {
      std::lock_guard lock(s.failure_mutex);
      error = std::exchange(s.failure, nullptr);
    }
    s.has_failed.store(false, std::memory_order_seq_cst);
    s.gave_up = false;
    if (error != nullptr) std::rethrow_exception(error);
  }
}

/// The end of `wait_on`, as a task.
struct scheduler::implementation::arrival {
  static constexpr bool repeatable = false;
  implementation* owner;
  std::atomic<bool>* reached;

  void run() const {
    reached->store(true, std::memory_order_seq_cst);  // the last that is known of `reached`
    owner->submitter_events.notify_one();
  }
  void run_again() const {}
};

void scheduler::wait_for(std::span<const strided_bytes> memory) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  PLAIT_EXPECTS(s.recording == nullptr, "record() records tasks: there is nothing to wait for");
  std::atomic<bool> reached{false};
  task_node& node = allocate("wait_on", node_kind::compute);
  detail::store_call(node, implementation::arrival{&s, &reached});
  node.urgency = priority::high;
  for (const strided_bytes& one : memory) add_box(node, one, access_mode::in);
  submit(node);
  s.entered();
  const auto done = [&] { return reached.load(std::memory_order_seq_cst) || failed(); };
  s.work_until(*s.workers.front(), done, progress_source::never);
  s.time().left();
  waited();
  if (failed()) wait();
}

// --- any thread ----------------------------------------------------------------------------------

void scheduler::complete(task_node& node) {
  if (node.recorded != nullptr && node.recorded->is_sampled()) {
    node.recorded->this_run += now_ticks();
  }
  self_->finish(node, self_->this_worker());
}

void scheduler::fail(std::exception_ptr error) noexcept {
  self_->record_failure(std::move(error));
}

void scheduler::wake() noexcept {
  self_->submitter_events.notify_one();
}

bool scheduler::failed() const noexcept {
  return self_->has_failed.load(std::memory_order_seq_cst);
}

}  // namespace plait
