// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/node.hpp>

#include "task/scheduler/inbox.hpp"

namespace {

using plait::priority;
using plait::detail::inbox;
using plait::detail::task_node;

TEST(inbox, hands_out_the_oldest_of_a_priority) {
  inbox in;
  std::vector<task_node> nodes(6);
  nodes[1].urgency = nodes[4].urgency = priority::high;
  nodes[2].urgency = priority::low;
  for (task_node& one : nodes) in.push(one);
  EXPECT_EQ(in.pop(priority::normal), &nodes[0]);
  EXPECT_EQ(in.pop(), &nodes[1]);
  EXPECT_EQ(in.pop(priority::low), &nodes[2]);
  EXPECT_EQ(in.pop(priority::low), nullptr);
  EXPECT_EQ(in.pop(), &nodes[4]);
  EXPECT_EQ(in.pop(), &nodes[3]);
  EXPECT_FALSE(in.empty());
  EXPECT_EQ(in.pop(), &nodes[5]);
  EXPECT_EQ(in.pop(), nullptr);
  EXPECT_TRUE(in.empty());
}

TEST(inbox, finds_a_task_for_anyone_behind_others) {
  inbox in;
  std::vector<task_node> nodes(4);
  nodes[1].where = nodes[3].where = task_node::anyone;
  for (task_node& one : nodes) in.push(one);
  EXPECT_EQ(in.pop_for_anyone(), &nodes[1]);
  EXPECT_EQ(in.pop_for_anyone(), &nodes[3]);
  EXPECT_EQ(in.pop_for_anyone(), nullptr);
  task_node later;
  in.push(later);
  EXPECT_EQ(in.pop(), &nodes[0]);
  EXPECT_EQ(in.pop(), &nodes[2]);
  EXPECT_EQ(in.pop(), &later);
}

TEST(inbox, hands_out_each_task_once_and_those_of_one_thread_in_order) {
  constexpr std::size_t pushers = 3;
  constexpr std::size_t each = 20'000;
  constexpr std::size_t takers = 2;
  inbox in;
  std::vector<task_node> nodes(pushers * each);
  std::atomic<std::size_t> taken{0};
  std::array<std::vector<std::size_t>, takers> found;
  const auto push_own = [&](std::size_t first) {
    for (std::size_t i = first; i < first + each; ++i) {
      if (i % 5 == 0) nodes[i].where = task_node::anyone;
      in.push(nodes[i]);
    }
  };
  const auto take_some = [&](std::vector<std::size_t>& mine, bool for_anyone) {
    while (taken.load() < nodes.size()) {
      task_node* const one = for_anyone ? in.pop_for_anyone() : in.pop(priority::normal);
      for_anyone = for_anyone && taken.load() < nodes.size() / 2;
      if (one == nullptr) continue;
      mine.push_back(static_cast<std::size_t>(one - nodes.data()));
      taken.fetch_add(1);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < pushers; ++i) threads.emplace_back(push_own, i * each);
  for (std::size_t i = 0; i < takers; ++i)
    threads.emplace_back([&, i] { take_some(found[i], i == 0); });
  for (std::thread& one : threads) one.join();

  EXPECT_TRUE(in.empty());
  std::vector<int> times(nodes.size());
  for (const auto& mine : found) {
    for (const std::size_t i : mine) ++times[i];
  }
  for (std::size_t i = 0; i < times.size(); ++i) ASSERT_EQ(times[i], 1) << i;
  // Who takes any task takes those of one thread in the order of their pushes.
  std::array<std::size_t, pushers> last{};
  for (const std::size_t i : found[1]) {
    std::size_t& before = last[i / each];
    EXPECT_LE(before, i);
    before = i;
  }
}

}  // namespace
