// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "attach/progress/token.hpp"
#include "attach/progress/wakes.hpp"

namespace {

/// Not atomic: two threads at once would lose counts, and ThreadSanitizer would say so.
struct guarded {
  plait::attach::look_token token;
  long count = 0;
  long others[8] = {};
};

void work_inside(guarded& data, long turn) {
  ++data.count;
  data.others[turn % 8] = data.count;
}

/// The program's threads call MPI in turns, as at MPI_THREAD_SERIALIZED, and the progress thread
/// tries beside them.  Nobody is left asleep.
void check_exclusion() {
  guarded data;
  constexpr long turns = 20'000;
  std::atomic<bool> is_over{false};
  std::atomic<long> looks{0};
  std::thread progress([&] {
    while (!is_over.load()) {
      if (!data.token.try_look()) {
        std::this_thread::yield();
        continue;
      }
      work_inside(data, ++looks);
      data.token.looked();
    }
  });
  std::mutex turn_of_one;
  std::vector<std::thread> program;
  for (int i = 0; i < 2; ++i) {
    program.emplace_back([&] {
      for (long turn = 0; turn < turns; ++turn) {
        const std::scoped_lock lock(turn_of_one);
        data.token.acquire();
        work_inside(data, turn);
        data.token.release();
        if (turn % 64 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& one : program) one.join();
  while (looks.load() == 0) std::this_thread::yield();
  is_over.store(true);
  progress.join();
  EXPECT_EQ(data.count, 2 * turns + looks.load());
}

TEST(token, a_program_and_its_progress_thread_exclude_each_other) {
  plait::attach::kernel_orders_threads = false;
  check_exclusion();
}

TEST(token, a_program_of_plain_stores_and_its_progress_thread_exclude_each_other) {
  plait::attach::ask_kernel_to_order_threads();
  check_exclusion();
}

TEST(token, no_look_begins_while_the_program_is_inside) {
  plait::attach::look_token token;
  token.acquire();
  EXPECT_FALSE(token.try_look());
  token.release();
  ASSERT_TRUE(token.try_look());
  token.looked();
}

TEST(token, no_look_begins_once_the_token_is_closed_whoever_is_inside) {
  plait::attach::look_token token;
  token.acquire();
  token.close();
  token.release();
  EXPECT_FALSE(token.try_look());
}

TEST(token, it_is_taken_while_the_program_is_in_mpi) {
  plait::attach::look_token token;
  EXPECT_FALSE(token.is_taken());
  token.acquire();
  EXPECT_TRUE(token.is_taken());
  EXPECT_FALSE(token.try_look());
  token.release();
  EXPECT_FALSE(token.is_taken());
}

/// The program posts while the progress thread falls asleep: it is woken, or has seen the post.
TEST(wakes, no_post_is_lost_while_the_progress_thread_falls_asleep) {
  plait::attach::ask_kernel_to_order_threads();
  plait::sleeper sleep;
  plait::attach::wakes news;
  news.wakes_up(&sleep);
  constexpr std::uint64_t turns = 20'000;
  std::atomic<std::uint64_t> seen{0};
  std::thread progress([&] {
    while (!sleep.is_stopped()) {
      sleep.rest([&] {
        plait::attach::order_other_threads();
        return news.posts() == seen.load();
      });
      seen.store(news.posts());
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  bool is_lost = false;
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    news.posted(true);
    news.completed();
    while (turn % 16 == 0 && seen.load() < turn && !is_lost) {
      std::this_thread::yield();
      is_lost = std::chrono::steady_clock::now() > end;
    }
  }
  sleep.stop();
  progress.join();
  EXPECT_FALSE(is_lost);
  EXPECT_EQ(news.posts(), turns);
  EXPECT_EQ(news.in_flight(), 0);
}

}  // namespace
