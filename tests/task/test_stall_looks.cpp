// SPDX-License-Identifier: BSD-3-Clause
// A scheduler that looks for a stall again and again while tasks finish is not disturbed by it.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "stall_listener.hpp"

namespace {

using namespace std::chrono_literals;
using plait::access_mode;
using plait::scheduler;
using plait::task_name;
using plait::detail::node_action;
using plait::detail::node_kind;
using plait::detail::task_node;
using listener = plait::test::stall_listener;

/// Completes operations a moment after they have been started, on a thread of its own: then the
/// submitting thread has nothing to run, and looks at lists again and again while they change.  For
/// ThreadSanitizer, and for walks that would not end.
class completer {
 public:
  explicit completer(scheduler& s) : scheduler_(s), thread_([this] { loop(); }) {}
  ~completer() {
    stopping_ = true;
    thread_.join();
  }

  /// An operation that adds one to what `to` was when it is completed.
  void submit(task_name name, int& to, const int* from = nullptr) {
    task_node& node = scheduler_.allocate(name, node_kind::asynchronous);
    ::new (static_cast<void*>(node.storage)) stored{this, &to, from};
    node.act = [](task_node& self, node_action action) {
      if (action == node_action::run || action == node_action::run_again)
        of(self).owner->take(self);
    };
    const auto begin = reinterpret_cast<std::uintptr_t>(&to);
    scheduler_.add_access(node, {begin, begin + sizeof to}, access_mode::inout);
    const auto also = reinterpret_cast<std::uintptr_t>(from);
    if (from != nullptr) scheduler_.add_access(node, {also, also + sizeof *from}, access_mode::in);
    scheduler_.submit(node);
  }

 private:
  struct stored {
    completer* owner;
    int* to;
    const int* from;
  };
  [[nodiscard]] static stored& of(task_node& node) {
    return *std::launder(reinterpret_cast<stored*>(node.storage));
  }

  void take(task_node& node) {
    std::lock_guard lock(mutex_);
    started_.push_back(&node);
  }
  [[nodiscard]] task_node* next() {
    std::lock_guard lock(mutex_);
    if (started_.empty()) return nullptr;
    task_node* node = started_.front();
    started_.pop_front();
    return node;
  }
  void loop() {
    while (!stopping_) {
      task_node* node = next();
      if (node == nullptr) {
        std::this_thread::yield();
        continue;
      }
      const auto until = std::chrono::steady_clock::now() + 20us;
      while (std::chrono::steady_clock::now() < until) {
      }
      const stored& what = of(*node);
      *what.to += what.from != nullptr ? *what.from : 1;
      scheduler_.complete(*node);
    }
  }

  scheduler& scheduler_;
  std::mutex mutex_;
  std::deque<task_node*> started_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// Out to many and in again: long lists.
struct fan {
  int root = 0;
  std::vector<int> leaves = std::vector<int>(12, 0);

  void submit_step(completer& c) {
    c.submit("root", root);
    for (int& leaf : leaves) c.submit("leaf", leaf, &root);
  }
  void expect_steps(int steps) const {
    EXPECT_EQ(root, steps);
    for (const int leaf : leaves) EXPECT_EQ(leaf, steps * (steps + 1) / 2);
  }
};

constexpr double at_once_s = 1e-6;
constexpr int steps = 300;

[[nodiscard]] plait::scheduler_options looking_all_the_time(listener& l) {
  plait::scheduler_options options = l.options(2, 4096, at_once_s);
  options.oversubscribed = false;  // no sleep between two looks
  return options;
}

TEST(stall, looking_while_operations_finish_disturbs_nothing) {
  listener l;
  fan f;
  scheduler s{looking_all_the_time(l)};
  completer c(s);
  for (int i = 0; i < steps; ++i) f.submit_step(c);
  s.wait();
  f.expect_steps(steps);
}

TEST(stall, looking_while_a_replay_runs_disturbs_nothing) {
  listener l;
  fan f;
  scheduler s{looking_all_the_time(l)};
  completer c(s);
  plait::graph g = s.record([&] { f.submit_step(c); });
  s.replay(g, steps);
  s.wait();
  f.expect_steps(steps);
}

}  // namespace
