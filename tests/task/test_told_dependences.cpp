// SPDX-License-Identifier: BSD-3-Clause
// What an observer is told of dependences, for recordings.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "task/dependences/shadow_tracker.hpp"
#include "task/graphs/replayed_graph.hpp"

namespace {

using plait::in, plait::inout, plait::out, plait::submitted_part;

/// Keeps the parts, and counts runs.
class keeper final : public plait::task_observer {
 public:
  void task_ran(int, const char*, std::uint64_t, plait::ticks, plait::ticks) override {
    runs.fetch_add(1, std::memory_order_relaxed);
  }
  void worker_idled(int, plait::ticks, plait::ticks, plait::ticks) override {}
  void task_released(int, std::uint64_t, std::uint64_t) override {}
  void replay_began(std::uint64_t, std::uint64_t, std::uint64_t) override {}
  [[nodiscard]] bool wants_dependences() const override { return true; }
  void submitted(submitted_part part) override { parts.push_back(std::move(part)); }

  std::atomic<std::size_t> runs{0};
  std::vector<submitted_part> parts;
};

/// Returns for each pair of items whether a path leads from the first to the second.
[[nodiscard]] std::vector<std::vector<bool>> paths_in(const submitted_part& part) {
  const std::size_t count = part.items.size();
  std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
  std::vector<std::vector<std::uint32_t>> later(count);
  for (const submitted_part::order& one : part.orders) later[one.earlier].push_back(one.later);
  for (std::size_t i = count; i-- > 0;) {
    for (const std::uint32_t next : later[i]) {
      reaches[i][next] = true;
      for (std::size_t j = 0; j < count; ++j)
        if (reaches[next][j]) reaches[i][j] = true;
    }
  }
  return reaches;
}

[[nodiscard]] std::size_t place_of(const submitted_part& part, const std::string& name) {
  const auto found = std::ranges::find_if(
      part.items, [&](const submitted_part::item& one) { return std::string(one.name) == name; });
  EXPECT_NE(found, part.items.end()) << name;
  return static_cast<std::size_t>(found - part.items.begin());
}

void nothing() {}
void add_one(int& x) {
  ++x;
}
void read(const int&) {}

TEST(told_dependences, name_tasks_that_had_finished_long_before) {
  keeper told;
  plait::scheduler s{{.workers = 1}};
  s.observe(&told);
  int x = 0;
  int y = 0;
  s.task("first", add_one, inout(x));
  s.wait_on(x);  // `first` has finished
  s.task("apart", add_one, inout(y));
  s.task("second", add_one, inout(x));
  s.task("last", read, in(x));
  s.wait();
  ASSERT_EQ(told.parts.size(), 1U);
  const submitted_part& part = told.parts.front();
  const auto reaches = paths_in(part);
  const auto leads = [&](const char* from, const char* to) {
    return bool{reaches[place_of(part, from)][place_of(part, to)]};
  };
  EXPECT_TRUE(leads("first", "second"));
  EXPECT_TRUE(leads("second", "last"));
  EXPECT_TRUE(leads("first", "wait_on"));
  // The program waited before it submitted any of them.
  EXPECT_TRUE(leads("wait_on", "apart"));
  EXPECT_FALSE(leads("apart", "second"));
  EXPECT_TRUE(part.is_whole);
  s.observe(nullptr);
}

TEST(told_dependences, end_where_the_program_has_waited) {
  keeper told;
  plait::scheduler s{{.workers = 2}};
  s.observe(&told);
  int x = 0;
  for (int i = 0; i < 3; ++i) {
    s.task("add", add_one, inout(x));
    s.wait();
  }
  s.wait();
  std::size_t tasks = 0;
  for (const submitted_part& part : told.parts) {
    const auto is_task = [](const auto& one) { return one.is == submitted_part::kind::task; };
    tasks += static_cast<std::size_t>(std::ranges::count_if(part.items, is_task));
    EXPECT_LE(std::ranges::count_if(part.items, is_task), 1);
  }
  EXPECT_EQ(tasks, 3U);
  s.observe(nullptr);
}

/// Against every pair of tasks: those that share a byte, one of them writing, are on a path, and
/// every dependence is between two such.
TEST(told_dependences, are_those_of_random_accesses) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    keeper told;
    plait::scheduler s{{.workers = 3}};
    s.observe(&told);
    std::vector<char> memory(64);
    struct access {
      std::size_t begin;
      std::size_t end;
      bool writes;
    };
    std::vector<std::vector<access>> all;
    for (int t = 0; t < 60; ++t) {
      auto& those = all.emplace_back();
      auto task = s.task("t", nothing);
      for (int a = 0; a < 2; ++a) {
        const std::size_t begin = random() % 60;
        const std::size_t end = begin + 1 + random() % 4;
        const bool writes = random() % 3 == 0;
        those.push_back({begin, end, writes});
        const std::span<char> bytes(memory.data() + begin, end - begin);
        writes ? task.also(out(bytes)) : task.also(in(bytes));
      }
    }
    s.wait();
    s.observe(nullptr);
    ASSERT_GE(told.parts.size(), 1U);  // behind it, what the program computed until it left
    submitted_part& part = told.parts.front();
    const auto conflict = [&](std::size_t i, std::size_t j) {
      for (const access& a : all[i]) {
        for (const access& b : all[j]) {
          if (a.begin < b.end && b.begin < a.end && (a.writes || b.writes)) return true;
        }
      }
      return false;
    };
    // The program's own computation lies between tasks, which all follow it.
    std::vector<std::size_t> task_at;
    std::vector<std::size_t> number(part.items.size());
    for (std::size_t i = 0; i < part.items.size(); ++i) {
      number[i] = task_at.size();
      if (part.items[i].is == submitted_part::kind::task) task_at.push_back(i);
    }
    ASSERT_EQ(task_at.size(), all.size());
    const auto reaches = paths_in(part);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        if (conflict(i, j)) {
          EXPECT_TRUE(reaches[task_at[i]][task_at[j]]) << i << " before " << j;
        }
      }
    }
    for (const submitted_part::order& one : part.orders) {
      ASSERT_LT(one.earlier, one.later);
      const bool of_tasks = part.items[one.earlier].is == submitted_part::kind::task &&
                            part.items[one.later].is == submitted_part::kind::task;
      if (of_tasks) {
        EXPECT_TRUE(conflict(number[one.earlier], number[one.later]))
            << number[one.earlier] << " and " << number[one.later];
      }
    }
  }
}

