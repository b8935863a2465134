// SPDX-License-Identifier: BSD-3-Clause
// Devices that CUDA and HIP reach: kernels on the queues' streams in the dataflow.
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/cuda.hpp>
#include <plait/device/device_array.hpp>
#include <plait/runtime/runtime.hpp>

#include "device/cuda/cuda_clock.hpp"
#include "runtime/cuda_kernels.hpp"
#include "runtime/failure_of.hpp"
#include "runtime/kernels_in_order.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

using detail::cuda_context;
using detail::cuda_functions;
using detail::cuda_stream;

/// On a driver, with so many workers.
class cuda_tasks : public ::testing::TestWithParam<std::tuple<driver, int>> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(by()); !why.empty()) GTEST_SKIP() << why;
    all = devices_of(by());
  }
  [[nodiscard]] driver by() const { return std::get<0>(GetParam()); }
  [[nodiscard]] bool is_hip() const { return by() == driver::hip; }
  [[nodiscard]] const cuda_functions& functions() const {
    return *driver_functions::of(by()).common;
  }
  [[nodiscard]] runtime_options options() const {
    return {.tasks = {.workers = std::get<1>(GetParam())}, .devices = all};
  }
  [[nodiscard]] cuda_stream stream(queue q) const {
    return is_hip() ? reinterpret_cast<cuda_stream>(hip::stream(q)) : cuda::stream(q);
  }
  /// Returns the context of a device, which is its primary one.
  [[nodiscard]] cuda_context context_of(const device& one) const {
    int handle = 0;
    cuda_context context = nullptr;
    functions().device_get(&handle, is_hip() ? hip::ordinal(one) : cuda::ordinal(one));
    functions().retain_context(&context, handle);
    functions().release_context(handle);
    return context;
  }
  [[nodiscard]] cuda_context current() const {
    cuda_context now = nullptr;
    functions().get_current(&now);
    return now;
  }

  environment& env = test_environment();
  std::vector<device> all;
  const driver_kernel add_one{by(), "add_one"};
  const std::function<void(queue, device_span<int>)> add = [this](queue q, device_span<int> there) {
    add_one.launch(q, there.size(), there);
  };
};
INSTANTIATE_TEST_SUITE_P(workers, cuda_tasks,
                         ::testing::Combine(::testing::Values(driver::cuda, driver::hip),
                                            ::testing::Values(1, 2)));

TEST_P(cuda_tasks, follow_copies_and_each_other) {
  const driver_kernel scale(by(), "scale_into");
  runtime rt{env, options()};
  expect_kernels_follow_copies(
      rt, add, [&](queue q, device_span<const int> from, device_span<int> to, int factor) {
        scale.launch(q, to.size(), from, to, factor);
      });
}

TEST_P(cuda_tasks, send_the_devices_memory_in_a_replay) {
  runtime rt{env, options()};
  expect_messages_in_a_replay(env, rt, add);
}

/// Each copy back is waited for: by events that are asked, and by host functions that wake.
TEST_P(cuda_tasks, copy_pinned_memory) {
  runtime rt{env, options()};
  const driver_functions& here = driver_functions::of(by());
  const std::size_t called = is_stand_in() ? here.called() : 0;
  const device gpu = rt.devices().at(0);
  pinned<int> host(gpu, 1000);
  EXPECT_EQ(host[999], 0);
  device_array<int> x(gpu, 1000);
  for (int round = 1; round <= 20; ++round) {
    rt.copy("there", in(host), out(x));
    submit_add(rt, gpu, x, add);
    rt.copy("back", in(x), out(host));
    rt.wait_on(host);
    for (const int one : host) ASSERT_EQ(one, round);
  }
  if (is_stand_in()) {
    EXPECT_GT(here.called(), called);
  }
}

