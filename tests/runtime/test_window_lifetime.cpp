// SPDX-License-Identifier: BSD-3-Clause
// Windows are made, serve other ranks while theirs is busy, end, and survive failures.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/runtime/runtime.hpp>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

void fill(std::span<int> x, int value) {
  std::ranges::fill(x, value);
}

TEST(window, answers_while_the_program_of_its_rank_computes) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  runtime rt{env, {.engine = {.policy = progress::sleeping}, .tasks = {.workers = 2}}};
  std::vector<int> own(50'000, env.rank());
  auto w = rt.window(own);
  if (env.rank() == 0) {
    std::vector<int> theirs(50'000, -1);
    rt.get("theirs", w, 1, 0, out(theirs));
    rt.signal("leave", w, 1, in(theirs));
    rt.wait();
    EXPECT_EQ(theirs[49'999], 1);
  } else if (env.rank() == 1) {
    // The program calls nothing of plait's until rank 0 has got what it wants; the other worker,
    // which does not poll with this policy, tells it.
    std::atomic<bool> told{false};
    bool signal = false;
    rt.await_signal("leave", w, 0, out(signal));
    rt.task(
        "tell", [&told](bool) { told.store(true); }, in(signal));
    while (!told.load()) std::this_thread::yield();
    rt.wait();
  }
}

TEST(window, ends_when_the_other_ranks_have_finished_with_it) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  for (int i = 0; i < 20; ++i) {
    std::vector<int> own(1000, env.rank() + i);
    std::vector<int> theirs(1000);
    {
      auto w = rt.window(own);
      const int next = (env.rank() + 1) % env.size();
      rt.get("theirs", w, next, 0, out(theirs));
    }
    EXPECT_EQ(theirs[999], (env.rank() + 1) % env.size() + i);
  }
}

TEST(window, is_made_while_tasks_that_other_ranks_wait_for_have_not_run) {
  environment& env = test_environment();
  runtime rt{env, {.engine = {.policy = progress::none}, .tasks = {.workers = 1}}};
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  std::vector<int> mine(1000);
  std::vector<int> theirs(1000);
  std::vector<int> own(10);
  rt.recv("ghost", out(theirs), before);
  rt.task("fill", fill, out(std::span(mine)), env.rank());
  rt.send("edge", in(mine), next);
  if (env.rank() == 0) rt.wait_on(theirs);  // the others are in `window` by then, perhaps
  auto w = rt.window(own);
  rt.wait();
  EXPECT_EQ(theirs[7], before);
}

/// Address space in use, in bytes.
rlim_t used_addresses() {
  std::ifstream of_this_process("/proc/self/statm");
  rlim_t pages = 0;
  of_this_process >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

TEST(window, that_one_rank_has_no_addresses_for_is_an_error_on_all) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  constexpr std::size_t size = std::size_t{8} << 30;
  void* const begin =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(begin, MAP_FAILED);
  const bool last = env.rank() == env.size() - 1;
  rlimit old{};
  ::getrlimit(RLIMIT_AS, &old);
  if (last) {
    const rlimit less{used_addresses() + size / 4, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  }
  std::string refused = "accepted";
  try {
    auto w = rt.window(std::span(static_cast<char*>(begin), env.rank() == 0 ? size : 0));
  } catch (const error& e) {
    refused = e.what();
  }
  if (last) ::setrlimit(RLIMIT_AS, &old);
  ::munmap(begin, size);
  EXPECT_EQ(refused.substr(0, 23),
            last ? "window: cannot reserve "
                 : "window: rank " + std::to_string(env.size() - 1) + " cannot r");
  // Nothing is left of it.
  int own = env.rank();
  auto w = rt.window(std::span(&own, 1));
  int theirs = -1;
  rt.get("theirs", w, 0, 0, out(theirs));
  rt.wait();
  EXPECT_EQ(theirs, 0);
}

TEST(window, that_has_ended_ends_the_replays_that_use_it) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> own(10, 1);
  std::vector<int> x(10);
  plait::graph get = [&] {
    auto w = rt.window(own);
    plait::graph recorded = rt.record([&] { rt.get("theirs", w, 0, 0, out(x)); });
    rt.replay(recorded, 2).wait();
    return recorded;
  }();
  EXPECT_EQ(x[9], 1);
  EXPECT_EQ(refusal([&] { rt.replay(get, 1); }), "replay: the window of 'theirs' has ended");
}

TEST(window, lets_go_of_its_rank_after_a_failure) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> own(1000);
  std::vector<int> x(1000);
  auto w = rt.window(own);
  const int next = (env.rank() + 1) % env.size();
  rt.get("get", w, next, 0, out(x));
  rt.await_signal("never", w, next, out(own));
  rt.task(
      "fails", [](int) { throw std::runtime_error("on purpose"); }, 1);
  EXPECT_THROW(rt.wait(), std::runtime_error);
  EXPECT_THROW(rt.get("too late", w, next, 0, out(x)), error);
  env.barrier();
}

/// `environment`'s own calls block with the token; a rank that is in one must answer all the same.
TEST(window, answers_while_its_rank_waits_for_the_others_in_a_blocking_call) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = env.rank();
  const int next = (env.rank() + 1) % env.size();
  auto w = rt.window(std::span(&own, 1));
  if (env.rank() % 2 == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the others are in it by now
    int theirs = -1;
    rt.get("get", w, next, 0, out(theirs));
    rt.wait();
    EXPECT_EQ(theirs, next);
  }
  EXPECT_EQ(env.broadcast(env.rank() == 0 ? "all" : ""), "all");
  EXPECT_EQ(env.gather("x").size(), env.rank() == 0 ? static_cast<std::size_t>(env.size()) : 0U);
  const runtime another{env, {.tasks = {.workers = 1}}};
  env.barrier();
}

