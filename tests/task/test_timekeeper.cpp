// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

#include "task/scheduler/timekeeper.hpp"

namespace {

using plait::activity;
using plait::clock_pair;
using plait::ticks;
using plait::detail::basic_timekeeper;
using plait::detail::node_kind;
using plait::detail::sampled_overhead;

/// Moves when a test says so, and counts who asks it.
struct test_clock {
  static inline ticks time = 0;
  static inline int readings = 0;
  [[nodiscard]] static ticks now() noexcept {
    ++readings;
    return time;
  }
  [[nodiscard]] static clock_pair both() noexcept { return {time, time}; }
  [[nodiscard]] static ticks short_task() noexcept { return 1000; }
};

void pass(ticks duration) {
  test_clock::time += duration;
}

ticks nothing_in_flight(ticks) {
  return 0;
}

using timekeeper = basic_timekeeper<test_clock>;

class a_timekeeper : public ::testing::Test {
 protected:
  a_timekeeper() {
    test_clock::time = 1'000'000;
    test_clock::readings = 0;
  }

  [[nodiscard]] static ticks booked(const timekeeper& time, activity what) {
    return time.since_reset(nothing_in_flight).sums[static_cast<std::size_t>(what)];
  }
  static void expect_balance(const timekeeper& time) {
    const auto [sums, wall_ns] = time.since_reset(nothing_in_flight);
    ticks sum = 0;
    for (const ticks one : sums) sum += one;
    EXPECT_EQ(sum, wall_ns);
  }
  /// Returns whether the clock was read at its end.
  static bool task(timekeeper& time, ticks before, ticks takes, bool wanted = false,
                   bool watchful = false) {
    pass(before);
    ticks begin = timekeeper::unread;
    if (wanted || !time.lets_pass()) {
      begin = time.task_begins(wanted);
      pass(takes);
    } else {
      pass(takes);
      if (time.passed()) return false;
    }
    (void)time.task_ended(begin);
    time.let_pass(watchful);
    return true;
  }
  static void post(timekeeper& time, ticks before, ticks takes) {
    pass(before);
    const auto started = time.posts_begin();
    pass(takes);
    time.posts_ended(started);
  }
};

/// Which has just begun, and knows nothing.
struct fresh_timekeeper : timekeeper {
  explicit fresh_timekeeper(bool submits) : timekeeper(submits) { reset(nothing_in_flight); }
};

TEST_F(a_timekeeper, books_a_timed_task_as_its_own_time_and_what_came_before_as_overhead) {
  fresh_timekeeper time(false);
  EXPECT_TRUE(task(time, 300, 5000, true));
  EXPECT_EQ(booked(time, activity::overhead), 300);
  EXPECT_EQ(booked(time, activity::compute), 5000);
  expect_balance(time);
}

TEST_F(a_timekeeper, takes_off_the_usual_overhead_where_only_the_end_of_a_task_is_read) {
  fresh_timekeeper time(false);
  EXPECT_TRUE(task(time, 300, 5000, true));
  test_clock::readings = 0;
  EXPECT_TRUE(task(time, 400, 5000));
  EXPECT_EQ(test_clock::readings, 1);
  EXPECT_EQ(booked(time, activity::overhead), 300 + 300) << "as usual, whatever it was";
  EXPECT_EQ(booked(time, activity::compute), 5000 + 5100);
  expect_balance(time);
}

TEST_F(a_timekeeper, reads_the_clock_after_one_in_a_period_of_short_tasks_and_after_each_long_one) {
  fresh_timekeeper time(false);
  constexpr int tasks = 100 * sampled_overhead::period;
  int read = 0;
  for (int i = 0; i < tasks; ++i) read += task(time, 50, 100) ? 1 : 0;
  EXPECT_GE(read, tasks / sampled_overhead::period);
  EXPECT_LE(read, 16 * tasks / sampled_overhead::period / 7) << "before and after one each";
  EXPECT_NEAR(static_cast<double>(booked(time, activity::overhead)), 50. * tasks, 50);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::compute)), 100. * tasks, 50);
  read = 0;
  for (int i = 0; i < tasks; ++i) read += task(time, 50, 100'000) ? 1 : 0;
  EXPECT_GE(read, tasks - sampled_overhead::period);
  expect_balance(time);
}

