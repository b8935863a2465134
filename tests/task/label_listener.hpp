// SPDX-License-Identifier: BSD-3-Clause
/// Listens to which threads a scheduler has beside its workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <plait/task/task_observer.hpp>

namespace plait::test {

/// Collects the labels of added threads and the threads that ran tasks.
class label_listener final : public task_observer {
 public:
  void thread_added(int worker, std::string label) override { labels[worker] = std::move(label); }
  void task_ran(int worker, const char*, std::uint64_t, ticks, ticks) override { ran_on = worker; }
  void worker_idled(int, ticks, ticks, ticks) override {}
  void task_released(int, std::uint64_t, std::uint64_t) override {}
  void replay_began(std::uint64_t, std::uint64_t, std::uint64_t) override {}

  std::map<int, std::string> labels;
  std::atomic<int> ran_on{-1};
};

}  // namespace plait::test
