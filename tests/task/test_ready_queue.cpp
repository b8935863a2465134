// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_queue.hpp>

namespace {

using plait::detail::ready_queue;
using plait::detail::task_node;

// The queue never looks behind the pointer: element i is "address" 64 (i + 1).
task_node* element(std::size_t i) {
  return reinterpret_cast<task_node*>(64 * (i + 1));
}
std::size_t index_of(task_node* element) {
  return reinterpret_cast<std::uintptr_t>(element) / 64 - 1;
}

TEST(ready_queue, the_oldest_comes_first) {
  ready_queue d(8);
  EXPECT_TRUE(d.empty());
  for (std::size_t i = 0; i < 5; ++i) d.push(element(i), i);
  EXPECT_FALSE(d.empty());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(d.take(), element(i));
  EXPECT_TRUE(d.empty());
  EXPECT_EQ(d.take(), nullptr);
}

TEST(ready_queue, it_goes_round_its_ring_any_number_of_times) {
  ready_queue d(4);
  std::size_t next = 0;
  std::size_t expected = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 3; ++i) {
      d.push(element(next), next);
      ++next;
    }
    for (int i = 0; i < 3; ++i) ASSERT_EQ(d.take(), element(expected++));
    ASSERT_EQ(d.take(), nullptr);
  }
}

TEST(ready_queue, it_holds_as_many_as_it_was_made_for) {
  for (const std::size_t capacity : {1U, 2U, 3U, 7U, 64U}) {
    ready_queue d(capacity);
    for (std::size_t i = 0; i < capacity; ++i) d.push(element(i), i);
    for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(d.take(), element(i));
  }
}

TEST(ready_queue_death, one_element_too_many_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ready_queue d(4);
  for (std::size_t i = 0; i < 4; ++i) d.push(element(i), i);
  EXPECT_DEATH(d.push(element(4), 4), "in-flight limit bounds");
}

// The owner pushes and takes in bursts while others take: every element is taken exactly once.
void contend(std::size_t others, std::size_t burst, std::size_t elements) {
  ready_queue d(burst);
  std::vector<std::atomic<int>> taken(elements);
  std::atomic<std::size_t> total{0};
  const auto take = [&](task_node* t) {
    if (t == nullptr) return false;
    taken[index_of(t)].fetch_add(1, std::memory_order_relaxed);
    total.fetch_add(1, std::memory_order_relaxed);
    return true;
  };
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < others; ++i) {
    threads.emplace_back([&] {
      while (!done.load()) {
        if (!take(d.take())) std::this_thread::yield();
      }
    });
  }
  std::size_t next = 0;
  while (next < elements) {
    // The in-flight limit: never more than `burst` elements that nobody has taken.
    for (std::size_t i = 0; i < burst && next < elements; ++i) {
      d.push(element(next), next);
      ++next;
    }
    for (std::size_t i = 0; i < burst / 2; ++i) take(d.take());
    while (next - total.load() > 0 && !d.empty()) take(d.take());
  }
  while (total.load() < elements) {
    if (!take(d.take())) std::this_thread::yield();
  }
  done = true;
  for (auto& t : threads) t.join();
  for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(taken[i].load(), 1) << "element " << i;
  EXPECT_TRUE(d.empty());
}

TEST(ready_queue, every_element_is_taken_exactly_once_with_one_other) {
  contend(1, 64, 100'000);
}
TEST(ready_queue, every_element_is_taken_exactly_once_with_three_others) {
  contend(3, 64, 100'000);
}
TEST(ready_queue, the_last_element_is_taken_exactly_once) {
  contend(2, 1, 50'000);
}

}  // namespace
