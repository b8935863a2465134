// SPDX-License-Identifier: BSD-3-Clause
// Threads that run the tasks of one resource, and the helper.
#include <string>
#include <thread>
#include <utility>

#include <plait/core/error.hpp>

#include "task/scheduler/scheduler_implementation.hpp"

namespace plait {

using detail::nothing_in_flight;
using detail::resource_threads;
using detail::task_node;
using detail::worker;

/// Returns null when the scheduler closes.
task_node* scheduler::implementation::next_of_resource(resource_threads& of, worker& w) {
  task_node* node = of.ready.pop();
  if (node != nullptr) return node;
  publish_counts(w);
  const ticks begin = w.time.idleness_begins(nothing_in_flight);
  while ((node = of.ready.pop()) == nullptr && !of.stopping.load(std::memory_order_seq_cst)) {
    const auto key = of.events.prepare();
    node = of.ready.pop();
    if (node != nullptr || of.stopping.load(std::memory_order_seq_cst)) {
      of.events.cancel();
      break;
    }
    of.events.wait(key, -1);
  }
  (void)w.time.idleness_ended(begin, nothing_in_flight);
  return node;
}

plait::resource scheduler::add_resource(std::string name, int threads) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  s.threads.check_resource(name, threads);
  resource_threads& kept = s.add_threads(name, threads);
  try {
    for (const auto& one : kept.threads) {
      worker& w = *one;
      w.thread = std::thread([this, &kept, &w] {
        detail::crew::here = {&self_->threads, this, &w};
        while (task_node* node = self_->next_of_resource(kept, w)) self_->run(w, *node);
      });
    }
  } catch (...) {
    kept.stop();  // joins those that did start
    throw;
  }
  s.threads.keep_resource();
  return plait::resource(std::make_shared<const plait::resource::identity>(
      plait::resource::identity{s.serial, kept.number, std::move(name), threads}));
}

/// In checked mode the one worker runs all tasks: one at a time is what is checked.
resource_threads& scheduler::implementation::add_threads(const std::string& name, int count) {
  resource_threads& made =
      threads.add_resource(name, count, watch.checker() == nullptr ? count : 0);
  watch.threads_added(made);
  return made;
}

void scheduler::add_helper(std::string name, std::function<void()> wake) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  if (s.watch.checker() != nullptr) return;
  s.wake_helper = std::move(wake);
  s.threads.set_helper(*s.add_threads(name, 1).threads.front());
  s.threads.keep_resource();
}

/// Runs the task as a thread of a resource would, to all that the task releases and counts.  For
/// the rest of the time the helper's thread is nobody's.
bool scheduler::help() {
  implementation& s = *self_;
  task_node* const node = s.ready.take_for_anyone();
  if (node == nullptr) return false;
  worker& w = *s.threads.helper();
  const auto before = std::exchange(detail::crew::here, {&s.threads, this, &w});
  s.run(w, *node);
  detail::crew::here = before;
  s.publish_counts(w);
  return true;
}

void scheduler::assign(task_node& node, anyone_target) noexcept {
  if (self_->threads.helper() == nullptr) return;
  node.where = task_node::anyone;
  node.unshared = false;
  node.care |= task_node::elsewhere;
}

void scheduler::assign(task_node& node, const plait::resource& to) {
  const char* why = nullptr;
  if (!to.is_made()) {
    why = "' has a target that no runtime has made";
  } else if (to.self_->owner != self_->serial) {
    why = "' has a target that belongs to another runtime";
  }
  if (why != nullptr) {
    throw usage_error(std::string("task '") + node.name + why +
                      (to.is_made() ? ": '" + to.name() + "'" : ""));
  }
  if (self_->watch.checker() != nullptr) return;
  node.where = to.self_->number;
  node.unshared = false;
  node.care |= task_node::elsewhere;
}

plait::ledger scheduler::ledger(const plait::resource& of) const {
  PLAIT_EXPECTS(of.is_made() && of.self_->owner == self_->serial,
                "the ledger of a resource is asked of the runtime that has made the resource");
  plait::ledger result;
  for (const auto& w : self_->threads.resource(of.self_->number).threads)
    result.push_back(w->time.entry(static_cast<int>(result.size()), nothing_in_flight));
  return result;
}

}  // namespace plait
