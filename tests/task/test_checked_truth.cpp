// SPDX-License-Identifier: BSD-3-Clause
// Checked mode gives no false alarm.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/scheduler.hpp>

#include "checked.hpp"

namespace plait::test {
namespace {

TEST(truth, every_access_word_and_waiting_pass) {
  std::vector<double> x(1000);
  double total = 0;
  int turns = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              for (int i = 0; i < 4; ++i) {
                s.task("touch", set_to_one, inout(std::span(x).subspan(250 * i, 250)));
                s.task(
                    "sum",
                    [](std::span<const double> some, double& mine, int& n) {
                      mine = std::accumulate(some.begin(), some.end(), 0.0);
                      ++n;
                    },
                    in(std::span(x).subspan(250 * i, 250)), plait::reduce(total),
                    plait::commutative(turns));
              }
              s.wait_on(total);
              EXPECT_EQ(s.task(
                             "twice", [](double t) { return 2 * t; }, in(total))
                            .result()
                            .get(),
                        2000);
            }),
            "nothing");
  EXPECT_EQ(turns, 4);
}

TEST(truth, tasks_may_use_memory_that_nobody_names) {
  std::vector<double> x(1000, 2.0), y(1000);
  std::string text;
  EXPECT_EQ(found([&](scheduler& s) {
              for (int round = 0; round < 20; ++round) {
                s.task(
                    "allocates",
                    [&text](const std::vector<double>& from, std::vector<double>& to) {
                      std::vector<double> copy(from);
                      std::vector<std::string> words;
                      for (double each : copy) words.push_back("number " + std::to_string(each));
                      std::sort(words.begin(), words.end());
                      text = words.front();
                      std::copy(copy.begin(), copy.end(), to.begin());
                      std::function<double(int)> sum = [&](int n) {
                        return n < 0 ? 0.0 : to[static_cast<std::size_t>(n)] + sum(n - 1);
                      };
                      if (sum(999) != 2000.0) throw std::runtime_error("wrong sum");
                    },
                    in(x), out(y));
                s.task(
                    "scales",
                    [](std::vector<double>& v) {
                      for (double& each : v) each *= 1;
                    },
                    inout(x));
              }
            }),
            "nothing");
  EXPECT_EQ(text, "number 2.000000");
}

TEST(truth, memory_freed_after_wait_may_be_used_by_tasks) {
  scheduler s{{.checked = true}};
  for (const std::size_t count : {100U, 100'000U}) {
    auto data = std::make_unique<std::vector<int>>(count, 1);
    s.task(
        "old", [](auto&) {}, inout(*data));
    s.wait();
    data.reset();
    int sum = 0;
    s.task(
        "new",
        [count](int& to) {
          const std::vector<int> same_place(count, 1);
          to = std::accumulate(same_place.begin(), same_place.end(), 0);
        },
        out(sum));
    s.wait();
    EXPECT_EQ(sum, static_cast<int>(count));
  }
}

TEST(truth, exceptions_pass_through_and_inside_of_tasks) {
  scheduler s{{.checked = true}};
  int x = 0;
  int y = 0;
  s.task(
      "other", [](int&) {}, out(y));
  s.task(
      "throws",
      [](int& to) {
        try {
          throw std::string("inside");
        } catch (const std::string& text) {
          to = static_cast<int>(text.size());
        }
        throw std::runtime_error("outside");
      },
      out(x));
  try {
    s.wait();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "outside");
  }
  EXPECT_EQ(x, 6);
}

TEST(truth, a_lie_is_told_before_what_the_task_throws) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "owner", [](auto&) {}, out(x));
              s.task(
                  "lies",
                  [&](auto&) {
                    store(&x[0], 4);
                    throw std::runtime_error("too late");
                  },
                  out(y));
            }),
            "task 'lies' writes bytes 0 to 3 of what task 'owner' names as its access 1 (out), "
            "without an access to it; then it threw: too late");
}

