// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/node.hpp>
#include <plait/task/detail/ready_tasks.hpp>
#include <plait/task/detail/serial_tasks.hpp>

namespace {

using plait::detail::ready_queue;
using plait::detail::ready_tasks;
using plait::detail::serial_tasks;
using plait::detail::task_node;

// Nobody looks behind the pointer: the task of id i is "address" 64 (i + 1).
task_node* task_of(std::uint64_t id) {
  return reinterpret_cast<task_node*>(64 * (id + 1));
}
std::uint64_t id_of(task_node* task) {
  return reinterpret_cast<std::uintptr_t>(task) / 64 - 1;
}

using oldest_first = std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>>;

/// Returns 4000 ids, `apart` from each other, from nearly sorted to random.
std::vector<std::uint64_t> disordered_ids(std::mt19937_64& random, std::uint64_t first,
                                          std::uint64_t apart) {
  std::vector<std::uint64_t> ids(4000);
  for (std::uint64_t i = 0; i < ids.size(); ++i) ids[i] = first + i * apart;
  const std::size_t disorder = std::size_t{1} << random() % 12;
  for (std::size_t at = 0; at < ids.size(); at += disorder) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
    std::shuffle(begin, begin + static_cast<std::ptrdiff_t>(std::min(disorder, ids.size() - at)),
                 random);
  }
  return ids;
}

constexpr std::size_t most_at_once = 700;

/// Calls `push(id)` and `take(oldest_id)` in a random order, until all are taken.
void push_and_take(std::mt19937_64& random, const std::vector<std::uint64_t>& ids, const auto& push,
                   const auto& take) {
  oldest_first expected;
  std::size_t next = 0;
  const std::uint64_t pushes_in_ten = 1 + random() % 9;
  while (next < ids.size() || !expected.empty()) {
    const bool pushes = next < ids.size() && expected.size() < most_at_once &&
                        (expected.empty() || random() % 10 < pushes_in_ten);
    if (pushes) {
      push(ids[next]);
      expected.push(ids[next++]);
    } else {
      take(expected.top());
      if (::testing::Test::HasFatalFailure()) return;
      expected.pop();
    }
  }
}

TEST(ready_tasks, the_oldest_comes_first_in_whatever_order_they_came) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    ready_tasks tasks(most_at_once);
    std::size_t count = 0;
    const std::vector<std::uint64_t> ids = disordered_ids(random, 0, 1);
    ASSERT_NO_FATAL_FAILURE(push_and_take(
        random, ids,
        [&](std::uint64_t id) {
          tasks.push(task_of(id), id);
          ++count;
          ASSERT_FALSE(tasks.empty());
        },
        [&](std::uint64_t oldest) {
          ASSERT_EQ(tasks.oldest_id(), oldest) << "seed " << seed;
          task_node* taken = random() % 3 == 0 ? tasks.steal() : tasks.take();
          ASSERT_EQ(id_of(taken), oldest) << "seed " << seed;
          ASSERT_EQ(tasks.empty(), --count == 0);
        }));
    EXPECT_EQ(tasks.take(), nullptr);
    EXPECT_EQ(tasks.steal(), nullptr);
    EXPECT_EQ(tasks.oldest_id(), ready_queue::none);
  }
}

/// Tasks whose ids lie `apart` places from each other come oldest first.
void expect_the_oldest_first(unsigned seed, std::uint64_t apart) {
  std::mt19937_64 random(seed);
  serial_tasks tasks(most_at_once);
  push_and_take(
      random, disordered_ids(random, 1, apart),
      [&](std::uint64_t id) { tasks.push(task_of(id), id); },
      [&](std::uint64_t oldest) {
        task_node* const taken = tasks.take();
        ASSERT_NE(taken, nullptr) << "seed " << seed;
        ASSERT_EQ(id_of(taken), oldest) << "seed " << seed << ", " << apart << " apart";
      });
  EXPECT_EQ(tasks.take(), nullptr);
}

TEST(serial_tasks, the_oldest_comes_first_in_whatever_order_they_came_and_however_far_apart) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    for (const std::uint64_t apart : {1U, 3U, 64U, 1000U, 100'000U})
      expect_the_oldest_first(seed, apart);
  }
}

