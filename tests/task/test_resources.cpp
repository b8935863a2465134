// SPDX-License-Identifier: BSD-3-Clause
// Tasks with a target of the program's own.
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

#include "label_listener.hpp"

namespace {

using plait::in;
using plait::inout;
using plait::out;
using plait::resource;
using plait::scheduler;

/// Notes which thread has run what.
class thread_notes {
 public:
  void note(int kind) {
    std::lock_guard lock(mutex_);
    threads_[kind].insert(std::this_thread::get_id());
  }
  [[nodiscard]] std::set<std::thread::id> of(int kind) {
    std::lock_guard lock(mutex_);
    return threads_[kind];
  }

 private:
  std::mutex mutex_;
  std::map<int, std::set<std::thread::id>> threads_;
};

[[nodiscard]] std::string refusal(const auto& what) {
  try {
    what();
  } catch (const plait::usage_error& e) {
    return e.what();
  }
  return "";
}

class resources : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(workers, resources, testing::Values(1, 2, 3));

// The worker's own task is the last that the follower waits for: nothing else tells the worker.
TEST_P(resources, a_task_does_not_run_that_follows_a_failed_one_and_one_of_a_worker) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    scheduler tasks({.workers = GetParam()});
    const resource io = tasks.add_resource("io");
    std::atomic<bool> has_failed{false};
    bool has_followed = false;
    int theirs = 0;
    int own = 0;
    const auto add = [](int& n) { ++n; };
    for (int i = 0; i < 500; ++i) tasks.task("short", add, inout(own));
    const auto fail = [&has_failed](int&) {
      has_failed = true;
      throw plait::error("of the resource");
    };
    tasks.task("fails", fail, inout(theirs)).target(io);
    const auto wait_for_failure = [&has_failed](int&) {
      while (!has_failed) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    tasks.task("waits", wait_for_failure, inout(own));
    const auto follow = [&has_followed](int, int) { has_followed = true; };
    tasks.task("follows", follow, in(theirs), in(own));
    EXPECT_THROW(tasks.wait(), plait::error);
    EXPECT_FALSE(has_followed);
  }
}

TEST_P(resources, run_their_tasks_and_workers_run_none_of_them) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io");
  const resource gpu = tasks.add_resource("gpu", 3);
  thread_notes notes;
  std::vector<int> data(64, 0);
  for (int i = 0; i < 400; ++i) {
    const auto k = static_cast<std::size_t>(i) % data.size();
    const auto add = [&notes](int& x, int kind) {
      notes.note(kind);
      ++x;
    };
    tasks.task("compute", add, inout(data[k]), 0);
    tasks.task("write", add, inout(data[k]), 1).target(io);
    tasks.task("launch", add, inout(data[k]), 2).target(gpu).priority(plait::high);
  }
  tasks.wait();
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0), 1200);
  const auto workers = notes.of(0);
  const auto writers = notes.of(1);
  const auto drivers = notes.of(2);
  EXPECT_EQ(writers.size(), 1U);
  EXPECT_LE(drivers.size(), 3U);
  for (const auto& one : writers) EXPECT_FALSE(workers.contains(one) || drivers.contains(one));
  for (const auto& one : drivers) EXPECT_FALSE(workers.contains(one));
}

/// Every task mixes what it reads into what it writes, on any kind of thread, and may submit tasks.
TEST_P(resources, keep_program_order_in_random_programs) {
  constexpr std::size_t cells = 12;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    scheduler tasks({.workers = GetParam(), .in_flight = seed % 3 == 0 ? 4U : 64U});
    const resource targets[] = {tasks.add_resource("one"), tasks.add_resource("two", 2)};
    std::mt19937 draw(seed);
    const auto pick = [&draw](std::size_t below) { return static_cast<unsigned>(draw() % below); };
    std::vector<unsigned> data(cells, 1);
    std::vector<unsigned> expected(cells, 1);
    const auto mix = [](unsigned from, unsigned& to, unsigned by) { to = to * 31 + from * by; };
    const auto submit = [&](bool apply) {
      for (int i = 0; i < 40; ++i) {
        const std::size_t from = pick(cells);
        std::size_t to = pick(cells);
        if (to == from) to = (to + 1) % cells;
        const unsigned by = pick(1000);
        const unsigned where = pick(3);
        const unsigned child_where = pick(3);
        const bool nests = pick(4) == 0;
        if (apply) {
          mix(expected[from], expected[to], by);
          if (nests) mix(expected[from], expected[to], by + 1);
          continue;
        }
        auto made = tasks.task(
            "outer",
            [&, by, child_where, nests](const unsigned& x, unsigned& y) {
              mix(x, y, by);
              if (!nests) return;
              auto child = tasks.task(
                  "inner", [&mix, by](const unsigned& a, unsigned& b) { mix(a, b, by + 1); }, in(x),
                  inout(y));
              if (child_where > 0) child.target(targets[child_where - 1]);
            },
            in(data[from]), inout(data[to]));
        if (where > 0) made.target(targets[where - 1]);
      }
    };
    const auto again = draw;
    const bool replays = seed % 2 == 0;
    if (replays) {
      auto graph = tasks.record([&] { submit(false); });
      if (graph.tasks() <= tasks.in_flight_limit()) {
        tasks.replay(graph, 5);
      } else {
        for (int i = 0; i < 5; ++i) {
          draw = again;
          submit(false);
        }
      }
    } else {
      submit(false);
    }
    tasks.wait();
    for (int i = 0; i < (replays ? 5 : 1); ++i) {
      draw = again;
      submit(true);
    }
    ASSERT_EQ(data, expected) << "seed " << seed << (replays ? ", replayed" : "");
  }
}

