// SPDX-License-Identifier: BSD-3-Clause
// Messages from device to device, whole and in parts.
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>
#include <plait/runtime/runtime.hpp>

#include "runtime/device_test.hpp"

namespace plait::test {
namespace {

class device_messages : public device_test {};
INSTANTIATE_TEST_SUITE_P(workers, device_messages, ::testing::Values(1, 2));

TEST_P(device_messages, messages_go_from_device_to_device_also_in_replays) {
  runtime rt{env, options({.count = 2, .delay_s = 5e-5})};
  const device from = rt.devices().at(0);
  const device to = rt.devices().at(1);
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  std::vector<int> host(300, env.rank());
  device_array<int> mine(from, 300);
  device_array<int> theirs(to, 300);
  rt.copy("there", in(host), out(mine));
  constexpr int iterations = 30;
  graph step = rt.record([&] {
    rt.send("mine", in(mine), next, 3);
    rt.recv("theirs", out(theirs), before, 3);
    rt.task("add", add_one_there, on(to), inout(theirs.part(100, 100)));
    rt.copy("over", in(theirs), out(mine));
  });
  rt.replay(step, iterations);
  rt.copy("back", in(mine), out(host));
  rt.wait();
  const int origin = ((env.rank() - iterations) % env.size() + env.size()) % env.size();
  for (std::size_t i = 0; i < host.size(); ++i)
    ASSERT_EQ(host[i], origin + (i >= 100 && i < 200 ? iterations : 0)) << i;
}

/// Of any size, in more parts than it has cache lines, or in as many as the model says.
TEST_P(device_messages, messages_travel_in_parts_also_in_replays) {
  runtime rt{env, options({.count = 2, .bus_bytes_per_s = 1e8, .delay_s = 5e-5})};
  const int next = (env.rank() + 1) % env.size();
  const int before = (env.rank() + env.size() - 1) % env.size();
  for (const std::size_t size : {0UL, 1UL, 300UL, 20000UL}) {
    for (const int parts : {0, 1, 3, 40}) {
      std::vector<int> host = ascending(size, 1000 * env.rank());
      std::vector<int> back(size, -1);
      device_array<int> mine(rt.devices().at(0), size);
      device_array<int> theirs(rt.devices().at(1), size);
      rt.copy("there", in(host), out(mine));
      constexpr int iterations = 3;
      graph step = rt.record([&] {
        rt.send("mine", in(mine), next).parts(parts);
        rt.recv("theirs", out(theirs), before).parts(parts);
        rt.task("add", add_one_there, on(rt.devices().at(1)), inout(theirs));
        rt.copy("over", in(theirs), out(mine));
      });
      rt.replay(step, iterations);
      rt.copy("back", in(mine), out(back));
      rt.wait();
      const int origin = ((env.rank() - iterations) % env.size() + env.size()) % env.size();
      ASSERT_EQ(back, ascending(size, 1000 * origin + iterations)) << size << " in " << parts;
    }
  }
}

/// A kernel that reads one part of what comes is enqueued when that part is there: it ends the
/// sender's second part, which would come never if the receiver waited for both.  On one worker,
/// which enqueues in the order of submission: the copy of the second part waits in its queue, and
/// the first must not be behind it.
TEST_P(device_messages, a_part_that_has_come_is_used_while_others_are_under_way) {
  runtime_options in_order = options({});
  in_order.tasks.workers = 1;
  runtime rt{env, in_order};
  const device gpu = rt.devices().at(0);
  constexpr std::size_t half = 1000 * 64 / sizeof(int);
  device_array<int> there(gpu, 2 * half);
  const int pair = env.rank() ^ 1;
  const int me = env.rank() < (env.size() / 2) * 2 ? env.rank() % 2 : 2;
  std::atomic<bool> released{me != 0};
  const auto fill = [&](std::size_t first, bool waits) {
    rt.task(
        "fill",
        [&released, waits](queue q, device_span<int> part) {
          emulated::launch(q, no_time, [&released, waits, part] {
            while (waits && !released.load()) std::this_thread::yield();
            for (std::size_t i = 0; i < part.size(); ++i) part.data()[i] = 7;
          });
        },
        on(gpu), out(there.part(first, half)));
  };
  int answer = 0;
  std::vector<int> back(2 * half);
  if (me == 0) {
    fill(0, false);
    fill(half, true);
    rt.send("halves", in(there), pair, 5).parts(2);
    rt.recv("answer", out(answer), pair, 6);
    rt.task(
        "release", [&released](const int& a) { released = a == 7; }, in(answer));
  } else if (me == 1) {
    rt.recv("halves", out(there), pair, 5).parts(2);
    rt.copy("first", in(there.part(0, 1)), out(std::span(&answer, 1)));
    rt.send("answer", in(answer), pair, 6);
    rt.copy("back", in(there), out(back));
  }
  rt.wait();
  EXPECT_EQ(back, std::vector<int>(2 * half, me == 1 ? 7 : 0));
}

TEST_P(device_messages, receives_before_sends_fit_any_in_flight_limit) {
  for (const std::size_t in_flight : {1U, 2U, 8U}) {
    runtime_options few = options();
    few.tasks.in_flight = in_flight;
    runtime rt{env, few};
    const device gpu = rt.devices().at(0);
    constexpr std::size_t n = 16 * 64 / sizeof(int);
    constexpr std::size_t messages = 5;
    const int next = (env.rank() + 1) % env.size();
    const int before = (env.rank() + env.size() - 1) % env.size();
    device_array<int> from(gpu, n);
    device_array<int> to(gpu, messages * n);
    std::vector<int> host(n, env.rank());
    std::vector<int> back(messages * n);
    rt.copy("there", in(host), out(from));
    for (std::size_t i = 0; i < messages; ++i)
      rt.recv("ghost", out(to.part(i * n, n)), before, 1).parts(16);
    for (std::size_t i = 0; i < messages; ++i) rt.send("edge", in(from), next, 1).parts(16);
    rt.copy("back", in(to), out(back));
    rt.wait();
    EXPECT_EQ(back, std::vector<int>(messages * n, before)) << in_flight;
  }
}

TEST_P(device_messages, fewer_parts_than_none_are_refused) {
  runtime rt{env, options()};
  device_array<int> x(rt.devices().at(0), 3);
  EXPECT_THROW(rt.send("edge", in(x), env.rank()).parts(-1), usage_error);
  rt.wait();  // nothing was sent
}

TEST_P(device_messages, a_message_of_no_rank_moves_nothing) {
  runtime rt{env, options()};
  device_array<int> x(rt.devices().at(0), 3);
  std::vector<int> host{1, 2, 3};
  rt.copy("there", in(host), out(x));
  rt.send("out", in(x), no_rank);
  rt.recv("in", out(x), no_rank);
  std::vector<int> back(3);
  rt.copy("back", in(x), out(back));
  rt.wait();
  EXPECT_EQ(back, host);
}

}  // namespace
}  // namespace plait::test
