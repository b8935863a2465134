// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/exclusion.hpp>

namespace {

using plait::detail::exclusion;
using plait::detail::task_node;

TEST(exclusion, one_at_a_time) {
  exclusion lock;
  EXPECT_TRUE(lock.try_take());
  EXPECT_FALSE(lock.try_take());
  EXPECT_EQ(lock.release(), nullptr);
  EXPECT_TRUE(lock.try_take());
}

TEST(exclusion, those_that_wait_come_back_in_their_order) {
  exclusion lock;
  task_node tasks[5];
  ASSERT_TRUE(lock.try_take());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(lock.take_or_wait(tasks[i]));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(lock.release(), &tasks[i]);
    EXPECT_TRUE(lock.take_or_wait(tasks[i]));
    if (i < 2) {
      EXPECT_FALSE(lock.take_or_wait(tasks[3 + i]));
    }
  }
  EXPECT_EQ(lock.release(), nullptr);
}

TEST(exclusion, a_task_that_comes_back_too_late_waits_again) {
  exclusion lock;
  task_node slow;
  ASSERT_TRUE(lock.try_take());
  EXPECT_FALSE(lock.take_or_wait(slow));
  EXPECT_EQ(lock.release(), &slow);
  ASSERT_TRUE(lock.try_take());  // somebody faster
  EXPECT_FALSE(lock.take_or_wait(slow));
  EXPECT_EQ(lock.release(), &slow);
}

// As workers use it: threads run tasks from a shared list, some of which a lock holds back.
TEST(exclusion, many_threads_lose_no_task_and_never_meet) {
  constexpr int threads = 4;
  constexpr std::size_t tasks = 2000;
  for (unsigned seed = 0; seed < 5; ++seed) {
    exclusion lock;
    std::deque<task_node> nodes(tasks);
    std::mutex ready_mutex;
    std::deque<task_node*> ready;
    for (task_node& node : nodes) ready.push_back(&node);
    std::atomic<std::size_t> done{0};
    std::atomic<int> inside{0};
    std::atomic<int> met{0};
    std::size_t unprotected = 0;  // but for the lock
    const auto work = [&](unsigned salt) {
      std::mt19937 random(seed * 100 + salt);
      while (done.load() < tasks) {
        task_node* node = nullptr;
        {
          std::lock_guard guard(ready_mutex);
          if (!ready.empty()) {
            node = ready.front();
            ready.pop_front();
          }
        }
        if (node == nullptr) {
          std::this_thread::yield();
          continue;
        }
        if (!(random() % 2 == 0 && lock.try_take()) && !lock.take_or_wait(*node)) continue;
        if (inside.fetch_add(1) != 0) ++met;
        ++unprotected;
        if (random() % 4 == 0) std::this_thread::yield();
        inside.fetch_sub(1);
        if (task_node* next = lock.release()) {
          std::lock_guard guard(ready_mutex);
          ready.push_back(next);
        }
        done.fetch_add(1);
      }
    };
    std::vector<std::thread> crew;
    for (unsigned i = 0; i < threads; ++i) crew.emplace_back(work, i);
    for (auto& t : crew) t.join();
    ASSERT_EQ(unprotected, tasks);
    ASSERT_EQ(met.load(), 0);
  }
}

}  // namespace
