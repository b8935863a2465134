// SPDX-License-Identifier: BSD-3-Clause
// What a device of CUDA or HIP does when its driver refuses and fails, which a stand-in does on
// demand.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/runtime/runtime.hpp>

#include "device/cuda/cuda_device.hpp"
#include "device/device_state.hpp"
#include "runtime/cuda_kernels.hpp"
#include "runtime/failure_of.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using detail::cuda_event;
using detail::cuda_functions;
using detail::cuda_stream;

class cuda_faults : public ::testing::TestWithParam<driver> {
 protected:
  void SetUp() override {
    if (!is_stand_in()) GTEST_SKIP() << "not run: a driver does not fail on demand";
    real = driver_functions::of(GetParam()).common;
    by = std::make_unique<cuda_functions>(*real);
    ASSERT_EQ(by->init(0), 0);
    refusals = 0;
  }
  /// Returns a device that calls `by`.
  [[nodiscard]] device made() const {
    return device(std::make_shared<detail::device_state>(
        0, by->kind(), std::make_unique<detail::cuda_device>(*by, 0)));
  }
  [[nodiscard]] cuda_stream stream(queue q) const {
    return by->is_hip() ? reinterpret_cast<cuda_stream>(hip::stream(q)) : cuda::stream(q);
  }
  /// Submits a task that leaves a capture on its queue's stream, which no task may.
  void submit_capture(runtime& rt, const device& gpu, device_array<int>& x) const {
    rt.task(
        "bad",
        [this](queue q, device_span<int>) {
          EXPECT_EQ(driver_functions::of(GetParam()).begin_capture(stream(q), 0), 0);
        },
        on(gpu), out(x));
  }

  /// Returns whether a call is to be refused: the next `refusals` are.
  [[nodiscard]] static bool refuses() { return refusals > 0 && refusals-- > 0; }

  inline static const cuda_functions* real = nullptr;
  inline static std::atomic<int> refusals{0};
  std::unique_ptr<cuda_functions> by;  ///< some of which a test replaces
};
INSTANTIATE_TEST_SUITE_P(drivers, cuda_faults, ::testing::Values(driver::cuda, driver::hip));

TEST_P(cuda_faults, a_capture_that_is_left_on_a_queues_stream_is_an_error_of_its_task) {
  runtime rt{test_environment(), {.tasks = {.workers = 1}, .devices = {made()}}};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  submit_capture(rt, gpu, x);
  const std::string why = failure_of(rt);
  EXPECT_NE(why.find(gpu.name() + ": error 900 ("), std::string::npos) << why;
  EXPECT_NE(why.find(") in 'bad'"), std::string::npos) << why;
}

TEST_P(cuda_faults, a_query_that_a_capture_refuses_is_asked_again) {
  by->event_query = [](cuda_event one) {
    return refuses() ? detail::cuda_number::refused_by_capture : real->event_query(one);
  };
  runtime rt{test_environment(), {.tasks = {.workers = 1}, .devices = {made()}}};
  device_array<int> x(rt.devices().at(0), 1);
  refusals = 5;
  rt.task(
      "good", [](queue, device_span<int>) {}, on(rt.devices().at(0)), out(x));
  EXPECT_EQ(failure_of(rt), "no failure");
  EXPECT_EQ(refusals, 0);
}

/// Nobody could say when the task ends.
TEST_P(cuda_faults, an_event_that_is_in_a_capture_is_an_error_of_its_task) {
  static std::atomic<bool> is_captured;
  is_captured = false;
  by->event_query = [](cuda_event one) { return is_captured ? 907 : real->event_query(one); };
  runtime rt{test_environment(), {.tasks = {.workers = 1}, .devices = {made()}}};
  device_array<int> x(rt.devices().at(0), 1);
  is_captured = true;
  rt.task(
      "bad", [](queue, device_span<int>) {}, on(rt.devices().at(0)), out(x));
  const std::string why = failure_of(rt);
  EXPECT_NE(why.find("error 907 in 'bad'"), std::string::npos) << why;
}

/// Until then a copy might touch the program's memory.
TEST_P(cuda_faults, a_failure_is_told_when_all_streams_have_ended) {
  refusals = 10;
  by->stream_finish = [](cuda_stream one) {
    return refuses() ? detail::cuda_number::refused_by_capture : real->stream_finish(one);
  };
  runtime rt{test_environment(), {.tasks = {.workers = 1}, .devices = {made()}}};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  submit_capture(rt, gpu, x);
  EXPECT_NE(failure_of(rt).find("in 'bad'"), std::string::npos);
  EXPECT_EQ(refusals, 0);
}

