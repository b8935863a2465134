// SPDX-License-Identifier: BSD-3-Clause
// Devices, emulated ones: kernels, copies and messages in one order with tasks of the host.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>
#include <plait/runtime/runtime.hpp>

#include "runtime/device_test.hpp"
#include "runtime/failure_of.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

void double_into(queue q, device_span<const int> x, device_span<int> y) {
  emulated::launch(q, no_time, [x, y] {
    for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] = 2 * x.data()[i];
  });
}

class devices : public device_test {};
INSTANTIATE_TEST_SUITE_P(workers, devices, ::testing::Values(1, 2));

TEST_P(devices, kernels_follow_copies_and_copies_kernels) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  std::vector<int> host = ascending(1000);
  std::vector<int> back(1000);
  device_array<int> x(gpu, 1000);
  device_array<int> y(gpu, 1000);
  rt.copy("there", in(host), out(x));
  rt.task("add", add_one_there, on(gpu), inout(x));
  rt.task("double", double_into, on(gpu, high), in(x), out(y));
  rt.task(
      "spoil", [](std::vector<int>& h) { h.assign(h.size(), -1); }, out(host));
  rt.copy("back", in(y), out(back));
  rt.task("add", add_one_there, on(gpu), inout(y));
  rt.wait_on(back);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(back[static_cast<std::size_t>(i)], 2 * (i + 1));
  rt.wait();
}

/// The kernel that comes first ends when the second has been enqueued: it would never, if the host
/// were asked between them.
TEST_P(devices, dependent_kernels_are_enqueued_without_a_look_at_the_host) {
  std::atomic<bool> second_is_enqueued{false};
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  rt.task(
      "first",
      [&](queue q, device_span<int> one) {
        emulated::launch(q, no_time, [&second_is_enqueued, one] {
          while (!second_is_enqueued.load()) std::this_thread::yield();
          *one.data() = 1;
        });
      },
      on(gpu), out(x));
  rt.task(
      "second",
      [&](queue q, device_span<int> one) {
        add_one_there(q, one);
        second_is_enqueued = true;
      },
      on(gpu, high), inout(x));  // another queue: the device waits, not the host
  int result = 0;
  rt.copy("back", in(x), out(std::span(&result, 1)));
  rt.wait();
  EXPECT_EQ(result, 2);
}

/// A kernel must not run before an earlier one of another queue has read what it overwrites.
TEST_P(devices, a_writer_waits_for_readers_in_other_queues) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 100);
  std::vector<std::vector<int>> back(50, std::vector<int>(100));
  rt.copy("zero", in(back[0]), out(x));
  for (std::vector<int>& one : back) {
    rt.task("add", add_one_there, on(gpu), inout(x));
    rt.copy("back", in(x), out(one));
  }
  rt.wait();
  int expected = 0;
  for (const std::vector<int>& one : back) {
    ++expected;
    for (const int each : one) ASSERT_EQ(each, expected);
  }
}

TEST_P(devices, parts_of_one_array_do_not_wait_for_each_other) {
  std::atomic<bool> released{false};
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 2);
  rt.task(
      "long",
      [&](queue q, device_span<int> one) {
        emulated::launch(q, no_time, [&released, one] {
          while (!released.load()) std::this_thread::yield();
          *one.data() = 1;
        });
      },
      on(gpu), out(x.part(0, 1)));
  int other = 7;
  rt.copy("there", in(std::span(&other, 1)), out(x.part(1, 1)));
  int result = 0;
  rt.copy("back", in(x.part(1, 1)), out(std::span(&result, 1)));
  rt.wait_on(std::span(&result, 1));
  EXPECT_EQ(result, 7);
  released = true;
  rt.wait();
}

TEST_P(devices, wait_waits_for_kernels_that_nobody_reads) {
  std::atomic<int> ran{0};
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  for (int round = 1; round < 20; ++round) {
    rt.task(
        "count",
        [&](queue q, device_span<int>) { emulated::launch(q, no_time, [&ran] { ++ran; }); },
        on(gpu), inout(x));
    rt.wait();
    ASSERT_EQ(ran, round);
  }
}