TEST_F(a_timekeeper, reads_it_after_one_in_eight_where_somebody_wants_to_know_soon) {
  fresh_timekeeper time(false);
  for (int i = 0; i < 64; ++i) task(time, 50, 100);
  int unread = 0;
  int most = 0;
  for (int i = 0; i < 1000; ++i) {
    unread = task(time, 50, 100, false, true) ? 0 : unread + 1;
    most = std::max(most, unread);
  }
  EXPECT_EQ(most, 7);
}

TEST_F(a_timekeeper, takes_back_what_was_owed_for_tasks_that_do_not_pass) {
  for (int passing = 0; passing < 13; ++passing) {
    fresh_timekeeper time(false);
    const ticks start = test_clock::time;
    while (task(time, 50, 100)) continue;
    for (int i = 0; i < passing; ++i) EXPECT_FALSE(task(time, 50, 100));
    time.inner_task_begins();
    EXPECT_NEAR(static_cast<double>(booked(time, activity::overhead)),
                static_cast<double>(test_clock::time - start) / 3, 60)
        << passing;
    expect_balance(time);
  }
}

TEST_F(a_timekeeper, gives_a_long_task_after_unread_ones_its_time) {
  fresh_timekeeper time(false);
  for (int i = 0; i < 64; ++i) task(time, 50, 100);
  while (task(time, 50, 100)) continue;  // until one is unread
  const ticks before = booked(time, activity::compute);
  task(time, 50, 1'000'000, true);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::compute) - before), 1'000'000, 200);
  expect_balance(time);
}

TEST_F(a_timekeeper, counts_what_follows_the_last_task_to_nobodys_task) {
  fresh_timekeeper time(false);
  for (int i = 0; i < 64; ++i) task(time, 50, 100);
  while (task(time, 50, 100)) continue;
  time.tasks_over();
  const ticks before = booked(time, activity::compute);
  pass(7000);
  (void)time.idleness_begins(nothing_in_flight);
  EXPECT_EQ(booked(time, activity::compute), before);
}

TEST_F(a_timekeeper, splits_an_idle_spell_by_how_long_something_was_in_flight) {
  fresh_timekeeper time(false);
  pass(10);
  ticks in_flight = 500;
  const auto until = [&in_flight](ticks) { return in_flight; };
  EXPECT_FALSE(time.is_idle());
  const ticks begin = time.idleness_begins(until);
  EXPECT_TRUE(time.is_idle());
  pass(1000);
  in_flight += 300;
  EXPECT_EQ(time.since_reset(until).sums[static_cast<std::size_t>(activity::exposed)], 300)
      << "also before its end";
  const auto spell = time.idleness_ended(begin, until);
  EXPECT_FALSE(time.is_idle());
  EXPECT_EQ(spell.exposed, 300);
  EXPECT_EQ(spell.end - spell.begin, 1000);
  EXPECT_EQ(booked(time, activity::overhead), 10);
  EXPECT_EQ(booked(time, activity::exposed), 300);
  EXPECT_EQ(booked(time, activity::idle), 700);
  (void)time.idleness_begins(until);
  pass(100);
  in_flight += 5000;
  EXPECT_EQ(time.idleness_ended(test_clock::time - 100, until).exposed, 100)
      << "no more than the spell";
}

