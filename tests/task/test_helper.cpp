// SPDX-License-Identifier: BSD-3-Clause
// Tasks for anyone, which a thread that is no worker runs too.
#include <atomic>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "label_listener.hpp"

namespace {

using plait::anyone;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;

/// A thread that helps until it is told to stop.
class helping_thread {
 public:
  explicit helping_thread(scheduler& tasks)
      : thread_([this, &tasks] {
          while (!stopping_) {
            (void)tasks.help();
          }
        }) {}
  ~helping_thread() {
    stopping_ = true;
    thread_.join();
  }
  [[nodiscard]] std::thread::id id() const { return thread_.get_id(); }

 private:
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

TEST(helper, runs_what_the_only_worker_has_no_time_for) {
  scheduler tasks({.workers = 1});
  tasks.add_helper("proxy");
  helping_thread helper(tasks);
  std::atomic<std::thread::id> ran_in{};
  int x = 0;
  tasks.task(
      "long",
      [&](int& value) {
        tasks
            .task(
                "short",
                [&ran_in](int& one) {
                  one = 1;
                  ran_in = std::this_thread::get_id();
                },
                out(value))
            .target(anyone);
        while (ran_in.load() == std::thread::id{}) std::this_thread::yield();
      },
      inout(x));
  tasks.wait();
  EXPECT_EQ(ran_in.load(), helper.id());
  EXPECT_EQ(x, 1);
}

TEST(helper, runs_nothing_else) {
  scheduler tasks({.workers = 1});
  tasks.add_helper("proxy");
  std::atomic<int> elsewhere{0};
  std::vector<int> data(8, 0);
  {
    helping_thread helper(tasks);
    for (int i = 0; i < 4000; ++i) {
      const auto add = [&elsewhere, other = helper.id()](int& x, bool for_anyone) {
        ++x;
        if (!for_anyone && std::this_thread::get_id() == other) ++elsewhere;
      };
      int& x = data[static_cast<std::size_t>(i) % data.size()];
      if (i % 3 == 0) {
        tasks.task("anyone", add, inout(x), true).target(anyone);
      } else {
        tasks.task("worker", add, inout(x), false);
      }
    }
    tasks.wait();
  }
  for (const int x : data) EXPECT_EQ(x, 500);
  EXPECT_EQ(elsewhere, 0);
}

TEST(helper, is_not_needed) {
  scheduler without({.workers = 1});
  scheduler with({.workers = 1});
  with.add_helper("proxy");
  for (scheduler* tasks : {&without, &with}) {
    int x = 0;
    for (int i = 0; i < 10; ++i)
      tasks
          ->task(
              "add", [](int& value) { ++value; }, inout(x))
          .target(anyone);
    tasks->wait();
    EXPECT_EQ(x, 10);
    EXPECT_FALSE(tasks->help());
  }
}

TEST(helper, passes_failures_on) {
  scheduler tasks({.workers = 1});
  tasks.add_helper("proxy");
  helping_thread helper(tasks);
  for (int round = 0; round < 50; ++round) {
    int x = 0;
    tasks
        .task(
            "fail", [](int&) { throw std::runtime_error("no"); }, inout(x))
        .target(anyone);
    tasks
        .task(
            "after", [](int& value) { value = 1; }, inout(x))
        .target(anyone);
    EXPECT_THROW(tasks.wait(), std::runtime_error);
    EXPECT_EQ(x, 0);
  }
}

TEST(helper, replays) {
  for (const int workers : {1, 2}) {
    scheduler tasks({.workers = workers});
    tasks.add_helper("proxy");
    helping_thread helper(tasks);
    std::vector<int> data(16, 1);
    const auto step = [&] {
      for (std::size_t i = 0; i < data.size(); ++i) {
        const std::size_t left = (i + data.size() - 1) % data.size();
        const auto mix = [](const int& a, int& b) { b = (3 * b + a) % 1009; };
        auto one = tasks.task("mix", mix, in(data[left]), inout(data[i]));
        if (i % 3 != 1) one.target(anyone);
      }
    };
    std::vector<int> expected = data;
    constexpr int iterations = 300;
    for (int k = 0; k < iterations; ++k) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        const std::size_t left = (i + data.size() - 1) % data.size();
        expected[i] = (3 * expected[i] + expected[left]) % 1009;
      }
    }
    plait::graph recorded = tasks.record(step);
    tasks.replay(recorded, iterations);
    tasks.wait();
    EXPECT_EQ(data, expected) << workers << " workers";
  }
}

TEST(helper, keeps_program_order_with_random_tasks) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    scheduler tasks({.workers = 1 + round % 3, .in_flight = round % 2 == 0 ? 4096U : 3U});
    tasks.add_helper("proxy");
    helping_thread helper(tasks);
    std::vector<unsigned> data(12, 1);
    std::vector<unsigned> expected = data;
    for (int i = 0; i < 600; ++i) {
      const std::size_t from = random() % data.size();
      const std::size_t to = random() % data.size();
      if (from == to) continue;
      const auto mix = [](const unsigned& a, unsigned& b) { b = b * 31 + a; };
      mix(expected[from], expected[to]);
      auto one = tasks.task("mix", mix, in(data[from]), inout(data[to]));
      if (random() % 2 == 0) one.target(anyone);
      if (random() % 5 == 0) one.priority(plait::high);
    }
    tasks.wait();
    EXPECT_EQ(data, expected) << "round " << round;
  }
}

/// Tasks submit children, and both are the workers' or anyone's.
TEST(helper, may_run_parents_and_children) {
  scheduler tasks({.workers = 2, .in_flight = 8});
  tasks.add_helper("proxy");
  helping_thread helper(tasks);
  std::vector<int> data(6, 0);
  for (int i = 0; i < 600; ++i) {
    const auto parent = [&tasks](int& x, int kind) {
      for (int child = 0; child < 3; ++child) {
        auto one = tasks.task(
            "child", [](int& value) { ++value; }, inout(x));
        if ((kind + child) % 2 == 0) one.target(anyone);
      }
    };
    auto one = tasks.task("parent", parent, inout(data[static_cast<std::size_t>(i) % 6]), i);
    if (i % 4 < 2) one.target(anyone);
  }
  tasks.wait();
  for (const int x : data) EXPECT_EQ(x, 300);
}

TEST(helper, has_a_number_behind_the_workers) {
  scheduler tasks({.workers = 2});
  plait::test::label_listener heard;
  tasks.add_helper("proxy");
  tasks.observe(&heard);
  EXPECT_EQ(heard.labels, (std::map<int, std::string>{{2, "proxy"}}));
  tasks.observe(nullptr);
}

}  // namespace
