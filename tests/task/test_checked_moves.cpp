// SPDX-License-Identifier: BSD-3-Clause
// Checked mode: tasks that name memory which is gone when they run, because it was freed or because
// a container was moved or resized, are found before they touch it.
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"

namespace plait::test {
namespace {

using numbers = std::vector<double>;

void touch(std::span<double> x) {
  for (double& one : x) one += 1;
}
void read(const numbers& x) {
  for (const double& one : x) (void)*const_cast<const volatile double*>(&one);
}

TEST(checked_moves, a_recorded_span_of_a_vector_that_was_reallocated_is_found_before_it_is_used) {
  numbers a(100, 1.0);
  const std::string text = found([&](scheduler& s) {
    auto twice = s.record([&] { s.task("twice", touch, inout(std::span(a))); });
    s.replay(twice, 2);
    s.wait();
    a.resize(100'000);
    s.replay(twice, 1);
  });
  EXPECT_EQ(text,
            "task 'twice' names memory as its access 1 that the program has freed since it was "
            "recorded");
}

TEST(checked_moves, memory_freed_while_a_task_in_flight_names_it_is_found) {
  const std::string text = found([&](scheduler& s) {
    auto data = std::make_unique<double[]>(1000);
    s.task("late", touch, inout(std::span(data.get(), 1000)));
    data.reset();
  });
  EXPECT_EQ(text,
            "task 'late' names memory as its access 1 that the program has freed since it was "
            "submitted");
}

TEST(checked_moves, memory_that_realloc_has_moved_is_found) {
  auto* data = static_cast<double*>(std::malloc(100 * sizeof(double)));
  const std::string text = found([&](scheduler& s) {
    s.task("late", touch, inout(std::span(data, 100)));
    data = static_cast<double*>(std::realloc(data, 1 << 24));
  });
  std::free(data);
  EXPECT_NE(text.find("task 'late' names memory as its access 1 that the program has freed"),
            std::string::npos)
      << text;
}

TEST(checked_moves, vectors_that_the_program_swaps_between_submissions_are_found) {
  numbers u(100, 1.0);
  numbers v(100, 2.0);
  const std::string text = found([&](scheduler& s) {
    s.task(
        "step", [](const numbers& from, numbers& to) { to = from; }, in(u), out(v));
    std::swap(u, v);
    s.task(
        "step", [](const numbers& from, numbers& to) { to = from; }, in(u), out(v));
  });
  EXPECT_NE(text.find("task 'step' names a container as its access 1 that the program has moved"),
            std::string::npos)
      << text;
}

TEST(checked_moves, swapping_spans_or_swapping_after_a_wait_is_no_mistake) {
  numbers u(100, 1.0);
  numbers v(100, 2.0);
  EXPECT_EQ(found([&](scheduler& s) {
              std::span<double> from(u);
              std::span<double> to(v);
              for (int i = 0; i < 4; ++i) {
                s.task("step", touch, inout(to)).also(in(from));
                std::swap(from, to);
              }
              s.wait();
              std::swap(u, v);
              s.task("read", read, in(u));
            }),
            "nothing");
}

TEST(checked_moves, tasks_may_resize_what_they_write) {
  numbers v;
  double sum = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "fill", [](numbers& to) { to.assign(1000, 1.0); }, out(v));
              for (int i = 0; i < 10; ++i) {
                s.task(
                    "append", [](numbers& to) { to.push_back(1.0); }, commutative(v));
              }
              s.task(
                  "sum",
                  [](const numbers& x, double& to) {
                    for (const double one : x) to += one;
                  },
                  in(v), inout(sum));
            }),
            "nothing");
  EXPECT_EQ(sum, 1010);
}

TEST(checked_moves, a_replay_may_resize_what_it_names) {
  numbers v;
  EXPECT_EQ(found([&](scheduler& s) {
              auto grow = s.record([&] {
                s.task(
                    "append", [](numbers& to) { to.push_back(1.0); }, inout(v));
                s.task("read", read, in(v));
              });
              s.replay(grow, 40);
              s.replay(grow, 40);
            }),
            "nothing");
  EXPECT_EQ(v.size(), 80);
}

TEST(checked_moves, a_span_of_elements_that_an_earlier_task_has_moved_is_found) {
  numbers v(100, 1.0);
  const std::string text = found([&](scheduler& s) {
    s.task(
        "grow", [](numbers& to) { to.resize(100'000); }, inout(v));
    s.task("touch", touch, inout(std::span(v)));
  });
  EXPECT_EQ(text,
            "task 'touch' names memory as its access 1 that task 'grow' has freed since it was "
            "submitted");
}

TEST(checked_moves, a_span_of_elements_that_an_earlier_task_has_removed_is_found) {
  numbers v(100, 1.0);
  const std::string text = found([&](scheduler& s) {
    s.task(
        "shrink", [](numbers& to) { to.resize(10); }, inout(v));
    s.task("touch", touch, inout(std::span(v).subspan(50)));
  });
  EXPECT_EQ(text,
            "task 'touch' names memory as its access 1 that task 'shrink' has moved or removed "
            "since it was submitted");
}

TEST(checked_moves, what_a_task_puts_in_a_container_is_held_against_others) {
  numbers v;
  const std::string text = found([&](scheduler& s) {
    s.task(
        "fill", [](numbers& to) { to.assign(100, 1.0); }, out(v));
    s.task("lie", [&v] { (void)*const_cast<volatile double*>(v.data()); });
  });
  EXPECT_NE(text.find("task 'lie' reads"), std::string::npos) << text;
  EXPECT_NE(text.find("of what task 'fill' names as its access 1"), std::string::npos) << text;
}

TEST(checked_moves, memory_that_finished_tasks_named_is_anybodys_once_it_is_freed) {
  EXPECT_EQ(found([&](scheduler& s) {
              auto data = std::make_unique<numbers>(100, 1.0);
              s.task("touch", touch, inout(std::span(*data))).result().get();
              data.reset();
              s.task("own", [] {
                numbers mine(100, 1.0);
                touch(mine);
              });
            }),
            "nothing");
}

TEST(checked_moves, a_graph_whose_memory_is_freed_after_its_last_replay_is_no_mistake) {
  EXPECT_EQ(found([&](scheduler& s) {
              auto data = std::make_unique<numbers>(100, 1.0);
              auto graph = s.record([&] { s.task("touch", touch, inout(std::span(*data))); });
              s.replay(graph, 3);
              s.wait();
              data.reset();
              s.task("other", [] {});
            }),
            "nothing");
}

}  // namespace
}  // namespace plait::test