/// Kernels that wait for a flag; those of one element follow each other.
class held_up_kernels {
 public:
  void submit(runtime& rt, const device& gpu, device_span<int> x) {
    rt.task(
        "kernel",
        [this](queue q, device_span<int>) {
          ++enqueued;
          emulated::launch(q, no_time, [this] {
            while (!released.load()) std::this_thread::yield();
            ++ran;
          });
        },
        on(gpu), inout(x));
  }
  std::atomic<bool> released{false};
  std::atomic<int> enqueued{0};
  int ran = 0;
};

TEST_P(devices, a_full_queue_holds_a_chain_and_workers_go_on) {
  constexpr int kernels = 400;
  held_up_kernels up;
  runtime rt{env, options({})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  for (int i = 0; i < kernels; ++i) up.submit(rt, gpu, x.all());
  int sum = 0;
  rt.task(
      "host", [](int& s) { s = 1; }, out(sum));
  rt.wait_on(sum);
  EXPECT_EQ(sum, 1);
  EXPECT_LE(up.enqueued, 258);
  up.released = true;
  rt.wait();
  EXPECT_EQ(up.ran, kernels);
}

TEST_P(devices, tasks_that_a_full_queue_holds_count_against_the_limit) {
  constexpr int kernels = 1000;
  held_up_kernels up;
  runtime_options how = options({});
  how.tasks.in_flight = 50;
  runtime rt{env, how};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, kernels);
  std::thread later([&up] {
    while (up.enqueued < 300) std::this_thread::yield();  // the submitting thread waits soon
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_LE(up.enqueued, 50 + 258);
    up.released = true;
  });
  for (std::size_t i = 0; i < kernels; ++i) up.submit(rt, gpu, x.part(i, 1));
  rt.wait();
  later.join();
  EXPECT_EQ(up.ran, kernels);
}

TEST_P(devices, a_fault_is_named_and_ends_what_waits) {
  runtime rt{env, options({.faults = 1})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  std::vector<int> back(10);
  rt.task("relax", add_one_there, on(gpu), out(x));
  rt.copy("back", in(x), out(back));
  const std::string why = failure_of(rt);
  EXPECT_NE(why.find("emulated device 0: injected fault in 'relax'"), std::string::npos) << why;
  EXPECT_THROW(rt.wait(), error);  // the device takes no more
}

TEST_P(devices, a_kernel_that_throws_is_a_fault) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  rt.task(
      "relax",
      [](queue q, device_span<int>) {
        emulated::launch(q, no_time, [] { throw error("no such cell"); });
      },
      on(gpu), out(x));
  const std::string why = failure_of(rt);
  EXPECT_NE(why.find("emulated device 0: no such cell in 'relax'"), std::string::npos) << why;
}