/// The others never come: they wait for what the failed task would have sent.
TEST(window, is_not_waited_for_after_a_failure) {
  environment& env = test_environment();
  if (env.size() == 1) return;
  std::vector<int> own(4);
  bool failed = false;
  try {
    runtime rt{env, {.tasks = {.workers = 1}}};
    if (env.rank() == 0) {
      rt.task("fails", [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw std::runtime_error("on purpose");
      });
      (void)rt.window(own);
    }
  } catch (const std::runtime_error& thrown) {
    failed = true;
    EXPECT_STREQ(thrown.what(), "on purpose");
  }
  EXPECT_EQ(failed, env.rank() == 0);
  env.barrier();
}

TEST(window, leaves_a_failure_to_the_next_wait) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  int own = 0;
  {
    auto w = rt.window(std::span(&own, 1));
    rt.task("fails", [] { throw std::runtime_error("on purpose"); });
  }
  EXPECT_THROW(rt.wait(), std::runtime_error);
  env.barrier();
}

TEST(window, that_an_exception_leaves_waits_for_nobody) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}}};
  std::vector<int> own(1000);
  try {
    auto w = rt.window(own);
    rt.await_signal("never", w, (env.rank() + 1) % env.size(), out(own));
    throw std::runtime_error("on purpose");
  } catch (const std::runtime_error& thrown) {
    EXPECT_STREQ(thrown.what(), "on purpose");
  }
  EXPECT_THROW((void)rt.window(own), error);
  env.barrier();
}

TEST(window, names_the_signal_that_does_not_come_in_a_report_of_a_stall) {
  environment& env = test_environment();
  if (env.size() < 2) return;
  std::string report;
  runtime rt{env,
             {.tasks = {.workers = 1, .stall_report_s = 0.2},
              .stall_sink = [&report](const std::string& text) { report += text; }}};
  std::vector<int> own(10);
  auto w = rt.window(own);
  if (env.rank() == 1) {
    rt.await_signal("late", w, 0, out(own), 2);
    rt.task("use", fill, inout(std::span(own)), 1);
    rt.wait();
    EXPECT_NE(report.find("signal 'late' from rank 0, flag 2, place 1, 0 bytes: started"),
              std::string::npos)
        << report;
    EXPECT_NE(report.find("task 'use' waits for signal 'late' from rank 0, flag 2"),
              std::string::npos)
        << report;
  } else if (env.rank() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    rt.signal("late", w, 1, inout(own), 2);
  }
}

}  // namespace
}  // namespace plait::test
