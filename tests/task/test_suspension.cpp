// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>

#include "task/stacks/task_stack.hpp"
#endif

namespace {

using plait::inout;
using plait::out;
using plait::scheduler;
using plait::detail::task_node;

constexpr std::size_t stack_bytes = 256 * 1024;

/// Resumes tasks from a thread of its own, in the order in which they came or the other way round.
class resumer {
 public:
  explicit resumer(scheduler& tasks) : tasks_(tasks), thread_([this] { run(); }) {}
  ~resumer() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  resumer(const resumer&) = delete;
  resumer& operator=(const resumer&) = delete;

  /// From a task.
  void suspend() {
    struct handed_over : plait::suspension {
      resumer* to;
    } next{{[](plait::suspension& what, task_node& node) {
             auto& self = *static_cast<handed_over&>(what).to;
             std::lock_guard lock(self.mutex_);  // until the end: then the task may go, and `self`
             self.waiting_.push_back(&node);
             self.changed_.notify_one();
           }},
           this};
    tasks_.suspend(next);
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      task_node* node = waiting_.back();
      waiting_.pop_back();
      lock.unlock();
      tasks_.resume(*node);
      lock.lock();
    }
  }

  scheduler& tasks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<task_node*> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

class suspension_workers : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(suspension, suspension_workers, ::testing::Values(1, 2, 4));

TEST_P(suspension_workers, tasks_of_tasks_are_suspended_without_a_place_in_the_limit) {
  scheduler s{{.workers = GetParam(), .in_flight = 2, .task_stack_bytes = stack_bytes}};
  resumer r(s);
  for (int round = 0; round < 10; ++round) {
    s.task("parent", [&] {
      for (int i = 0; i < 3; ++i) s.task("child", [&r] { r.suspend(); });
    });
    s.wait();
    int x = 0;
    for (int i = 0; i < 40; ++i) {
      s.task(
          "next", [](int& n) { ++n; }, inout(x));
    }
    s.wait();
    EXPECT_EQ(x, 40);
  }
}

/// With one worker "first" ends before "second" is submitted, whose submission has begun.
TEST_P(suspension_workers, what_an_open_submission_follows_may_end_meanwhile) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  resumer r(s);
  for (int round = 0; round < 50; ++round) {
    int x = 0;
    s.task("parent", [&] {
      s.task(
          "first", [](int& n) { n = 1; }, inout(x));
      auto second = s.task(
          "second", [](int& n) { n *= 5; }, inout(x));
      r.suspend();
    });
    s.wait();
    EXPECT_EQ(x, 5);
  }
}

TEST_P(suspension_workers, a_suspended_task_goes_on_where_it_was) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  resumer r(s);
  std::vector<int> sums(200, 0);
  for (int& sum : sums) {
    s.task(
        "sum",
        [](int& to, resumer* by) {
          int numbers[100];
          std::iota(std::begin(numbers), std::end(numbers), 1);
          for (int i = 0; i < 100; ++i) {
            to += numbers[i];
            if (i % 10 == 0) by->suspend();
          }
        },
        out(sum), &r);
  }
  s.wait();
  EXPECT_EQ(sums, std::vector<int>(200, 5050));
}

TEST_P(suspension_workers, what_depends_on_a_suspended_task_waits_and_others_do_not) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  std::atomic<bool> other_ran{false};
  int x = 0;
  int seen = 0;
  resumer r(s);
  s.task(
      "first",
      [](int& value, resumer* by, std::atomic<bool>* other) {
        while (!other->load()) by->suspend();
        value = 7;
      },
      out(x), &r, &other_ran);
  s.task(
      "second", [](int& to, int& value) { to = value; }, out(seen), inout(x));
  s.task(
      "other", [](std::atomic<bool>* ran) { *ran = true; }, &other_ran);
  s.wait();
  EXPECT_EQ(seen, 7);
}