TEST_P(resources, work_beside_the_workers) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io");
  std::atomic<bool> computed{false};
  bool seen = false;
  int block = 0;
  tasks
      .task("write",
            [&] {
              while (!computed) std::this_thread::yield();  // for ever, if a worker ran this one
              seen = true;
            })
      .target(io);
  tasks.task(
      "compute", [&](int& x) { x = 1, computed = true; }, out(block));
  tasks.wait();
  EXPECT_TRUE(seen);
}

TEST_P(resources, report_an_exception_and_drop_what_follows) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io");
  int x = 0;
  bool ran = false;
  tasks
      .task(
          "fails", [](int&) { throw std::runtime_error("disk full"); }, inout(x))
      .target(io);
  tasks
      .task(
          "dropped", [&ran](int&) { ran = true; }, inout(x))
      .target(io);
  EXPECT_THROW(tasks.wait(), std::runtime_error);
  EXPECT_FALSE(ran);
  tasks
      .task(
          "works again", [&ran](int&) { ran = true; }, inout(x))
      .target(io);
  tasks.wait();
  EXPECT_TRUE(ran);
}

TEST_P(resources, give_results_and_let_the_program_wait_for_data) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io");
  int x = 3;
  EXPECT_EQ(tasks
                .task(
                    "read", [](const int& value) { return value + 4; }, in(x))
                .target(io)
                .result()
                .get(),
            7);
  tasks
      .task(
          "set", [](int& value) { value = 9; }, out(x))
      .target(io);
  tasks.wait_on(x);
  EXPECT_EQ(x, 9);
}

TEST_P(resources, take_turns_with_workers_where_tasks_commute) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io", 2);
  long sum = 0;
  for (int i = 0; i < 300; ++i) {
    const auto add = [](long& to, int value) { to += value; };
    auto made = tasks.task("add", add, plait::commutative(sum), i);
    if (i % 2 == 0) made.target(io);
  }
  tasks.wait();
  EXPECT_EQ(sum, 300L * 299 / 2);
}

TEST_P(resources, may_be_added_while_tasks_are_in_flight) {
  scheduler tasks({.workers = GetParam()});
  int x = 0;
  for (int i = 0; i < 40; ++i) {
    const resource made = tasks.add_resource("number " + std::to_string(i));
    for (int k = 0; k < 5; ++k) {
      tasks
          .task(
              "on it", [](int& value) { ++value; }, inout(x))
          .target(made);
      tasks.task(
          "on a worker", [](int& value) { ++value; }, inout(x));
    }
  }
  tasks.wait();
  EXPECT_EQ(x, 400);
}

TEST_P(resources, run_suspended_tasks_to_their_end) {
  scheduler tasks({.workers = GetParam(), .task_stack_bytes = 256 * 1024});
  const resource io = tasks.add_resource("io");
  std::thread::id before;
  std::thread::id after;
  std::thread waker;
  tasks
      .task("suspended",
            [&] {
              before = std::this_thread::get_id();
              struct handed_over : plait::suspension {
                scheduler* owner;
                std::thread* from;
              } next{{[](plait::suspension& what, plait::detail::task_node& node) {
                       auto& self = static_cast<handed_over&>(what);
                       *self.from =
                           std::thread([owner = self.owner, &node] { owner->resume(node); });
                     }},
                     &tasks,
                     &waker};
              tasks.suspend(next);
              after = std::this_thread::get_id();
            })
      .target(io);
  tasks.wait();
  waker.join();
  EXPECT_EQ(before, after);
  EXPECT_NE(before, std::this_thread::get_id());
}