TEST(told_dependences, of_a_replay_are_told_once_with_those_that_wrap) {
  keeper told;
  plait::scheduler s{{.workers = 2}};
  s.observe(&told);
  int x = 0;
  int y = 0;
  plait::graph sweep = s.record([&] {
    s.task("a", add_one, inout(x));
    s.task(
        "b", [](const int& from, int& to) { to += from; }, in(x), inout(y));
  });
  s.replay(sweep, 5);
  s.wait();
  s.observe(nullptr);
  const auto is_replay = [](const submitted_part& part) { return !part.repeated.empty(); };
  ASSERT_EQ(std::ranges::count_if(told.parts, is_replay), 1);
  const submitted_part& part = *std::ranges::find_if(told.parts, is_replay);
  ASSERT_EQ(part.repeated.size(), 2U);
  EXPECT_STREQ(part.repeated[0].name, "a");
  EXPECT_EQ(part.iterations, 5U);
  ASSERT_EQ(part.same.size(), 1U);
  EXPECT_EQ(part.same[0].earlier, 0U);
  EXPECT_EQ(part.same[0].later, 1U);
  const auto wraps = [](const auto& one) { return one.earlier == 1 && one.later == 0; };
  EXPECT_TRUE(std::ranges::any_of(part.next, wraps));
  EXPECT_EQ(told.runs.load(), 10U);
  EXPECT_EQ(y, 15);
}

