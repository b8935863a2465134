// SPDX-License-Identifier: BSD-3-Clause
// A test that hangs, for the tests of the test main.
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

TEST(faulty, hangs) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  never.wait(lock, [] { return false; });
}