TEST_P(suspension_workers, suspended_tasks_do_not_fill_the_limit) {
  scheduler s{{.workers = GetParam(), .in_flight = 1, .task_stack_bytes = stack_bytes}};
  std::atomic<bool> open{false};
  resumer r(s);
  std::vector<int> done(50, 0);
  for (int& each : done) {
    s.task(
        "waits",
        [](int& d, resumer* by, std::atomic<bool>* gate) {
          while (!gate->load()) by->suspend();
          d = 1;
        },
        out(each), &r, &open);
  }
  s.task(
      "opens", [](std::atomic<bool>* gate) { *gate = true; }, &open);
  s.wait();
  EXPECT_EQ(done, std::vector<int>(50, 1));
}

TEST_P(suspension_workers, exceptions_in_hand_stay_with_their_task) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  resumer r(s);
  std::vector<std::string> said(100);
  for (std::size_t i = 0; i < said.size(); ++i) {
    s.task(
        "catch",
        [](std::string& to, resumer* by, std::size_t k) {
          try {
            throw std::runtime_error(std::to_string(k));
          } catch (const std::runtime_error&) {
            by->suspend();
            try {
              throw;
            } catch (const std::exception& again) {
              by->suspend();
              to = again.what();
            }
          }
        },
        inout(said[i]), &r, i);
  }
  s.wait();
  for (std::size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], std::to_string(i));
}

TEST_P(suspension_workers, an_exception_after_a_suspension_reaches_wait) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  resumer r(s);
  s.task(
      "throws",
      [](resumer* by) {
        by->suspend();
        throw std::runtime_error("late");
      },
      &r);
  EXPECT_THROW(s.wait(), std::runtime_error);
}

TEST_P(suspension_workers, replayed_tasks_suspend_as_others_do) {
  scheduler s{{.workers = GetParam(), .task_stack_bytes = stack_bytes}};
  resumer r(s);
  std::vector<int> counts(8, 0);
  auto g = s.record([&] {
    for (int& each : counts) {
      s.task(
          "count",
          [](int& n, resumer* by) {
            const int before = n;
            by->suspend();
            n = before + 1;
          },
          inout(each), &r);
    }
  });
  s.replay(g, 100);
  s.wait();
  EXPECT_EQ(counts, std::vector<int>(8, 100));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t many = 1000;  // whose stacks have more to them
#else
constexpr std::size_t many = 40'000;
#endif

/// A page that guards a stack takes two of the 65530 mappings that a process may have.
TEST(suspension, more_tasks_are_suspended_at_once_than_a_process_may_have_guarded_stacks) {
  scheduler s{{.workers = 1, .task_stack_bytes = std::size_t{16} << 10}};
  std::vector<task_node*> waiting;
  struct kept : plait::suspension {
    std::vector<task_node*>* by;
  };
  std::vector<int> done(many, 0);
  for (int& one : done) {
    s.task(
        "waits",
        [&s](int& to, std::vector<task_node*>* by) {
          kept next{{[](plait::suspension& what, task_node& node) {
                      static_cast<kept&>(what).by->push_back(&node);
                    }},
                    by};
          s.suspend(next);
          to = 1;
        },
        out(one), &waiting);
  }
  s.work_until([&] { return waiting.size() == many; });
  for (task_node* node : waiting) s.resume(*node);
  s.wait();
  EXPECT_EQ(done, std::vector<int>(many, 1));
}

TEST(suspension, only_tasks_with_a_stack_can_be_suspended) {
  scheduler plain{{.workers = 1}};
  bool suspendable = true;
  plain.task(
      "ask", [](bool& to) { to = scheduler::of_suspendable_task() != nullptr; }, out(suspendable));
  plain.wait();
  EXPECT_FALSE(suspendable);
  EXPECT_EQ(scheduler::of_suspendable_task(), nullptr);
}

#if defined(__SANITIZE_ADDRESS__)
// The next stack there has its frames elsewhere, and no byte of them may be forbidden.
TEST(suspension, a_stack_leaves_no_marks_in_its_memory) {
  plait::detail::stack_memory memory(stack_bytes);
  const std::span<std::byte> stack = memory.next();
  { plait::detail::task_stack one(stack); }
  EXPECT_EQ(__asan_region_is_poisoned(stack.data(), stack.size()), nullptr);
}
#endif

}  // namespace
