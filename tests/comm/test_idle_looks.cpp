// SPDX-License-Identifier: BSD-3-Clause
// How often an engine looks while nothing arrives.  These tests count looks.  Between two looks of
// a sleeping proxy lies the worst delay, so that a slow machine only has fewer of them.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/engine.hpp>
#include <plait/comm/exposed_memory.hpp>
#include <plait/core/clock.hpp>

#include "comm/message.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

/// With its workers busy, and without: `automatic` sleeps where there are more workers than cores.
class idle_looks : public ::testing::TestWithParam<progress> {
 protected:
  static constexpr double worst_delay_s = 10e-3;

  [[nodiscard]] engine_options options() const {
    return {.policy = GetParam(), .workers = 1 << 20, .worst_delay_s = worst_delay_s};
  }

  /// Counts the looks during a sleep, of which there may be one in each `distance_s`, and `more`.
  static void expect_looks_apart(const engine& e, std::chrono::milliseconds sleep,
                                 double distance_s, std::uint64_t more) {
    const ticks began = now_ticks();
    const std::uint64_t before = e.statistics().polls;
    std::this_thread::sleep_for(sleep);
    const std::uint64_t looks = e.statistics().polls - before;
    const double distances = ticks_to_seconds(now_ticks() - began) / distance_s;
    EXPECT_LE(looks, static_cast<std::uint64_t>(distances) + more);
  }

  /// Counts the looks of a quarter of a second in which nothing arrives on any rank.
  void expect_few_looks(const engine& e) {
    env.barrier();
    // Beside one in each worst delay: the looks until they are so far apart, and those that news of
    // sockets bring, of a few expectations each.
    expect_looks_apart(e, std::chrono::milliseconds(250), worst_delay_s, 64);
    env.barrier();
  }

  /// Passes 8 bytes around the ring, and calls `meanwhile` while the receive waits for them.
  void pass_on(engine& e, const std::function<void()>& meanwhile) {
    messages list;
    message& from_left = receive(list, left, 7, 8);
    message& to_right = send(list, right, 7, pattern(static_cast<std::uint64_t>(rank), 8));
    e.enqueue(from_left);
    e.enqueue(to_right);
    e.post(from_left);
    meanwhile();
    e.post(to_right);
    wait_for_all(e, list);
    EXPECT_EQ(from_left.data, pattern(static_cast<std::uint64_t>(left), 8));
  }

  /// Returns how often threads of this process that are proxies have slept so far.
  static std::uint64_t sleeps_of_proxies() {
    std::uint64_t all = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string word;
      std::ifstream(thread.path() / "comm") >> word;
      if (word != "plait-proxy") continue;
      std::ifstream status(thread.path() / "status");
      while (status >> word && word != "voluntary_ctxt_switches:") continue;
      std::uint64_t sleeps = 0;
      status >> sleeps;
      all += sleeps;
    }
    return all;
  }

  environment& env = test_environment();
  const int rank = env.rank();
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
};
INSTANTIATE_TEST_SUITE_P(comm, idle_looks,
                         ::testing::Values(progress::automatic, progress::sleeping),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(idle_looks, are_few_while_a_receive_waits_for_its_message) {
  engine e(env, options());
  pass_on(e, [&] { expect_few_looks(e); });
}

// Counts how often the proxy has slept.  Between two tries to look it leaves half a millisecond.
TEST_P(idle_looks, are_not_tried_often_while_another_thread_has_the_token) {
  engine_options frequent = options();
  frequent.worst_delay_s = 0.5e-3;
  engine e(env, frequent);
  pass_on(e, [&] {
    env.barrier();
    e.lock();
    const ticks began = now_ticks();
    const std::uint64_t before = sleeps_of_proxies();
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    const std::uint64_t sleeps = sleeps_of_proxies() - before;
    const double times = ticks_to_seconds(now_ticks() - began) / frequent.worst_delay_s;
    e.unlock();
    EXPECT_LE(sleeps, 2 * static_cast<std::uint64_t>(times) + 16);
    env.barrier();
  });
}

TEST_P(idle_looks, are_a_quarter_after_a_long_wait) {
  constexpr double delay_s = 0.5e-3;
  engine_options rare = options();
  rare.worst_delay_s = delay_s;
  engine e(env, rare);
  pass_on(e, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // 512 delays, and some more
    expect_looks_apart(e, std::chrono::milliseconds(200), 4 * delay_s, 4);
    env.barrier();
  });
}

TEST_P(idle_looks, are_few_while_a_window_is_open_on_an_engine_that_has_never_sent) {
  engine e(env, options());
  std::vector<std::byte> memory(64);
  exposed_memory window(env, e, {.begin = memory.data(), .size_bytes = memory.size()}, {});
  expect_few_looks(e);
  window.end(true);
}

TEST_P(idle_looks, are_few_while_a_window_is_open_that_was_used_before) {
  engine e(env, options());
  std::vector<unsigned char> memory(64);
  exposed_memory window(env, e, {.begin = memory.data(), .size_bytes = memory.size()}, {});
  const remote_part there{.home = &window.served()};
  message put(operation::kind::put, right, 0, pattern(static_cast<std::uint64_t>(rank), 64));
  put.remote = &there;
  e.enqueue(put);
  e.post(put);
  while (!put.done()) std::this_thread::yield();
  EXPECT_EQ(put.failure_text(), "none");
  expect_few_looks(e);
  EXPECT_EQ(memory, pattern(static_cast<std::uint64_t>(left), 64));
  window.end(true);
}

TEST_P(idle_looks, are_few_while_an_engine_that_has_never_sent_watches_something) {
  struct flag : awaited {
    std::atomic<bool> is_up{false};
    std::atomic<bool> was_seen{false};
  };
  engine e(env, options());
  flag wait;
  wait.finished = [](awaited& self) { return static_cast<flag&>(self).is_up.load(); };
  wait.completed = [](awaited& self) noexcept { static_cast<flag&>(self).was_seen.store(true); };
  e.watch(wait);
  expect_few_looks(e);
  wait.is_up.store(true);
  while (!wait.was_seen.load()) std::this_thread::yield();
}

}  // namespace
}  // namespace plait::test