/// Nobody is told of it twice: the end of the runtime would end the job.
TEST_P(devices, a_fault_that_a_wait_for_data_has_thrown_is_known) {
  runtime rt{env, options({.faults = 1})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  std::vector<int> back(10);
  rt.copy("back", in(x), out(back));
  EXPECT_THROW(rt.wait_on(back), error);
}

TEST_P(devices, copies_are_over_before_a_failure_of_the_host_is_thrown) {
  runtime rt{env, options({.latency_s = 0.02})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  std::vector<int> host = ascending(10);
  std::vector<int> back(10, -1);
  std::atomic<bool> enqueued{false};
  rt.copy("there", in(host), out(x));
  rt.copy("back", in(x), out(back));
  rt.task(
      "after", [&](queue, device_span<const int>) { enqueued = true; }, on(gpu), in(x));
  int z = 0;
  rt.task(
      "bad",
      [&](int&) {
        while (!enqueued.load()) std::this_thread::yield();
        throw error("bad");
      },
      out(z));
  EXPECT_THROW(rt.wait_on(z), error);
  EXPECT_EQ(back, host);
}

/// Arrays are made when there is a runtime, so they end before it.
TEST_P(devices, arrays_that_an_exception_ends_live_as_long_as_their_tasks) {
  const auto make = [this](std::vector<int>& host, std::vector<int>& back) {
    runtime rt{env, options({.latency_s = 0.002})};
    const device gpu = rt.devices().at(0);
    device_array<int> x(gpu, 1000);
    for (int i = 0; i < 5; ++i) {
      rt.copy("there", in(host), out(x));
      rt.task("add", add_one_there, on(gpu), inout(x));
      rt.copy("back", in(x), out(back));
    }
    rt.wait_on(back);
    for (int i = 0; i < 5; ++i) rt.copy("there", in(host), out(x));
    throw error("of the program");
  };
  std::vector<int> host = ascending(1000);
  std::vector<int> back(1000);
  EXPECT_THROW(make(host, back), error);
  EXPECT_EQ(back, ascending(1000, 1));
}

TEST_P(devices, a_device_belongs_to_one_runtime_at_a_time) {
  const std::vector<device> all = emulated_devices({});
  const runtime rt{env, {.devices = all}};
  EXPECT_THROW(runtime(env, {.devices = all}), usage_error);
}

TEST_P(devices, memory_of_another_device_and_other_sizes_are_refused) {
  runtime rt{env, options({.count = 2})};
  device_array<int> x(rt.devices().at(1), 10);
  std::vector<int> host(9);
  EXPECT_THROW(rt.copy("back", in(x), out(host)), usage_error);
  rt.task("add", add_one_there, on(rt.devices().at(0)), inout(x));
  const std::string elsewhere = failure_of(rt);
  EXPECT_NE(elsewhere.find("task 'add' of emulated device 0 names memory of emulated device 1"),
            std::string::npos)
      << elsewhere;
}

TEST_P(devices, the_ledger_of_a_device_balances) {
  runtime rt{env, options({.bus_bytes_per_s = 1e8, .latency_s = 1e-3})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 100'000);
  std::vector<int> host(100'000);
  rt.reset_ledger();
  rt.copy("there", in(host), out(x));
  rt.wait();
  rt.task(
      "long", [](queue q, device_span<int>) { emulated::launch(q, 0.01, {}); }, on(gpu), inout(x));
  rt.wait();
  const device_ledger l = rt.ledger(gpu);
  EXPECT_NEAR(l.kernels_s + l.starved_s + l.idle_s, l.wall_s, 1e-9);
  EXPECT_GE(l.kernels_s, 0.0099);
  EXPECT_GE(l.starved_s, 0.0049);  // the copy's 1 ms and 400 kB at 100 MB/s
  EXPECT_GE(l.to_device_s, 0.0049);
  EXPECT_EQ(l.to_host_s, 0);
}

TEST_P(devices, a_trace_has_a_lane_for_each_queue) {
  runtime rt{env, options({})};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  std::vector<int> host(10);
  rt.start_trace();
  rt.copy("there", in(host), out(x));
  rt.task("add", add_one_there, on(gpu), inout(x));
  rt.copy("back", in(x), out(host));
  rt.wait();
  std::vector<std::string> seen;
  for (const trace_event& e : rt.stop_trace()) {
    if (e.lane.find("emulated device 0") != std::string::npos)
      seen.push_back(e.lane.substr(e.lane.find(',') + 2) + ": " + e.name);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"compute: add", "to host: back", "to device: there"}));
}

TEST(device_options, are_read_from_the_environment) {
  const emulated_options o = emulated_options_of("emulated:count=2,bus=1e9,latency=0,faults=0.5");
  EXPECT_EQ(o.count, 2);
  EXPECT_EQ(o.bus_bytes_per_s, 1e9);
  EXPECT_EQ(o.latency_s, 0);
  EXPECT_EQ(o.faults, 0.5);
  for (const char* wrong : {"cuda", "emulated:", "emulated:count=0", "emulated:bus=fast",
                            "emulated:speed=1", "emulated:count=2,", "emulated:count=1.5"}) {
    EXPECT_THROW((void)emulated_options_of(wrong), usage_error) << wrong;
  }
  ::setenv("PLAIT_DEVICE", "emulated:count=3", 1);
  {
    const runtime rt{test_environment()};
    EXPECT_EQ(rt.devices().size(), 3U);
  }
  ::unsetenv("PLAIT_DEVICE");
  const runtime rt{test_environment()};
  EXPECT_TRUE(rt.devices().empty());
}

}  // namespace
}  // namespace plait::test
