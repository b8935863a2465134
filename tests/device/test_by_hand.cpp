// SPDX-License-Identifier: BSD-3-Clause
// Commands of an emulated device by hand, without tasks and without MPI.
#include <atomic>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/commands.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>

namespace plait::test {
namespace {

using by_hand::mark;

/// Late commands, so that what is not waited for comes too early.
class by_hand_device : public ::testing::Test {
 protected:
  [[nodiscard]] queue to(device_queue which, const char* name = "command") const {
    return by_hand::queue_of(gpu, which, name);
  }
  void launch(device_queue which, std::function<void()> work) const {
    emulated::launch(to(which, "kernel"), 0, std::move(work));
  }

  device gpu = emulated_devices({.delay_s = 2e-4}).at(0);
};

TEST_F(by_hand_device, a_queue_waits_for_marks_of_others) {
  device_array<int> there(gpu, 100);
  std::vector<int> host(100);
  std::vector<int> back(100);
  std::iota(host.begin(), host.end(), 0);
  for (int round = 0; round < 30; ++round) {
    by_hand::copy<int>(to(device_queue::to_device), host, there.all());
    const mark copied = by_hand::record(to(device_queue::to_device));
    by_hand::wait(to(device_queue::urgent), copied);
    launch(device_queue::urgent, [part = there.all()] {
      for (std::size_t i = 0; i < part.size(); ++i) part.data()[i] *= 2;
    });
    by_hand::wait(to(device_queue::to_host), by_hand::record(to(device_queue::urgent)));
    by_hand::copy<int>(to(device_queue::to_host), there.all().as_const(), back);
    by_hand::await(gpu, by_hand::record(to(device_queue::to_host)));
    for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(back[i], 2 * host[i]);
    host = back;
    for (int& one : host) one %= 1000;
  }
}

TEST_F(by_hand_device, a_mark_is_passed_when_what_is_before_it_is_done) {
  std::atomic<bool> released{false};
  launch(device_queue::compute, [&released] {
    while (!released.load()) std::this_thread::yield();
  });
  const mark after = by_hand::record(to(device_queue::compute));
  EXPECT_FALSE(by_hand::has_passed(gpu, after));
  EXPECT_TRUE(by_hand::has_passed(gpu, mark{}));
  released = true;
  by_hand::await(gpu, after);
  EXPECT_TRUE(by_hand::has_passed(gpu, after));
}

/// What is enqueued behind a wait for the own queue, or for no mark, is not held up.
TEST_F(by_hand_device, waits_for_the_own_queue_and_for_nothing_are_over) {
  int ran = 0;
  by_hand::wait(to(device_queue::compute), mark{device_queue::to_host, 0});
  launch(device_queue::compute, [&ran] { ++ran; });
  by_hand::wait(to(device_queue::compute), by_hand::record(to(device_queue::compute)));
  launch(device_queue::compute, [&ran] { ++ran; });
  by_hand::await(gpu, by_hand::record(to(device_queue::compute)));
  EXPECT_EQ(ran, 2);
}

/// More marks than the device remembers the times of.
TEST_F(by_hand_device, a_queue_may_wait_for_a_mark_of_long_ago) {
  device quick = emulated_devices().at(0);
  const queue one = by_hand::queue_of(quick, device_queue::compute, "one");
  const queue other = by_hand::queue_of(quick, device_queue::to_host, "other");
  const mark first = by_hand::record(one);
  mark last = first;
  for (int i = 0; i < 1000; ++i) last = by_hand::record(one);
  by_hand::await(quick, last);
  by_hand::wait(other, first);
  by_hand::await(quick, by_hand::record(other));
}

TEST_F(by_hand_device, a_fault_is_named_where_somebody_asks) {
  launch(device_queue::compute, [] { throw error("no such cell"); });
  const mark after = by_hand::record(to(device_queue::compute));
  try {
    by_hand::await(gpu, after);
    FAIL() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(std::string(e.what()), "emulated device 0: no such cell in 'kernel'");
  }
  EXPECT_THROW((void)by_hand::has_passed(gpu, after), error);
}

TEST_F(by_hand_device, the_ledger_and_an_observer_know_kernels_and_copies) {
  device_array<char> there(gpu, 10);
  std::vector<char> host(10);
  std::vector<std::string> seen;
  by_hand::reset_ledger(gpu);
  by_hand::observe(gpu, [&seen](device_queue which, const char* name, ticks begin, ticks end) {
    EXPECT_LE(begin, end);
    seen.push_back(std::string(to_string(which)) + ": " + name);
  });
  emulated::launch(to(device_queue::compute, "work"), 1e-3, {});
  by_hand::wait(to(device_queue::to_device), by_hand::record(to(device_queue::compute)));
  by_hand::copy<char>(to(device_queue::to_device, "there"), host, there.all());
  by_hand::await(gpu, by_hand::record(to(device_queue::to_device)));
  by_hand::observe(gpu, {});
  EXPECT_EQ(seen, (std::vector<std::string>{"compute: work", "to device: there"}));
  const device_ledger l = by_hand::ledger(gpu);
  EXPECT_GE(l.kernels_s, 0.99e-3);
  EXPECT_GT(l.to_device_s, 0);
  EXPECT_NEAR(l.kernels_s + l.starved_s + l.idle_s, l.wall_s, 1e-9);
}

}  // namespace
}  // namespace plait::test