TEST_P(cuda_tasks, have_their_device_current_and_leave_the_threads_as_it_was) {
  const cuda_context before = current();
  std::vector<cuda_context> seen(all.size());
  std::vector<cuda_context> left;
  std::thread::id submitter = std::this_thread::get_id();
  {
    runtime rt{env, options()};
    for (std::size_t i = 0; i < all.size(); ++i) {
      device_array<int> x(all[i], 1);
      rt.task(
          "look", [&seen, this, i](queue, device_span<int>) { seen[i] = current(); }, on(all[i]),
          out(x));
      int host = 0;
      rt.task(
          "after",
          [&](int&) {
            if (std::this_thread::get_id() == submitter) left.push_back(current());
          },
          out(host));
      rt.wait();
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(seen[i], context_of(all[i]));
  for (const cuda_context one : left) EXPECT_EQ(one, before);
  EXPECT_EQ(current(), before);
}

TEST_P(cuda_tasks, of_high_priority_have_a_stream_of_high_priority) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 2);
  std::array<int, 2> priorities{};
  const auto look = [&, this](queue q, device_span<int>) {
    driver_functions::of(by()).priority_of(stream(q),
                                           &priorities[q.which() == device_queue::urgent ? 1 : 0]);
  };
  rt.task("normal", look, on(gpu), out(x.part(0, 1)));
  rt.task("high", look, on(gpu, high), out(x.part(1, 1)));
  rt.wait();
  EXPECT_EQ(priorities[0], 0);
  EXPECT_LT(priorities[1], priorities[0]);  // in CUDA the least number is the greatest priority
}

TEST_P(cuda_tasks, and_copies_are_in_the_trace_one_after_the_other) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 10);
  std::vector<int> host(10);
  rt.start_trace();
  rt.copy("there", in(host), out(x));
  for (int i = 0; i < 50; ++i) submit_add(rt, gpu, x, add);
  rt.copy("back", in(x), out(host));
  rt.wait();
  int adds = 0;
  std::set<std::string> seen;
  std::map<std::string, double> ends;
  for (const trace_event& e : rt.stop_trace()) {
    if (e.lane.find(gpu.name()) == std::string::npos) continue;
    const std::string queue = e.lane.substr(e.lane.find(',') + 2);
    seen.insert(queue + ": " + e.name);
    adds += e.name == "add" ? 1 : 0;
    EXPECT_GE(e.begin_s, ends[queue] - 1e-9);
    EXPECT_GE(e.end_s, e.begin_s);
    ends[queue] = e.end_s;
  }
  EXPECT_EQ(seen, (std::set<std::string>{"compute: add", "to host: back", "to device: there"}));
  EXPECT_EQ(adds, 50);
}

TEST_P(cuda_tasks, each_of_several_ranks_has_a_device) {
  const auto share_of = is_hip() ? &hip_devices : &cuda_devices;
  EXPECT_EQ(share_of(3, 1000).size(), 1U);
  EXPECT_EQ(share_of(0, 1).size(), all.size());
  ::setenv("PLAIT_DEVICE", is_hip() ? "hip" : "cuda", 1);
  const runtime rt{env, {}};
  ::unsetenv("PLAIT_DEVICE");
  EXPECT_EQ(rt.devices().at(0).name(), std::string(to_string(by())) + " device 0");
}

TEST_P(cuda_tasks, leave_nothing_behind_and_memory_that_there_is_not_is_refused) {
  const driver_functions& here = driver_functions::of(by());
  {
    runtime rt{env, options()};
    const device gpu = rt.devices().at(0);
    device_array<int> x(gpu, 10);
    pinned<int> host(gpu, 10);
    std::string why;
    try {
      const device_array<char> too_large(gpu, std::size_t{1} << 38);
    } catch (const error& e) {
      why = e.what();
    }
    EXPECT_NE(why.find("gives no 274877906944 bytes of its memory: error 2 ("), std::string::npos)
        << why;
    rt.copy("there", in(host), out(x));
    rt.send("self", in(x), env.rank());
    rt.recv("self", out(x), env.rank());
    rt.wait();
  }
  all.clear();
  if (is_stand_in()) {
    EXPECT_EQ(here.left(), 0U);
  }
}

