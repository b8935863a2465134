// SPDX-License-Identifier: BSD-3-Clause
// Threads that run the tasks of one resource, and the helper.
#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include <plait/core/error.hpp>

#include "task/scheduler_implementation.hpp"

namespace plait {

using detail::resource_threads;
using detail::task_node;
using detail::worker;

namespace {

/// Waiting for work is idleness here, whatever is in flight: these threads are not meant to hide
/// messages.
[[nodiscard]] ticks nothing_in_flight(ticks) noexcept {
  return 0;
}

[[nodiscard]] std::string thread_label(const resource_threads& of, std::size_t place) {
  return of.threads.size() == 1 ? of.name : of.name + " " + std::to_string(place);
}

}  // namespace

void scheduler::implementation::resource_loop(scheduler& facade, resource_threads& of, worker& w) {
  role = {this, &facade, &w};
  while (task_node* node = next_of_resource(of, w)) run(w, *node);
}

/// Returns null when the scheduler closes.
task_node* scheduler::implementation::next_of_resource(resource_threads& of, worker& w) {
  task_node* node = of.take();
  if (node != nullptr) return node;
  publish_counts(w);
  const ticks begin = w.time.idleness_begins(nothing_in_flight);
  while ((node = of.take()) == nullptr && !of.stopping.load(std::memory_order_seq_cst)) {
    const auto key = of.events.prepare();
    node = of.take();
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
  const auto refuse = [&name](const std::string& why) {
    throw usage_error("resource '" + name + "': " + why);
  };
  if (name.empty()) refuse("it has no name");
  const int most = most_resource_threads + (s.helper != nullptr ? 1 : 0) - s.resource_thread_count;
  if (threads < 1 || threads > most) {
    refuse("threads is " + std::to_string(threads) + "; it can be 1 to " + std::to_string(most));
  }
  const auto has_name = [&](const auto& one) { return one->name == name; };
  const auto end = s.resources.begin() + s.resource_count;
  if (std::any_of(s.resources.begin(), end, has_name)) refuse("there is one of that name already");

  resource_threads& kept = s.add_threads(name, threads);
  try {
    for (const auto& one : kept.threads) {
      worker& w = *one;
      w.thread = std::thread([this, &kept, &w] { self_->resource_loop(*this, kept, w); });
    }
  } catch (...) {
    kept.stop();  // joins those that did start
    throw;
  }
  ++s.resource_count;
  return plait::resource(std::make_shared<const plait::resource::identity>(
      plait::resource::identity{s.serial, kept.number, std::move(name), threads}));
}

/// Makes what the threads need, in the place behind the resources that there are.
resource_threads& scheduler::implementation::add_threads(const std::string& name, int threads) {
  auto made =
      std::make_unique<resource_threads>(name, static_cast<std::uint8_t>(resource_count + 1));
  // In checked mode the one worker runs all tasks: one at a time is what is checked.
  const int own = checker == nullptr ? threads : 0;
  const int first = worker_count + resource_thread_count;
  resource_thread_count += threads;
  for (int i = 0; i < own; ++i) {
    const int index = first + i;
    made->threads.push_back(
        std::make_unique<worker>(index, 1, detail::ready_queue::takers::any_thread));
    made->threads.back()->of = made.get();
    made->threads.back()->time.reset(nothing_in_flight);
  }
  resource_threads& kept = *(resources[resource_count] = std::move(made));
  if (observer != nullptr) tell_threads(kept);
  return kept;
}

void scheduler::add_helper(std::string name) {
  implementation& s = *self_;
  s.expect_submitting_thread();
  if (s.checker != nullptr) return;
  s.helper = s.add_threads(name, 1).threads.front().get();
  ++s.resource_count;
}

/// Runs the task as a thread of a resource would, to all that the task releases and counts.  For
/// the rest of the time the helper's thread is nobody's.
bool scheduler::help() {
  implementation& s = *self_;
  task_node* const node = s.released_outside.pop_for_anyone();
  if (node == nullptr) return false;
  if (node->urgency == priority::high) s.high_ready.fetch_sub(1, std::memory_order_relaxed);
  worker& w = *s.helper;
  const auto before = std::exchange(implementation::role, {&s, this, &w});
  s.run(w, *node);
  implementation::role = before;
  s.publish_counts(w);
  return true;
}

void scheduler::assign(task_node& node, anyone_target) noexcept {
  if (self_->helper == nullptr) return;
  node.where = task_node::anyone;
  node.unshared = false;
}

void scheduler::implementation::tell_threads(const resource_threads& of) {
  for (std::size_t i = 0; i < of.threads.size(); ++i)
    observer->thread_added(of.threads[i]->index, thread_label(of, i));
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
  if (self_->checker != nullptr) return;
  node.where = to.self_->number;
  node.unshared = false;
}

plait::ledger scheduler::ledger(const plait::resource& of) const {
  PLAIT_EXPECTS(of.is_made() && of.self_->owner == self_->serial,
                "the ledger of a resource is asked of the runtime that has made the resource");
  const resource_threads& threads = *self_->resources[of.self_->number - 1U];
  plait::ledger result;
  for (std::size_t i = 0; i < threads.threads.size(); ++i) {
    result.push_back(
        implementation::entry_of(static_cast<int>(i), threads.threads[i]->time, nothing_in_flight));
  }
  return result;
}

void scheduler::implementation::reset_resource_ledgers() {
  for_each_resource([](const resource_threads& one) {
    for (const auto& w : one.threads) w->time.reset(nothing_in_flight);
  });
}

}  // namespace plait
