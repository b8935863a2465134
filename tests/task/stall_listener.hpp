// SPDX-License-Identifier: BSD-3-Clause
/// A listener to the stalls of a scheduler, for tests: keeps every report by the names of its
/// tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

namespace plait::test {

/// "rim waits for: ghost, edge", as far as a stall says so.
struct stall_line {
  std::string name;
  stall::state is;
  std::uint64_t iteration;
  int worker;
  std::vector<std::string> waits_for;
};

/// Keeps what is reported, and does something about it.
class stall_listener {
 public:
  explicit stall_listener(std::function<void()> then = [] {}) : then_(std::move(then)) {}

  [[nodiscard]] scheduler_options options(int workers, std::size_t in_flight = 4096,
                                          double period_s = 0.05) {
    return {.workers = workers,
            .in_flight = in_flight,
            .oversubscribed = true,
            .stall_report_s = period_s,
            .stalled = [this](const stall& s) { take(s); }};
  }
  void then(std::function<void()> what) { then_ = std::move(what); }

  std::vector<std::vector<stall_line>> reports;
  std::atomic<int> count{0};

 private:
  void take(const stall& s) {
    EXPECT_GT(s.quiet_s, 0);
    std::vector<stall_line> lines;
    for (const stall::task& task : s.tasks) {
      stall_line& l =
          lines.emplace_back(stall_line{task.node->name, task.is, task.iteration, task.worker, {}});
      for (const std::size_t i : task.waits_for) l.waits_for.push_back(s.tasks[i].node->name);
    }
    reports.push_back(std::move(lines));
    ++count;
    then_();
  }

  std::function<void()> then_;
};

}  // namespace plait::test