TEST_P(resources, have_a_ledger_that_balances) {
  scheduler tasks({.workers = GetParam()});
  const resource io = tasks.add_resource("io", 2);
  tasks.reset_ledger();
  for (int i = 0; i < 20; ++i) {
    tasks.task("sleep", [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); })
        .target(io);
  }
  tasks.wait();
  const plait::ledger spent = tasks.ledger(io);
  ASSERT_EQ(spent.size(), 2U);
  double compute_s = 0;
  for (const auto& one : spent) {
    EXPECT_LT(one.balance_error(), 0.01);
    EXPECT_EQ(one.exposed_s, 0);
    compute_s += one.compute_s;
  }
  EXPECT_GT(compute_s, 0.039);
  EXPECT_EQ(tasks.ledger().size(), static_cast<std::size_t>(GetParam()));
}

TEST(resources_of_one_worker, run_what_one_task_makes_ready_in_program_order) {
  scheduler s({.workers = 1});
  const resource files = s.add_resource("files");
  constexpr int readers = 12;  // more than one node has room for
  constexpr int tasks = 200;   // short ones: most pass
  std::vector<int> data(tasks);
  std::vector<std::vector<int>> order(tasks);
  for (int t = 0; t < tasks; ++t) {
    const auto place = static_cast<std::size_t>(t);
    for (int i = 0; i < 100; ++i)
      s.task(
          "short", [](int& x) { ++x; }, inout(data[place]));
    s.task(
        "write", [](int& x) { x = 0; }, out(data[place]));
    for (int r = 0; r < readers; ++r) {
      s.task(
           "read", [&own = order[place], r](const int&) { own.push_back(r); }, in(data[place]))
          .target(files);
    }
    s.wait();
  }
  std::vector<int> expected(readers);
  std::iota(expected.begin(), expected.end(), 0);
  for (const std::vector<int>& one : order) ASSERT_EQ(one, expected);
}

TEST(refused_resources, say_why_in_one_line) {
  scheduler tasks({.workers = 1});
  scheduler other({.workers = 1});
  const resource io = tasks.add_resource("io");
  EXPECT_EQ(refusal([&] { (void)tasks.add_resource("none", 0); }),
            "resource 'none': threads is 0; it can be 1 to 252");
  EXPECT_EQ(refusal([&] { (void)tasks.add_resource("many", 255); }),
            "resource 'many': threads is 255; it can be 1 to 252");
  EXPECT_EQ(refusal([&] { (void)tasks.add_resource("io"); }),
            "resource 'io': there is one of that name already");
  EXPECT_EQ(refusal([&] { (void)tasks.add_resource(""); }), "resource '': it has no name");
  bool ran = false;
  EXPECT_EQ(refusal([&] { other.task("write", [&ran] { ran = true; }).target(io); }),
            "task 'write' has a target that belongs to another runtime: 'io'");
  EXPECT_EQ(refusal([&] { tasks.task("write", [&ran] { ran = true; }).target(resource{}); }),
            "task 'write' has a target that no runtime has made");
  tasks.wait();
  other.wait();
  EXPECT_FALSE(ran);
}

TEST(observed_resources, tell_of_their_threads_before_and_after_the_observer_comes) {
  scheduler tasks({.workers = 1});
  plait::test::label_listener heard;
  (void)tasks.add_resource("io");
  tasks.observe(&heard);
  const resource gpu = tasks.add_resource("gpu", 2);
  EXPECT_EQ(heard.labels, (std::map<int, std::string>{{1, "io"}, {2, "gpu 0"}, {3, "gpu 1"}}));
  tasks.task("launch", [] {}).target(gpu);
  tasks.wait();
  EXPECT_GE(heard.ran_on, 2);
  tasks.observe(nullptr);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(checked_resources, run_on_the_worker) {
  scheduler tasks({.workers = 2, .checked = true});
  const resource io = tasks.add_resource("io");
  int x = 0;
  tasks
      .task(
          "write", [](int& value) { value = 1; }, out(x))
      .target(io);
  tasks.wait();
  EXPECT_EQ(x, 1);
  EXPECT_TRUE(tasks.ledger(io).empty());
}
#endif

}  // namespace