TEST_F(a_timekeeper, leaves_the_program_its_time_between_submissions) {
  fresh_timekeeper time(true);
  constexpr int submissions = 1600;
  for (int i = 0; i < submissions; ++i) {
    pass(900);
    time.entered_to_submit(node_kind::compute);
    pass(100);
    time.left();
  }
  EXPECT_LE(test_clock::readings, 1 + 2 * submissions / sampled_overhead::period)
      << "one in a period is timed";
  pass(900);
  time.entered();
  EXPECT_NEAR(static_cast<double>(booked(time, activity::overhead)), 100. * submissions, 100);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::compute)), 900. * (submissions + 1), 100);
  expect_balance(time);
}

TEST_F(a_timekeeper, takes_back_what_was_owed_for_submissions_that_do_not_pass) {
  for (const int in_a_row : {3, 10, 1600}) {
    fresh_timekeeper time(true);
    test_clock::readings = 0;
    constexpr int submissions = 1600;
    int passed = 0;
    for (int i = 0; i < submissions; ++i) {
      pass(900);
      if (i % in_a_row != 0 && time.passed()) {
        pass(100);
        ++passed;
        continue;
      }
      if (i % in_a_row == 0) time.stop_passing();
      time.entered_to_submit(node_kind::compute);
      pass(100);
      time.left();
      time.let_submissions_pass();
    }
    EXPECT_GT(passed, submissions / sampled_overhead::period);
    EXPECT_LE(test_clock::readings, 2 + 2 * submissions / sampled_overhead::period)
        << "one in a period is timed";
    pass(900);
    time.entered();
    EXPECT_NEAR(static_cast<double>(booked(time, activity::overhead)), 100. * submissions, 200);
    expect_balance(time);
  }
}

TEST_F(a_timekeeper, does_not_enter_twice) {
  fresh_timekeeper time(true);
  pass(100);
  time.entered();
  pass(50);
  time.entered();
  time.entered_to_submit(node_kind::asynchronous);
  pass(50);
  time.left();
  EXPECT_EQ(booked(time, activity::compute), 100);
  EXPECT_EQ(booked(time, activity::overhead), 100);
}

TEST_F(a_timekeeper, books_posts_as_posting_whether_or_not_it_reads_the_clock_for_them) {
  fresh_timekeeper time(false);
  constexpr int posts = 1600;
  for (int i = 0; i < posts; ++i) post(time, 60, 200);
  time.look_begins();
  EXPECT_LE(test_clock::readings, 2 + 3 * posts / 8);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::posting)), 200. * posts, 1000);
  EXPECT_LE(booked(time, activity::overhead), 60 * posts);
  EXPECT_GE(booked(time, activity::overhead), 60 * posts * 15 / 16 - 100)
      << "before one that is read there might have been a task among those that are not";
  expect_balance(time);
}

TEST_F(a_timekeeper, books_each_post_of_a_burst) {
  fresh_timekeeper time(false);
  constexpr int bursts = 400;
  for (const int count : {1, 8, timekeeper::longest_burst}) {
    time.reset(nothing_in_flight);
    for (int i = 0; i < bursts; ++i) {
      pass(60);
      const auto started = time.posts_begin();
      pass(200 * count);
      time.posts_ended(started, count);
    }
    time.look_begins();
    time.look_ended();
    EXPECT_NEAR(static_cast<double>(booked(time, activity::posting)), 200. * count * bursts,
                0.02 * 200 * count * bursts);
    expect_balance(time);
  }
}

TEST_F(a_timekeeper, books_a_look_with_the_posts_in_it_as_posting) {
  fresh_timekeeper time(false);
  task(time, 0, 500, true);
  pass(30);
  time.look_begins();
  pass(100);
  post(time, 20, 40);
  pass(100);
  time.look_ended();
  EXPECT_EQ(booked(time, activity::compute), 500);
  EXPECT_EQ(booked(time, activity::overhead), 30);
  EXPECT_EQ(booked(time, activity::posting), 260);
  expect_balance(time);
}

