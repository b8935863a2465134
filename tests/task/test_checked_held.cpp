// SPDX-License-Identifier: BSD-3-Clause
// Checked mode of tasks that others finish: another thread uses what such a task declares, while
// bodies run from which it is forbidden.
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"
#include "support/late_threads.hpp"

namespace plait::test {
namespace {

TEST(checked_held, another_thread_writes_while_other_bodies_run) {
  pages memory(3);
  const auto x = memory.as<int>(0, 16);  // short, and on the pages of others
  const auto large = memory.as<int>(4096, 1024);
  const auto y = memory.as<int>(2048, 16);
  const auto z = memory.as<int>(8192, 16);
  late_threads others(1);
  std::atomic<bool> written{false};
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "held",
                  [&](std::span<int> small, std::span<int> big, hold until) {
                    store(&small[0], 1);
                    others.call_in(std::chrono::milliseconds(3),
                                   [&written, small, big, kept = std::move(until)]() mutable {
                                     for (int& one : small) store(&one, load(&one) + 1);
                                     for (int& one : big) store(&one, 7);
                                     kept.release();
                                     written = true;
                                   });
                  },
                  inout(x), out(large), plait::held);
              s.task(
                  "other",
                  [&written](std::span<int> own, std::span<int> far) {
                    while (!written) store(&own[1], 3);
                    store(&far[0], 4);
                  },
                  out(y), out(z));
              s.task(
                  "next",
                  [](std::span<const int> small, std::span<const int> big, std::span<int> to) {
                    store(&to[0], load(&small[0]) + load(&small[1]) + load(&big[1023]));
                  },
                  in(x), in(large), out(z));
            }),
            "nothing");
  EXPECT_EQ(z[0], 10);
}

TEST(checked_held, its_function_is_checked_and_so_is_what_follows) {
  pages memory(2);
  const auto x = memory.as<int>(0, 16);
  const auto y = memory.as<int>(4096, 16);
  late_threads others(1);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task(
            "y", [](std::span<int>) {}, out(y));
        s.task(
            "held",
            [&](std::span<int>, hold until) {
              store(&y[0], 1);
              others.call_in(std::chrono::microseconds(100),
                             [kept = std::move(until)]() mutable { kept.release(); });
            },
            inout(x), plait::held);
      }),
      "task 'held' writes bytes 0 to 3 of what task 'y' names as its access 1 (out), without an "
      "access to it");
  const auto w = memory.as<int>(2048, 4);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                   "held",
                   [&](std::span<int>, hold until) {
                     others.call_in(std::chrono::microseconds(100),
                                    [kept = std::move(until)]() mutable { kept.release(); });
                   },
                   inout(x), plait::held)
                  .also(in(w));
              s.task(
                   "late", [&](std::span<int>) { store(&x[1], 2); }, out(y))
                  .also(out(w));  // it begins when the other is held no more
            }),
            "task 'late' writes bytes 4 to 7 of what task 'held' names as its access 1 (inout), "
            "without an access to it");
}

}  // namespace
}  // namespace plait::test
