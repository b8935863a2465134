// SPDX-License-Identifier: BSD-3-Clause
// Tasks that others finish.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "support/late_threads.hpp"

namespace {

using namespace std::chrono_literals;
using plait::commutative;
using plait::hold;
using plait::in;
using plait::inout;
using plait::out;
using plait::scheduler;
using plait::test::late_threads;

class held_workers : public ::testing::TestWithParam<int> {
 protected:
  scheduler s{{.workers = GetParam(), .oversubscribed = true}};
  late_threads others;
  std::atomic<bool> is_first_held{false};

  /// A function whose task another thread finishes.
  [[nodiscard]] auto add_late(int what, std::chrono::microseconds delay = 20us) {
    return [this, what, delay](int& x, hold until) {
      others.call_in(delay, [&x, what, kept = std::move(until)]() mutable {
        x += what;
        kept.release();
      });
    };
  }
  [[nodiscard]] std::string failure() {
    try {
      s.wait();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  }
};
INSTANTIATE_TEST_SUITE_P(hold, held_workers, ::testing::Values(1, 3));

TEST_P(held_workers, what_follows_sees_what_another_thread_has_done) {
  int x = 1;
  int seen = 0;
  s.task("late", add_late(4, 2ms), inout(x), plait::held);
  s.task(
      "next", [](int now, int& to) { to = now; }, in(x), out(seen));
  s.wait();
  EXPECT_EQ(seen, 5);
}

TEST_P(held_workers, chains_of_held_and_plain_tasks_keep_their_order) {
  std::vector<int> order;
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 0) {
      s.task(
          "late",
          [this, i](std::vector<int>& all, hold until) {
            others.call_in(std::chrono::microseconds(i % 7),
                           [&all, i, kept = std::move(until)]() mutable {
                             all.push_back(i);
                             kept.release();
                           });
          },
          inout(order), plait::held);
    } else {
      s.task(
          "plain", [i](std::vector<int>& all) { all.push_back(i); }, inout(order));
    }
  }
  s.wait();
  ASSERT_EQ(order.size(), 300U);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(held_workers, a_hold_may_be_released_in_the_function_itself_and_in_another_task) {
  int x = 0;
  s.task(
      "itself",
      [](int& value, hold until) {
        until.release();
        value = 1;
      },
      inout(x), plait::held);
  hold kept;
  s.task(
      "first",
      [this](int& value, hold& to, hold until) {
        value += 1;
        to = std::move(until);
        is_first_held.store(true, std::memory_order_release);
      },
      inout(x), out(kept), plait::held);
  s.task(
      "next", [](int& value) { value *= 10; }, inout(x));
  s.task(
      "parent",
      [this](hold until) {
        s.task(
            "child", [](hold of_parent) { of_parent.release(); }, plait::held);
        until.release();
      },
      plait::held);
  std::thread outside([this, &kept] {
    std::this_thread::sleep_for(2ms);
    while (!is_first_held.load(std::memory_order_acquire)) std::this_thread::yield();
    kept.release();
  });
  s.wait();
  outside.join();
  EXPECT_EQ(x, 20);
}

TEST_P(held_workers, all_holds_of_a_task_are_to_be_released) {
  int x = 0;
  int seen = 0;
  s.task(
      "several",
      [this](int& value, hold until) {
        for (int i = 1; i <= 20; ++i) {
          auto each = until.another();
          EXPECT_TRUE(each.is_open());
          others.call_in(std::chrono::microseconds(i), [&value, kept = std::move(each)]() mutable {
            std::atomic_ref(value).fetch_add(1);
            kept.release();
          });
        }
        hold moved = std::move(until);
        moved.release();
        EXPECT_FALSE(moved.is_open());
      },
      inout(x), plait::held);
  s.task(
      "next", [](int now, int& to) { to = now; }, in(x), out(seen));
  s.wait();
  EXPECT_EQ(seen, 20);
}

TEST_P(held_workers, a_commutative_task_keeps_its_turn) {
  int x = 0;  // read and written apart: two at once would lose something
  for (int i = 0; i < 50; ++i) {
    s.task(
        "turn",
        [this](int& value, hold until) {
          const int before = value;
          others.call_in(5us, [&value, before, kept = std::move(until)]() mutable {
            value = before + 1;
            kept.release();
          });
        },
        commutative(x), plait::held);
  }
  s.wait();
  EXPECT_EQ(x, 50);
}

TEST_P(held_workers, children_and_holds_both_keep_a_task) {
  std::array<int, 2> x{};
  int seen = 0;
  s.task(
      "parent",
      [this](std::array<int, 2>& both, hold until) {
        s.task("child", add_late(3), inout(both[0]), plait::held);
        s.task(
            "after", [](int a, int& b) { b = 2 * a; }, in(both[0]), inout(both[1]));
        others.call_in(50us, [kept = std::move(until)]() mutable { kept.release(); });
      },
      inout(x), plait::held);
  s.task(
      "next", [](const std::array<int, 2>& now, int& to) { to = now[0] + now[1]; }, in(x),
      out(seen));
  s.wait();
  EXPECT_EQ(seen, 9);
}

TEST_P(held_workers, a_recorded_task_is_held_in_every_iteration) {
  int x = 0;
  int copy = 0;
  std::uint64_t sum = 0;
  plait::graph step = s.record([&] {
    s.task("late", add_late(1, 3us), inout(x), plait::held).priority(plait::high);
    s.task(
        "copy", [](int from, int& to) { to = from; }, in(x), out(copy));
    s.task(
        "late sum",
        [this](int value, std::uint64_t& to, hold until) {
          others.call_in(1us, [value, &to, kept = std::move(until)]() mutable {
            to += static_cast<std::uint64_t>(value);
            kept.release();
          });
        },
        in(copy), inout(sum), plait::held);
  });
  constexpr std::uint64_t iterations = 400;
  s.replay(step, iterations);
  s.wait();
  EXPECT_EQ(x, static_cast<int>(iterations));
  EXPECT_EQ(sum, iterations * (iterations + 1) / 2);
}

TEST_P(held_workers, a_resource_and_anyone_may_have_held_tasks) {
  const plait::resource io = s.add_resource("io");
  int x = 0;
  for (int i = 0; i < 30; ++i) {
    s.task("on io", add_late(1), inout(x), plait::held).target(io);
    s.task("anyone", add_late(1), inout(x), plait::held).target(plait::anyone);
  }
  s.wait();
  EXPECT_EQ(x, 60);
}

TEST_P(held_workers, held_tasks_are_outside_of_the_limit) {
  scheduler small({.workers = GetParam(), .in_flight = 2, .oversubscribed = true});
  std::vector<hold> open;
  std::mutex mutex;
  for (int i = 0; i < 100; ++i) {
    small.task(
        "late",
        [&](hold until) {
          std::lock_guard lock(mutex);
          open.push_back(std::move(until));
        },
        plait::held);
  }
  std::thread outside([&] {
    for (std::size_t released = 0; released < 100;) {
      std::lock_guard lock(mutex);
      for (; released < open.size(); ++released) open[released].release();
    }
  });
  small.wait();
  outside.join();
}

TEST_P(held_workers, a_result_is_there_when_the_task_is_let_go) {
  std::atomic<bool> let_go{false};
  auto sum = s.task(
                  "sum",
                  [&](int a, hold until) {
                    others.call_in(2ms, [&let_go, kept = std::move(until)]() mutable {
                      let_go = true;
                      kept.release();
                    });
                    return a + 1;
                  },
                  41, plait::held)
                 .result();
  EXPECT_EQ(sum.get(), 42);
  EXPECT_TRUE(let_go);
}

// --- failures ------------------------------------------------------------------------------------

TEST_P(held_workers, a_hold_that_is_dropped_fails_its_task_by_name) {
  s.task(
      "forgetful", [](hold) {}, plait::held);
  EXPECT_NE(failure().find("task 'forgetful': its hold was dropped"), std::string::npos);
  EXPECT_EQ(failure(), "none") << "it was told";
}

TEST_P(held_workers, a_failed_hold_is_rethrown_and_what_follows_is_dropped) {
  int x = 0;
  s.task(
      "broken",
      [this](int&, hold until) {
        others.call_in(1ms, [kept = std::move(until)]() mutable {
          kept.fail(std::make_exception_ptr(std::runtime_error("no such page")));
        });
      },
      inout(x), plait::held);
  s.task(
      "next", [](int& value) { value = 1; }, inout(x));
  EXPECT_EQ(failure(), "no such page");
  EXPECT_EQ(x, 0);
}

TEST_P(held_workers, a_result_of_a_failed_hold_does_not_count) {
  auto sum = s.task(
                  "sum",
                  [this](hold until) {
                    others.call_in(1ms, [kept = std::move(until)]() mutable {
                      kept.fail(std::make_exception_ptr(std::runtime_error("torn")));
                    });
                    return 1;
                  },
                  plait::held)
                 .result();
  EXPECT_THROW((void)sum.get(), std::runtime_error);
  EXPECT_THROW((void)sum.get(), plait::error);
}

TEST_P(held_workers, what_the_function_throws_is_the_failure) {
  s.task(
      "thrower", [](hold) { throw std::runtime_error("thrown"); }, plait::held);
  EXPECT_EQ(failure(), "thrown");
}

TEST_P(held_workers, a_failure_in_a_replay_says_which_iteration) {
  int x = 0;
  plait::graph step = s.record([&] {
    s.task(
        "third",
        [](int& value, hold until) {
          if (++value < 3) until.release();
        },
        inout(x), plait::held);
  });
  s.replay(step, 5);
  EXPECT_NE(failure().find("task 'third', iteration 3: its hold was dropped"), std::string::npos);
  EXPECT_EQ(x, 3);
}

TEST_P(held_workers, other_tasks_that_are_held_end_before_a_failure_is_rethrown) {
  int x = 0;
  s.task("slow", add_late(1, 5ms), inout(x), plait::held);
  s.task("broken", [] { throw std::runtime_error("broken"); });
  EXPECT_EQ(failure(), "broken");
  EXPECT_LE(x, 1) << "and nobody writes it any more";
}

TEST(hold, is_made_by_the_task_that_it_holds) {
  EXPECT_DEATH((void)hold::of_calling_task(), "made by the task that it holds");
  hold none;
  EXPECT_DEATH(none.release(), "released or failed once");
}

}  // namespace
