// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "attach/token.hpp"

namespace {

/// Not atomic: two threads at once would lose counts, and ThreadSanitizer would say so.
struct guarded {
  plait::attach::futex_token token;
  long count = 0;
  long others[8] = {};
};

void work_inside(guarded& data, long turn) {
  ++data.count;
  data.others[turn % 8] = data.count;
}

TEST(token, threads_that_wait_exclude_each_other) {
  guarded data;
  constexpr long turns = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (long turn = 0; turn < turns; ++turn) {
        data.token.acquire();
        work_inside(data, turn);
        data.token.release();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(data.count, 4 * turns);
}

/// The progress thread tries the token beside a program that waits for it.  When it lets go, nobody
/// is left asleep.
TEST(token, a_thread_that_tries_beside_threads_that_wait_wakes_them) {
  guarded data;
  constexpr long turns = 20'000;
  std::atomic<bool> is_over{false};
  long tries = 0;
  std::thread looks([&] {
    while (!is_over.load()) {
      if (!data.token.try_acquire()) {
        std::this_thread::yield();
        continue;
      }
      work_inside(data, ++tries);
      data.token.release();
    }
  });
  std::vector<std::thread> program;
  for (int i = 0; i < 2; ++i) {
    program.emplace_back([&] {
      for (long turn = 0; turn < turns; ++turn) {
        data.token.acquire();
        work_inside(data, turn);
        data.token.release();
      }
    });
  }
  for (std::thread& one : program) one.join();
  is_over.store(true);
  looks.join();
  EXPECT_EQ(data.count, 2 * turns + tries);
}

TEST(token, a_token_that_is_held_is_not_had_by_trying) {
  plait::attach::futex_token token;
  ASSERT_TRUE(token.try_acquire());
  EXPECT_FALSE(token.try_acquire());
  token.release();
  EXPECT_TRUE(token.try_acquire());
}

}  // namespace
