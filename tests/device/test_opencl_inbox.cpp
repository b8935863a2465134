// SPDX-License-Identifier: BSD-3-Clause
// What callbacks tell of a command that waits for another queue.
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "device/opencl/opencl_inbox.hpp"

namespace plait::test {
namespace {

using detail::opencl_inbox;
using detail::opencl_news;
namespace number = detail::cl_number;

constexpr device_queue queue = device_queue::compute;

/// A row of commands whose first waits, and no command of which has a callback at its end.
class row_behind_a_wait : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t i = 1; i <= 10; ++i)
      (void)inbox->add({.queue = queue, .number = i, .task = "k", .waits = i == 1});
  }
  /// Tells of the begin of the first one at once.
  template <std::int32_t Status>
  void tell_begin() {
    cl.clSetEventCallback = [](detail::cl_event of, std::int32_t, detail::cl_callback call,
                               void* data) {
      call(of, Status, data);
      return 0;
    };
    EXPECT_TRUE(inbox->ask_begin(cl, nullptr, queue, 1));
  }
  opencl_inbox::waking wake() {
    news.clear();
    return inbox->sleep(news, [] { return false; });
  }
  void expect_that_they_run() {
    ASSERT_EQ(news.size(), 1U);
    EXPECT_EQ(news[0].kind, opencl_news::kinds::began);
  }

  detail::opencl_functions cl;
  std::shared_ptr<opencl_inbox> inbox = std::make_shared<opencl_inbox>();
  std::vector<opencl_news> news;
};

TEST_F(row_behind_a_wait, runs_when_its_first_has_begun) {
  (void)wake();
  EXPECT_TRUE(news.empty());
  tell_begin<number::running>();
  EXPECT_EQ(wake().told[0], 0U);
  expect_that_they_run();
}

TEST_F(row_behind_a_wait, runs_too_when_the_driver_tells_of_a_begin_that_the_command_has_ended) {
  inbox->arm(queue, 1);
  tell_begin<number::complete>();
  EXPECT_EQ(wake().told[0], 1U);
  expect_that_they_run();
  EXPECT_TRUE(inbox->has_ended(queue, 1));
}

TEST_F(row_behind_a_wait, does_not_run_when_its_first_fails) {
  tell_begin<number::waited_for_failure>();
  EXPECT_EQ(wake().told[0], 0U);
  EXPECT_TRUE(news.empty());
}

TEST_F(row_behind_a_wait, learns_from_the_driver_that_nobody_tells_of_its_begin) {
  cl.clSetEventCallback = [](detail::cl_event, std::int32_t, detail::cl_callback, void*) {
    return -30;
  };
  EXPECT_FALSE(inbox->ask_begin(cl, nullptr, queue, 1));
  (void)wake();
  EXPECT_TRUE(news.empty());
}

}  // namespace
}  // namespace plait::test