/// Whatever a function asks after a fault is refused, maybe before the device's thread knows of it.
TEST_P(cuda_faults, a_function_that_throws_after_a_fault_has_failed_by_the_fault) {
  static std::atomic<bool> fails;
  fails = false;
  by->event_record = [](cuda_event one, cuda_stream at) {
    return fails ? 700 : real->event_record(one, at);
  };
  runtime rt{test_environment(), {.tasks = {.workers = 1}, .devices = {made()}}};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  rt.task(
      "bad",
      [](queue, device_span<int>) {
        fails = true;
        throw error("my launch is refused");
      },
      on(gpu), out(x));
  const std::string why = failure_of(rt);
  EXPECT_NE(why.find(gpu.name() + ": error 700 ("), std::string::npos) << why;
  EXPECT_NE(why.find(") in 'bad'"), std::string::npos) << why;
}

TEST_P(cuda_faults, no_kernel_runs_in_the_ledger_after_a_failure) {
  static std::atomic<bool> fails;
  static std::atomic<bool> ends;
  fails = ends = false;
  by->event_query = [](cuda_event one) { return fails ? 700 : real->event_query(one); };
  runtime rt{test_environment(), {.tasks = {.workers = 2}, .devices = {made()}}};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 1);
  rt.task(
      "slow",
      [this](queue q, device_span<int>) {
        const auto until_it_ends = [](void*) {
          while (!ends) std::this_thread::yield();
        };
        EXPECT_EQ(by->host_function(stream(q), until_it_ends, nullptr), 0);
      },
      on(gpu), out(x));
  while (rt.ledger(gpu).kernels_s == 0) std::this_thread::yield();
  fails = true;
  ends = true;
  EXPECT_NE(failure_of(rt).find("in 'slow'"), std::string::npos);
  const double kernels_s = rt.ledger(gpu).kernels_s;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(rt.ledger(gpu).kernels_s, kernels_s);
}

TEST_P(cuda_faults, a_clock_without_an_answer_asks_once_and_not_soon_again) {
  static int asked;
  asked = 0;
  by->event_record = [](cuda_event, cuda_stream) {
    ++asked;
    return 0;
  };
  by->event_query = [](cuda_event) { return detail::cuda_number::not_ready; };
  detail::cuda_clock clock(*by);
  const ticks before = now_ticks();
  EXPECT_TRUE(clock.is_old(before));
  EXPECT_EQ(clock.renew(nullptr), detail::cuda_number::not_ready);
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(clock.is_old(before));
  EXPECT_TRUE(clock.is_old(now_ticks() + seconds_to_ticks(1)));
}

TEST_P(cuda_faults, a_driver_without_a_device_has_none_and_one_that_does_not_start_is_an_error) {
  EXPECT_EQ(by->count_devices(), 2U);
  by->init = [](unsigned) { return detail::cuda_number::no_device; };
  EXPECT_EQ(by->count_devices(), 0U);
  by->init = [](unsigned) { return 803; };
  EXPECT_EQ(error_of([this] { static_cast<void>(by->count_devices()); }),
            std::string(by->kind()) + " does not start: error 803");
  by->init = real->init;
  by->device_count = [](int*) { return 999; };
  EXPECT_EQ(error_of([this] { static_cast<void>(by->count_devices()); }),
            std::string(by->kind()) + " does not start: error 999");
}

TEST(a_drivers_library, says_which_function_it_lacks) {
  double (*cosine)(double) = nullptr;
  void (*none)() = nullptr;
  detail::loaded_library mathematics({"no_such_library.so", "libm.so.6"});
  mathematics.look_up(cosine, "cos");
  EXPECT_EQ(error_of([&] { mathematics.expect_whole(); }), "no error");
  EXPECT_TRUE(mathematics.is_whole());
  mathematics.look_up(none, "no_such_function");
  EXPECT_EQ(
      error_of([&] { mathematics.expect_whole(); }),
      "libm.so.6 has no 'no_such_function': it is older than what plait needs, or no whole driver");
  detail::loaded_library absent({"no_such_library.so"});
  absent.look_up(none, "no_such_function");
  EXPECT_EQ(error_of([&] { absent.expect_whole(); }), "no error");
  EXPECT_FALSE(absent.is_whole());
}

}  // namespace
}  // namespace plait::test