TEST(truth, tasks_may_call_the_system) {
  std::vector<char> x(6000, 'x'), y(6000), z(100);
  const auto program = [&](scheduler& s) {
    s.task(
        "other", [](auto&) {}, out(z));
    s.task(
        "calls",
        [](const std::vector<char>& from, std::vector<char>& to) {
          std::FILE* file = std::tmpfile();
          ASSERT_NE(file, nullptr);
          ASSERT_EQ(std::fwrite(from.data(), 1, from.size(), file), from.size());
          std::rewind(file);
          ASSERT_EQ(std::fread(to.data(), 1, to.size(), file), to.size());
          std::fclose(file);
          sigset_t every;
          sigset_t before;
          sigfillset(&every);
          ASSERT_EQ(sigprocmask(SIG_BLOCK, &every, &before), 0);
          for (char& each : to) each = static_cast<char>(each + 1);
          ASSERT_EQ(sigprocmask(SIG_SETMASK, &before, &every), 0);
          EXPECT_EQ(sigismember(&every, SIGINT), 1);
          EXPECT_EQ(sigismember(&before, SIGINT), 0);
          std::this_thread::sleep_for(std::chrono::microseconds(10));
        },
        in(x), out(y));
  };
  EXPECT_EQ(found(program), "nothing");
  EXPECT_EQ(std::count(y.begin(), y.end(), 'y'), 6000);
}

TEST(truth, a_task_may_start_processes_and_threads) {
  std::vector<int> x(10), y(10);
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "other", [](auto&) {}, out(y));
              s.task(
                  "process", [](auto& to) { to[0] = std::system("exit 3"); }, inout(x));
              s.task(
                  "thread", [](auto& to) { std::thread([&to] { to[1] = 4; }).join(); }, inout(x));
            }),
            "nothing");
  EXPECT_EQ(WEXITSTATUS(x[0]), 3);
  EXPECT_EQ(x[1], 4);
}

TEST(truth, other_threads_of_the_program_may_touch_what_they_like) {
  const pages memory(1);
  auto* const count = new (memory.data) std::atomic<std::uint64_t>(0);
  const auto x = memory.as<std::uint64_t>(64, 8);
  const auto y = memory.as<std::uint64_t>(128, 8);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      ++*count;
      store(&y[7], load(&x[7]));
    }
  });
  EXPECT_EQ(found([&](scheduler& s) {
              for (int i = 0; i < 300; ++i) {
                s.task(
                    "x", [](auto to) { store(&to[0], load(&to[0]) + 1); }, inout(x));
                s.task(
                    "y", [](auto to) { store(&to[0], load(&to[0]) + 1); }, inout(y));
              }
            }),
            "nothing");
  stop = true;
  other.join();
  EXPECT_EQ(x[0], 300U);
  EXPECT_EQ(y[0], 300U);
  EXPECT_GT(count->load(), 0U);
}

TEST(truth, strings_that_lie_side_by_side_may_be_read) {
  const pages memory(1);
  std::strcpy(reinterpret_cast<char*>(memory.data) + 100, "a string");
  const auto text = memory.as<char>(100, 9);
  const auto before = memory.as<char>(0, 100);
  const auto behind = memory.as<char>(109, 300);
  std::size_t length = 0;
  EXPECT_EQ(found([&](scheduler& s) {
              s.task(
                  "neighbours", [](auto, auto) {}, out(before, behind));
              s.task(
                  "reads",
                  [](std::span<const char> t, std::size_t& n) {
                    n = std::strlen(t.data());
                    if (std::strchr(t.data(), 'i') != t.data() + 5) n = 0;
                    if (std::memchr(t.data(), 'n', t.size()) == nullptr) n = 0;
                    if (std::strcmp(t.data(), "a string") != 0) n = 0;
                    if (std::string(t.data()) != "a string") n = 0;
                  },
                  in(text), out(length));
            }),
            "nothing");
  EXPECT_EQ(length, 8U);
}

TEST(truth, what_has_been_waited_for_may_be_freed) {
  scheduler s{{.checked = true}};
  std::vector<int> y(10);
  for (int round = 0; round < 3; ++round) {
    auto data = std::make_unique<std::vector<int>>(5000, 1);
    s.task(
        "old", [](auto&) {}, inout(*data));
    s.wait_on(*data);
    data.reset();
    s.task(
        "new", [](auto& to) { to[0] += std::vector<int>(5000, 3)[4999]; }, inout(y));
  }
  s.wait();
  EXPECT_EQ(y[0], 9);
}

}  // namespace
}  // namespace plait::test
