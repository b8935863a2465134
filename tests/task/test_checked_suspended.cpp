// SPDX-License-Identifier: BSD-3-Clause
// Checked mode of tasks that are suspended, replayed or submitted by tasks.
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"

namespace plait::test {
namespace {

TEST(suspended, a_task_is_checked_before_and_after_and_not_for_what_others_do_meanwhile) {
  std::vector<int> x(10), y(10), z(10);
  EXPECT_EQ(
      found([&](scheduler& s) {
        s.task(
            "z", [](auto&) {}, out(z));
        s.task(
            "suspended",
            [&](auto& to) {
              store(&z[0], 1);
              struct resumed_at_once : plait::suspension {
                scheduler* by;
              } next{{[](plait::suspension& self, plait::detail::task_node& node) {
                       static_cast<resumed_at_once&>(self).by->resume(node);
                     }},
                     &s};
              s.suspend(next);
              to[0] = load(&y[2]);
              store(&z[1], 1);
            },
            inout(x));
        s.task(
            "y", [](auto& to) { to[1] = 1; }, out(y));
      }),
      "task 'suspended' reads bytes 8 to 11 of what task 'y' names as its access 1 (out), without "
      "an access to it; it writes bytes 0 to 7 of what task 'z' names as its access 1 (out), "
      "without an access to it");
}

TEST(suspended, checks_pause_for_calls_that_touch_anybodys_data) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "y", [](auto&) {}, out(y));
              s.task(
                  "pauses",
                  [&](auto&) {
                    scheduler::pause_checks(true);
                    scheduler::pause_checks(true);
                    store(&y[0], 1);
                    scheduler::pause_checks(false);
                    store(&y[1], 1);
                    scheduler::pause_checks(false);
                    store(&y[2], 1);
                  },
                  inout(x));
            }),
            "task 'pauses' writes bytes 8 to 11 of what task 'y' names as its access 1 (out), "
            "without an access to it");
}

TEST(replayed, tasks_are_checked_in_each_iteration) {
  scheduler s{{.checked = true}};
  std::vector<int> x(10), y(10);
  int round = 0;
  plait::graph both = s.record([&] {
    s.task(
        "x", [](auto& to) { ++to[0]; }, inout(x));
    s.task(
        "y",
        [&](auto& to) {
          ++to[0];
          if (round++ == 7) store(&x[3], 1);
        },
        inout(y));
  });
  s.replay(both, 5);
  s.wait();
  EXPECT_EQ(x[0], 5);
  EXPECT_EQ(y[0], 5);
  s.replay(both, 5);
  EXPECT_THROW(
      {
        try {
          s.wait();
        } catch (const plait::access_error& e) {
          EXPECT_STREQ(e.what(),
                       "task 'y' writes bytes 12 to 15 of what task 'x' names as its access 1 "
                       "(inout), without an access to it");
          throw;
        }
      },
      plait::access_error);
}

TEST(replayed, the_last_task_before_that_names_memory_is_named) {
  scheduler s{{.checked = true}};
  std::vector<int> x(10), y(10);
  plait::graph all = s.record([&] {
    s.task(
        "reads", [](const auto&) {}, in(x));
    s.task(
        "writes", [](auto& to) { ++to[0]; }, inout(x));
    s.task(
        "bad", [&](auto&) { store(&x[3], 1); }, inout(y));
  });
  s.replay(all, 1);
  std::string why;
  try {
    s.wait();
  } catch (const plait::access_error& e) {
    why = e.what();
  }
  EXPECT_NE(why.find("of what task 'writes' names"), std::string::npos) << why;
}

TEST(family, what_a_task_submits_is_checked_and_names_nothing_for_others) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "y", [](auto&) {}, inout(y));
              s.task(
                  "parent",
                  [&](auto& mine) {
                    std::vector<int> local(10);
                    s.task(
                        "honest", [](int& to) { store(&to, 1); }, out(mine[0]));
                    s.task(
                        "liar", [&](int&) { store(&y[1], 1); }, out(mine[1]));
                    s.task(
                        "of its own", [](auto) {}, inout(std::span(local)));
                    store(&local[0], 1);
                  },
                  inout(x));
            }),
            "task 'liar' writes bytes 4 to 7 of what task 'y' names as its access 1 (inout), "
            "without an access to it");
}

}  // namespace
}  // namespace plait::test
