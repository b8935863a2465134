// SPDX-License-Identifier: BSD-3-Clause
// Containers that tasks get as T& and resize: whoever names the container is ordered by the object
// itself, whatever elements it had when the task was submitted.
#include <array>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/task/scheduler.hpp>

namespace {

using plait::commutative;
using plait::in;
using plait::inout;
using plait::out;
using plait::reduce;
using plait::scheduler;

using numbers = std::vector<double>;

double sum_of(const numbers& v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

/// With one worker what is urgent runs first, unless it has to wait.
TEST(containers, a_task_that_reads_a_vector_follows_one_that_fills_the_empty_vector) {
  scheduler s{{.workers = 1}};
  numbers v;
  double sum = 0;
  s.task(
      "fill", [](numbers& to) { to.assign(10, 1.0); }, out(v));
  s.task(
       "sum", [](const numbers& x, double& to) { to = sum_of(x); }, in(v), out(sum))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(sum, 10);
}

TEST(containers, tasks_that_append_to_an_empty_vector_keep_their_order) {
  scheduler s{{.workers = 1}};
  std::vector<int> v;
  for (int i = 0; i < 100; ++i) {
    s.task(
         "append", [](std::vector<int>& to, int n) { to.push_back(n); }, inout(v), i)
        .priority(i % 2 == 0 ? plait::low : plait::high);
  }
  s.wait();
  ASSERT_EQ(v.size(), 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(v[static_cast<std::size_t>(i)], i);
}

TEST(containers, a_string_is_a_container) {
  scheduler s{{.workers = 1}};
  std::string text;
  for (const char* word : {"in ", "the ", "order ", "of ", "submission, longer than it fits "}) {
    s.task(
         "append", [](std::string& to, const char* more) { to += more; }, inout(text), word)
        .priority(word[0] == 't' ? plait::high : plait::normal);
  }
  std::size_t length = 0;
  s.task(
       "length", [](const std::string& of, std::size_t& to) { to = of.size(); }, in(text),
       out(length))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(text, "in the order of submission, longer than it fits ");
  EXPECT_EQ(length, text.size());
}

TEST(containers, an_access_that_is_not_passed_covers_the_object_too) {
  scheduler s{{.workers = 1}};
  numbers v;
  double sum = 0;
  s.task("fill", [&v] { v.assign(10, 1.0); }).also(out(v));
  s.task("sum", [&v, &sum] { sum = sum_of(v); }).also(in(v)).also(out(sum)).priority(plait::high);
  s.wait();
  EXPECT_EQ(sum, 10);
}

TEST(containers, a_reduction_has_as_many_elements_as_when_it_runs) {
  scheduler s{{.workers = 2}};
  numbers bins;
  s.task(
      "make", [](numbers& to) { to.assign(8, 1.0); }, out(bins));
  for (int i = 0; i < 16; ++i) {
    s.task(
         "count",
         [](std::span<double> mine, int n) {
           ASSERT_EQ(mine.size(), 8);
           mine[static_cast<std::size_t>(n % 8)] += 1;
         },
         reduce(bins), i)
        .priority(plait::high);
  }
  s.wait();
  EXPECT_EQ(bins, numbers(8, 3.0));
}

TEST(containers, those_who_wait_for_a_vector_wait_for_its_elements_too) {
  scheduler s{{.workers = 2}};
  numbers v;
  s.task(
      "fill", [](numbers& to) { to.assign(1000, 1.0); }, out(v));
  s.wait_on(v);
  ASSERT_EQ(v.size(), 1000);
  s.task(
      "scale",
      [](std::span<double> some) {
        for (double& one : some) one *= 2;
      },
      inout(std::span(v).subspan(500)));
  s.wait_on(v);
  EXPECT_EQ(sum_of(v), 1500);
}

TEST(containers, a_task_that_names_a_vector_follows_one_that_names_a_span_of_it) {
  scheduler s{{.workers = 1}};
  numbers v(10, 1.0);
  double sum = 0;
  s.task(
      "scale", [](numbers& all) { all[0] = 5; }, inout(v));  // v is not read while it may change
  s.task(
      "part", [](std::span<double> some) { some[0] = 7; }, inout(std::span(v).subspan(9)));
  s.task(
       "sum", [](const numbers& x, double& to) { to = sum_of(x); }, in(v), out(sum))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(sum, 5 + 8 + 7);
}

TEST(containers, an_array_that_holds_its_elements_is_one_piece_of_memory) {
  scheduler s{{.workers = 1}};
  std::array<double, 4> a{};
  double plain[4] = {};
  s.task(
      "fill", [](std::array<double, 4>& x, double(&y)[4]) { x[1] = y[1] = 1; }, inout(a, plain));
  double sum = 0;
  s.task(
       "sum", [](double x, double y, double& to) { to = x + y; }, 0.0, 0.0, out(sum))
      .also(in(a[1], plain[1]));
  s.task(
       "later", [](const double& x, const double& y, double& to) { to = x + y; },
       in(a[1], plain[1]), inout(sum))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(sum, 2);
}

TEST(containers, children_resize_what_their_parent_names) {
  scheduler s{{.workers = 2}};
  numbers v;
  double sum = 0;
  s.task(
      "parent",
      [&s](numbers& all) {
        s.task(
            "grow", [](numbers& it) { it.resize(20, 1.0); }, inout(all));
        for (int i = 0; i < 10; ++i) {
          s.task(
               "add", [](numbers& it, int n) { it.push_back(n); }, commutative(all), i)
              .priority(plait::high);
        }
      },
      inout(v));
  s.task(
       "sum", [](const numbers& x, double& to) { to = sum_of(x); }, in(v), out(sum))
      .priority(plait::high);
  s.wait();
  EXPECT_EQ(sum, 20 + 45);
}

TEST(containers, a_replay_may_resize_what_it_names) {
  scheduler s{{.workers = 2}};
  numbers v;
  std::vector<double> sums;
  auto grow = s.record([&] {
    s.task(
        "append", [](numbers& to) { to.push_back(1.0); }, inout(v));
    s.task(
         "sum", [](const numbers& x, std::vector<double>& to) { to.push_back(sum_of(x)); }, in(v),
         commutative(sums))
        .priority(plait::high);
  });
  s.replay(grow, 50);
  s.replay(grow, 50);
  s.wait();
  ASSERT_EQ(sums.size(), 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(sums[i], static_cast<double>(i + 1));
  v.clear();  // but not between replays
  EXPECT_THROW(s.replay(grow, 1), plait::usage_error);
}

TEST(containers, a_recording_may_follow_tasks_in_flight_that_resize) {
  scheduler s{{.workers = 2}};
  numbers v;
  double sum = 0;
  s.task(
      "fill", [](numbers& to) { to.assign(100'000, 2.0); }, out(v));
  auto add_up = s.record([&] {
    s.task(
        "sum", [](const numbers& x, double& to) { to += sum_of(x); }, in(v), inout(sum));
  });
  s.replay(add_up, 2);
  s.wait();
  EXPECT_EQ(sum, 400'000);
  v.push_back(1);
  EXPECT_THROW(s.replay(add_up, 1), plait::usage_error);
}

/// Tasks that resize and read a few vectors, in any way, on several workers.
TEST(containers, random_programs_give_what_their_order_of_submission_gives) {
  std::mt19937 random(20261123);
  const auto below = [&random](std::size_t n) { return random() % n; };
  for (int program = 0; program < 200; ++program) {
    constexpr std::size_t kinds = 3;
    std::array<std::vector<long>, kinds> expected;
    std::array<std::vector<long>, kinds> found;
    std::vector<long> expected_sums(60);
    std::vector<long> found_sums(60);
    scheduler s{{.workers = 1 + program % 3, .in_flight = 1 + below(30)}};
    for (long i = 0; i < 60; ++i) {
      const std::size_t k = below(kinds);
      std::vector<long>& v = found[k];
      std::vector<long>& model = expected[k];
      const auto urgency = static_cast<plait::priority>(below(3));
      const auto apply = [&](auto change) {
        change(model, i);
        s.task("change", change, inout(v), i).priority(urgency);
      };
      switch (below(5)) {
        case 0:
          apply([](std::vector<long>& it, long n) { it.push_back(n); });
          break;
        case 1:
          apply([](std::vector<long>& it, long n) {
            it.assign(static_cast<std::size_t>(n % 7) * 5, n);
          });
          break;
        case 2:
          apply([](std::vector<long>& it, long) {
            it.clear();
            it.shrink_to_fit();
          });
          break;
        default: {
          const auto total = [](const std::vector<long>& it, long& to) {
            to = std::accumulate(it.begin(), it.end(), static_cast<long>(it.size()));
          };
          total(model, expected_sums[static_cast<std::size_t>(i)]);
          s.task("total", total, in(v), out(found_sums[static_cast<std::size_t>(i)]))
              .priority(urgency);
        }
      }
    }
    s.wait();
    EXPECT_EQ(found, expected) << "program " << program;
    EXPECT_EQ(found_sums, expected_sums) << "program " << program;
  }
}

}  // namespace