TEST_F(a_timekeeper, reads_no_clock_for_a_post_in_an_idle_spell) {
  fresh_timekeeper time(false);
  const ticks begin = time.idleness_begins(nothing_in_flight);
  test_clock::readings = 0;
  post(time, 20, 40);
  EXPECT_EQ(test_clock::readings, 0);
  (void)time.idleness_ended(begin, nothing_in_flight);
  EXPECT_EQ(booked(time, activity::idle), 60);
}

TEST_F(a_timekeeper, leaves_the_program_what_came_before_a_post_from_its_own_code) {
  fresh_timekeeper time(true);
  post(time, 5000, 200);  // as in environment::barrier
  EXPECT_EQ(booked(time, activity::compute), 5000);
  EXPECT_EQ(booked(time, activity::posting), 200);
  expect_balance(time);
}

TEST_F(a_timekeeper, tells_posting_from_the_rest_of_a_submission) {
  fresh_timekeeper time(true);
  constexpr int messages = 1600;
  for (int i = 0; i < messages; ++i) {
    pass(900);
    time.entered_to_submit(node_kind::asynchronous);
    post(time, 100, 300);
    pass(50);
    time.left();
  }
  time.entered();
  EXPECT_NEAR(static_cast<double>(booked(time, activity::posting)), 300. * messages,
              0.02 * 300 * messages);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::overhead)), 150. * messages,
              0.05 * 150 * messages);
  EXPECT_NEAR(static_cast<double>(booked(time, activity::compute)), 900. * messages,
              0.02 * 900 * messages);
  expect_balance(time);
}

TEST_F(a_timekeeper, splits_a_task_that_runs_another) {
  fresh_timekeeper time(false);
  const ticks begin = time.task_begins(true);
  pass(400);
  time.inner_task_begins();
  task(time, 10, 700, true);
  pass(20);
  time.inner_task_ended();
  pass(300);
  (void)time.task_ended(begin);
  EXPECT_EQ(booked(time, activity::compute), 400 + 700 + 300);
  EXPECT_EQ(booked(time, activity::overhead), 10 + 20);
  expect_balance(time);
}

TEST_F(a_timekeeper, forgets_what_was_before_a_reset) {
  fresh_timekeeper time(false);
  task(time, 100, 500, true);
  time.reset(nothing_in_flight);
  task(time, 10, 40, true);
  EXPECT_EQ(booked(time, activity::compute), 40);
  EXPECT_EQ(booked(time, activity::overhead), 10);
  expect_balance(time);
}

TEST(sampled_overhead, an_interrupted_first_sample_is_forgotten_soon) {
  sampled_overhead usual;
  usual.learn(50'000'000);
  EXPECT_LE(usual.usual(), 4096);
  for (int i = 0; i < 16; ++i) usual.learn(100);
  EXPECT_LE(usual.usual(), 200);
}

TEST(sampled_overhead, an_interruption_later_counts_little) {
  sampled_overhead usual;
  for (int i = 0; i < 16; ++i) usual.learn(100);
  usual.learn(50'000'000);
  EXPECT_LE(usual.usual(), 130);
  for (int i = 0; i < 4; ++i) usual.learn(100);
  EXPECT_NEAR(static_cast<double>(usual.usual()), 100, 5);
}

TEST_F(a_timekeeper, an_interrupted_first_submission_does_not_take_the_programs_time) {
  fresh_timekeeper time(true);
  constexpr int submissions = 1600;
  constexpr ticks interruption = 50'000'000;
  for (int i = 0; i < submissions; ++i) {
    pass(9000);
    time.entered_to_submit(node_kind::compute);
    pass(i == 0 ? interruption : 100);
    time.left();
  }
  time.entered();
  const ticks overhead = booked(time, activity::overhead) - interruption;
  // Until it is forgotten, some samples of a period of submissions are owed too much.
  EXPECT_LE(overhead, 100 * submissions + sampled_overhead::period * 4 * 4096);
  expect_balance(time);
}

}  // namespace