TEST(told_dependences, order_commutative_tasks_as_they_were_submitted) {
  keeper told;
  plait::scheduler s{{.workers = 2}};
  s.observe(&told);
  int x = 0;
  for (int i = 0; i < 3; ++i) s.task("turn", add_one, plait::commutative(x));
  plait::graph turns = s.record([&] {
    for (int i = 0; i < 3; ++i) s.task("turn", add_one, plait::commutative(x));
  });
  s.replay(turns, 2);
  s.wait();
  s.observe(nullptr);
  EXPECT_EQ(x, 9);
  ASSERT_GE(told.parts.size(), 2U);
  const submitted_part& plain = told.parts.front();
  std::vector<std::size_t> those;
  for (std::size_t i = 0; i < plain.items.size(); ++i) {
    if (plain.items[i].is == submitted_part::kind::task) those.push_back(i);
  }
  ASSERT_EQ(those.size(), 3U);
  const auto reaches = paths_in(plain);
  EXPECT_TRUE(reaches[those[0]][those[1]] && reaches[those[1]][those[2]]);
  const auto found = std::ranges::find_if(
      told.parts, [](const submitted_part& part) { return !part.repeated.empty(); });
  ASSERT_NE(found, told.parts.end());
  const submitted_part& replay = *found;
  const auto has = [](const std::vector<submitted_part::order>& all, unsigned a, unsigned b) {
    return std::ranges::any_of(all,
                               [&](const auto& one) { return one.earlier == a && one.later == b; });
  };
  EXPECT_TRUE(has(replay.same, 0, 1) && has(replay.same, 1, 2) && has(replay.next, 2, 0));
}

TEST(told_dependences, name_the_task_that_has_submitted_others) {
  keeper told;
  plait::scheduler s{{.workers = 2}};
  s.observe(&told);
  int x = 0;
  s.task(
      "parent",
      [&s](int& whole) {
        s.task("child", add_one, inout(whole));
        s.task("child", add_one, inout(whole));
      },
      inout(x));
  s.task("after", add_one, inout(x));
  s.wait();
  s.observe(nullptr);
  EXPECT_EQ(x, 3);
  ASSERT_GE(told.parts.size(), 1U);
  const submitted_part& part = told.parts.front();
  const std::uint64_t parent = part.items[place_of(part, "parent")].id;
  std::vector<std::size_t> children;
  for (std::size_t i = 0; i < part.items.size(); ++i) {
    if (part.items[i].parent != 0) children.push_back(i);
  }
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(part.items[children[0]].parent, parent);
  EXPECT_EQ(part.items[children[1]].parent, parent);
  const auto reaches = paths_in(part);
  EXPECT_TRUE(reaches[children[0]][children[1]]);
  EXPECT_TRUE(reaches[place_of(part, "parent")][place_of(part, "after")]);
}

TEST(told_dependences, stop_at_a_number_and_say_so) {
  keeper told;
  plait::detail::shadow_tracker shadow(told);
  plait::detail::replayed_graph graph;
  for (int i = 0; i < 4; ++i) (void)graph.add_node("a", plait::detail::node_kind::compute);
  graph.close(false, true);
  const auto replay = [&](std::uint64_t iterations) {
    graph.begin(iterations, 1);
    shadow.replay_begins(graph, 1);
    shadow.all_finished();
    return told.parts.back();
  };
  EXPECT_TRUE(replay(10).is_whole);
  EXPECT_EQ(told.parts.back().repeated.size(), 4U);
  EXPECT_FALSE(replay(submitted_part::most_with_iterations / 4).is_whole);
  EXPECT_TRUE(told.parts.back().repeated.empty());
  EXPECT_FALSE(replay(1).is_whole);  // and for good
}

}  // namespace