TEST(serial_tasks, the_highest_priority_comes_first_and_the_oldest_of_it) {
  using plait::priority;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    serial_tasks tasks(most_at_once);
    std::set<std::pair<priority, std::uint64_t>> expected;
    const std::vector<std::uint64_t> ids = disordered_ids(random, 1, 1 + random() % 100);
    for (std::size_t next = 0; next < ids.size() || !expected.empty();) {
      if (next < ids.size() && expected.size() < most_at_once && random() % 2 == 0) {
        const auto urgency = static_cast<priority>(random() % plait::priority_count);
        tasks.push(task_of(ids[next]), ids[next], urgency);
        expected.emplace(urgency, ids[next++]);
        continue;
      }
      const auto least = static_cast<priority>(random() % plait::priority_count);
      task_node* const taken = least == priority::low ? tasks.take() : tasks.take_up_to(least);
      if (expected.empty() || expected.begin()->first > least) {
        ASSERT_EQ(taken, nullptr) << "seed " << seed;
        continue;
      }
      ASSERT_NE(taken, nullptr) << "seed " << seed;
      ASSERT_EQ(id_of(taken), expected.begin()->second) << "seed " << seed;
      expected.erase(expected.begin());
    }
    EXPECT_EQ(tasks.take(), nullptr);
  }
}

TEST(serial_tasks, it_holds_as_many_as_it_was_made_for_in_descending_order_too) {
  for (const std::size_t capacity : {1U, 2U, 7U, 300U, 1000U}) {
    serial_tasks tasks(capacity);
    for (std::uint64_t i = capacity; i-- > 0;) tasks.push(task_of(i), i);
    for (std::uint64_t i = 0; i < capacity; ++i) EXPECT_EQ(id_of(tasks.take()), i);
    EXPECT_EQ(tasks.take(), nullptr);
  }
}

TEST(ready_tasks, it_holds_as_many_as_it_was_made_for_in_descending_order_too) {
  for (const std::size_t capacity : {1U, 2U, 7U, 300U, 1000U}) {
    ready_tasks tasks(capacity);
    for (std::uint64_t i = capacity; i-- > 0;) tasks.push(task_of(i), i);
    for (std::uint64_t i = 0; i < capacity; ++i) EXPECT_EQ(id_of(tasks.take()), i);
    EXPECT_TRUE(tasks.empty());
  }
}

// The owner pushes out of order and takes, others steal: every task is taken exactly once, and
// nobody is told that there is none while nobody takes.
void contend(std::size_t others) {
  constexpr std::size_t burst = 600;
  constexpr std::size_t rounds = 150;
  ready_tasks tasks(burst);
  std::vector<std::atomic<int>> taken(burst * rounds);
  std::atomic<std::size_t> total{0};
  const auto note = [&](task_node* task) {
    if (task == nullptr) return false;
    taken[id_of(task)].fetch_add(1, std::memory_order_relaxed);
    total.fetch_add(1, std::memory_order_relaxed);
    return true;
  };
  std::atomic<bool> done{false};
  std::vector<std::thread> thieves;
  for (std::size_t i = 0; i < others; ++i) {
    thieves.emplace_back([&] {
      while (!done.load()) {
        if (!note(tasks.steal())) std::this_thread::yield();
      }
    });
  }
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> ids(burst);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < burst; ++i) ids[i] = round * burst + i;
    std::shuffle(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(random() % burst), random);
    for (const std::uint64_t id : ids) {
      tasks.push(task_of(id), id);
      if (random() % 3 == 0) note(tasks.take());
    }
    while (note(tasks.take())) continue;
    EXPECT_TRUE(tasks.empty());  // nobody else pushes
  }
  while (total.load() < taken.size()) std::this_thread::yield();
  done = true;
  for (std::thread& one : thieves) one.join();
  for (const auto& times : taken) EXPECT_EQ(times.load(), 1);
}

TEST(ready_tasks, every_task_is_taken_exactly_once_with_one_other) {
  contend(1);
}
TEST(ready_tasks, every_task_is_taken_exactly_once_with_three_others) {
  contend(3);
}

}  // namespace
