// SPDX-License-Identifier: BSD-3-Clause
/// The threads of one resource and the tasks that are ready for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/event_count.hpp>

#include "task/scheduler/inbox.hpp"
#include "task/scheduler/worker.hpp"

namespace plait::detail {

/// Why no task is left behind.  `push` puts the task into the inbox and then notifies.  A thread
/// that finds nothing prepares, looks again, and sleeps only if it finds nothing once more.
/// `event_count` shows that one of the two sees the other.  A push wakes one thread.  If the awake
/// threads take the task first, the woken one finds nothing and sleeps again.
///
/// Why a task runs once: the inbox hands out each entry once, under its lock.
///
/// Why the shortcuts of a scheduler with one worker stay right: they take that worker's word that
/// nobody else finishes the tasks that it submits (`unshared`).  A task of a resource is not:
/// `scheduler::assign` takes `unshared` away before the task is submitted, hence before anything
/// can follow it.  So the edges that lead away from it are made and closed with locked
/// instructions.  The queues that one worker owns are not touched here either: tasks for workers
/// that a resource's thread releases go through the scheduler's inbox.
struct resource_threads {
  resource_threads(std::string name_, std::uint8_t number_)
      : name(std::move(name_)), number(number_) {}

  void push(task_node& node) noexcept {
    ready.push(node);
    events.notify_one();
  }
  [[nodiscard]] std::string label(std::size_t place) const {
    return threads.size() == 1 ? name : name + " " + std::to_string(place);
  }
  void stop() {
    stopping.store(true, std::memory_order_seq_cst);
    events.notify_all();
    for (const auto& one : threads) {
      if (one->thread.joinable()) one->thread.join();
    }
  }

  const std::string name;
  const std::uint8_t number;  ///< `where` of its tasks
  inbox ready;
  event_count events;
  std::atomic<bool> stopping{false};
  std::vector<std::unique_ptr<worker>> threads;
};

}  // namespace plait::detail