/// The stand-in fails a kernel as an illegal address does: all that follows is lost.
TEST_P(cuda_tasks, that_fail_are_named_and_the_device_takes_no_more) {
  if (!is_stand_in()) GTEST_SKIP() << "a fault of a real device would be the last thing it does";
  const driver_kernel fail(by(), "mix_or_fail");
  {
    runtime rt{env, options()};
    const device gpu = rt.devices().at(0);
    device_array<std::uint64_t> x(gpu, 10);
    const auto submit = [&](task_name name, std::uint64_t salt) {
      rt.task(
          name,
          [&](queue q, device_span<std::uint64_t> there, std::uint64_t with) {
            fail.launch(q, there.size(), there, there, with);
          },
          on(gpu), inout(x), salt);
    };
    submit("good", 1);
    rt.wait();
    submit("bad", 64);
    const std::string why = failure_of(rt);
    const std::string code = is_hip() ? "hipErrorIllegalAddress" : "CUDA_ERROR_ILLEGAL_ADDRESS";
    EXPECT_NE(why.find(gpu.name() + ": error 700 (" + code + ") in 'bad'"), std::string::npos)
        << why;
    submit("late", 1);
    EXPECT_EQ(failure_of(rt).find("no failure"), std::string::npos);
  }
  all.clear();
  driver_functions::of(by()).begin_again();
}

/// Anchors follow each other, and the time of an event does not depend on which is asked.
TEST_P(cuda_tasks, are_timed_by_the_hosts_clock) {
  const cuda_functions& by_driver = functions();
  const detail::current_context here(by_driver, context_of(all[0]));
  cuda_stream idle = nullptr;
  detail::cuda_event mark = nullptr;
  ASSERT_EQ(by_driver.stream_create(&idle, detail::cuda_number::own_stream, 0), 0);
  ASSERT_EQ(by_driver.event_create(&mark, detail::cuda_number::timing_event), 0);
  detail::cuda_clock clock(by_driver);
  ASSERT_EQ(clock.make(), 0);
  EXPECT_TRUE(clock.is_old(now_ticks()));
  const ticks begin = now_ticks();
  ASSERT_EQ(clock.renew(idle, 10), 0);
  EXPECT_FALSE(clock.is_old(now_ticks()));
  EXPECT_TRUE(clock.answers());
  ASSERT_EQ(by_driver.event_record(mark, idle), 0);
  ASSERT_EQ(by_driver.stream_finish(idle), 0);
  ASSERT_EQ(clock.renew(idle, 10), 0);
  const ticks end = now_ticks();
  const ticks after = clock.time_of(mark, 0);  // before the anchor
  const ticks slack = end - begin;             // an anchor lies within the time it took to ask
  EXPECT_GE(after, begin - slack);
  EXPECT_LE(after, end + slack);
  clock.destroy();
  by_driver.event_destroy(mark);
  by_driver.stream_destroy(idle);
}

/// A query of an event would be refused, and would spoil the capture.
TEST_P(cuda_tasks, run_while_the_program_captures_a_graph) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  const driver_functions& here = driver_functions::of(by());
  const detail::current_context now(functions(), context_of(gpu));
  pinned<int> host(gpu, 100);
  device_array<int> x(gpu, 100);
  rt.copy("there", in(host), out(x));
  submit_add(rt, gpu, x, add);  // which loads the kernel
  rt.wait();
  int added = 1;
  for (const int mode : {0, 1}) {  // any thread's calls, and this thread's
    cuda_stream own = nullptr;
    ASSERT_EQ(functions().stream_create(&own, detail::cuda_number::own_stream, 0), 0);
    ASSERT_EQ(here.begin_capture(own, mode), 0);
    for (int round = 0; round < 20; ++round) {
      const device_array<int> more(gpu, 10);
      submit_add(rt, gpu, x, add);
      rt.copy("back", in(x), out(host));
      rt.wait_on(host);
      ++added;
      for (const int one : host) ASSERT_EQ(one, added);
    }
    void* graph = nullptr;
    EXPECT_EQ(functions().end_capture(own, &graph), 0);
    functions().destroy_graph(graph);
    functions().stream_destroy(own);
  }
}

TEST(cuda, is_refused_where_it_has_no_device) {
  if (test_environment().size() > 1) return;
  for (const driver by : {driver::cuda, driver::hip}) {
    if (!devices_of(by).empty()) continue;
    const std::string word = by == driver::cuda ? "cuda" : "hip";
    ::setenv("PLAIT_DEVICE", word.c_str(), 1);
    std::string why;
    try {
      const runtime rt{test_environment(), {}};
    } catch (const usage_error& e) {
      why = e.what();
    }
    ::unsetenv("PLAIT_DEVICE");
    const std::string expected =
        "PLAIT_DEVICE=" + word + ": " + to_string(by) + " has no device here";
    EXPECT_NE(why.find(expected), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace plait::test
