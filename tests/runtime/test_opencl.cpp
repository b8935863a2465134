// SPDX-License-Identifier: BSD-3-Clause
// Devices that OpenCL reaches, such as those of PoCL: kernels in OpenCL C in the dataflow.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/opencl.hpp>
#include <plait/runtime/runtime.hpp>

#include "device/opencl/opencl_functions.hpp"
#include "runtime/failure_of.hpp"
#include "runtime/kernels_in_order.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {
namespace {

const std::string source =
    "kernel void add_one(global int* x) { ++x[get_global_id(0)]; }\n"
    "kernel void scale_into(global const int* x, global int* y, int by) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  y[i] = by * x[i];\n"
    "}\n";

/// The rank's devices, made once: a driver takes its time.
const std::vector<device>& found() {
  static const std::vector<device> all = opencl_devices();
  return all;
}

class opencl_tasks : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (found().empty()) GTEST_SKIP() << "OpenCL has no device here";
    static const opencl::kernel built(found()[0], source, "add_one");
    add_one = &built;
  }
  [[nodiscard]] runtime_options options() const {
    return {.tasks = {.workers = GetParam()}, .devices = found()};
  }
  environment& env = test_environment();
  const opencl::kernel* add_one = nullptr;
  const std::function<void(queue, device_span<int>)> add = [this](queue q, device_span<int> there) {
    opencl::launch(q, *add_one, {there.size()}, there);
  };
};
INSTANTIATE_TEST_SUITE_P(workers, opencl_tasks, ::testing::Values(1, 2));

TEST_P(opencl_tasks, follow_copies_and_each_other) {
  const opencl::kernel scale_into(found()[0], source, "scale_into");
  runtime rt{env, options()};
  expect_kernels_follow_copies(
      rt, add, [&](queue q, device_span<const int> from, device_span<int> to, int by) {
        opencl::launch(q, scale_into, {to.size()}, from, to, by);
      });
}

TEST_P(opencl_tasks, send_the_devices_memory_in_a_replay) {
  runtime rt{env, options()};
  expect_messages_in_a_replay(env, rt, add);
}

TEST_P(opencl_tasks, wrong_arguments_are_an_error_that_names_the_task) {
  if (env.size() > 1) return;
  const std::string why = error_of([&] {
    runtime rt{env, options()};
    device_array<int> x(found()[0], 10);
    rt.task(
        "add",
        [this](queue q, device_span<int> x_there) {
          opencl::launch(q, *add_one, {10}, x_there, 7);
        },
        on(found()[0]), out(x));
    rt.wait();
  });
  EXPECT_NE(why.find("task 'add': kernel 'add_one': it takes 1 arguments, not 2"),
            std::string::npos)
      << why;
}

TEST_P(opencl_tasks, an_empty_launch_does_nothing) {
  runtime rt{env, options()};
  device_array<int> x(found()[0], 10);
  std::vector<int> host(10, 3);
  rt.copy("there", in(host), out(x));
  rt.task(
      "nothing",
      [this](queue q, device_span<int> there) {
        opencl::launch(q, *add_one, {there.size(), 0}, there);
        EXPECT_NE(opencl::queue_of(q), nullptr);
      },
      on(found()[0]), inout(x));
  submit_add(rt, found()[0], x, add);
  rt.copy("back", in(x), out(host));
  rt.wait();
  EXPECT_EQ(host, std::vector<int>(10, 4));
}

/// What comes behind plait's last command is long: a copy that did not wait for it would see too
/// little.
TEST_P(opencl_tasks, commands_that_the_program_enqueues_by_itself_are_waited_for) {
  constexpr std::size_t n = std::size_t{1} << 22;
  const detail::opencl_functions* const cl = detail::opencl_functions::find();
  ASSERT_NE(cl, nullptr);
  runtime rt{env, options()};
  device_array<int> x(found()[0], n);
  device_array<int> y(found()[0], n);
  std::vector<int> host(n, 3);
  rt.copy("there", in(host), out(x));
  rt.task(
      "two commands",
      [this, cl](queue q, device_span<const int> from, device_span<int> to) {
        opencl::launch(q, *add_one, {1}, to);
        EXPECT_EQ(cl->clEnqueueSVMMemcpy(opencl::queue_of(q), 0, to.data(), from.data(),
                                         from.size_bytes(), 0, nullptr, nullptr),
                  0);
      },
      on(found()[0]), in(x), out(y));
  std::vector<int> back(n);
  rt.copy("back", in(y), out(back));
  rt.wait();
  EXPECT_EQ(std::ranges::count(back, 3), static_cast<std::ptrdiff_t>(n));
}

/// More than a queue holds, so that tasks are held and let go.
TEST_P(opencl_tasks, a_long_chain_and_many_short_ones_end) {
  constexpr int links = 700;
  runtime rt{env, options()};
  std::vector<device_array<int>> chains;
  for (int i = 0; i < 9; ++i) chains.emplace_back(found()[0], 4);
  std::vector<std::vector<int>> host(chains.size(), std::vector<int>(4));
  for (std::size_t i = 0; i < chains.size(); ++i) rt.copy("there", in(host[i]), out(chains[i]));
  for (int i = 0; i < links; ++i) submit_add(rt, found()[0], chains[0], add);
  for (int i = 0; i < links; ++i)
    submit_add(rt, found()[0], chains[1 + static_cast<std::size_t>(i) % 8], add);
  for (std::size_t i = 0; i < chains.size(); ++i) rt.copy("back", in(chains[i]), out(host[i]));
  rt.wait();
  EXPECT_EQ(host[0], std::vector<int>(4, links));
  for (std::size_t i = 1; i < host.size(); ++i) {
    const int own = links / 8 + (static_cast<int>(i) <= links % 8 ? 1 : 0);
    EXPECT_EQ(host[i], std::vector<int>(4, own)) << "chain " << i;
  }
}

/// A command without a wait begins where the one before it ended; this one has waited.  Callbacks
/// of two queues come in any order, so the copy's end may be told late.  Its begin is that of its
/// enqueueing, and no memory takes 64 MiB in a millisecond.
TEST_P(opencl_tasks, a_kernel_that_waits_for_a_copy_begins_behind_it_in_a_trace) {
  runtime rt{env, options()};
  std::vector<int> host(std::size_t{1} << 24, 3);
  device_array<int> x(found()[0], host.size());
  rt.start_trace();
  rt.copy("there", in(host), out(x));
  submit_add(rt, found()[0], x, add);
  rt.wait();
  double copy_s = 0;
  double kernel_s = 0;
  for (const trace_event& e : rt.stop_trace()) {
    if (e.lane.ends_with(", to device")) copy_s = e.begin_s;
    if (e.lane.ends_with(", compute")) kernel_s = e.begin_s;
  }
  EXPECT_GT(copy_s, 0);
  EXPECT_GT(kernel_s - copy_s, 1e-3);
}

/// A driver may say that a kernel is over before it calls back.
TEST_P(opencl_tasks, a_ledger_has_the_kernel_that_has_been_waited_for) {
  runtime rt{env, options()};
  const device gpu = rt.devices().at(0);
  device_array<int> x(gpu, 4);
  std::vector<int> host(4);
  rt.copy("there", in(host), out(x));
  rt.wait();
  for (int i = 0; i < 100; ++i) {
    const double before_s = rt.ledger(gpu).kernels_s;
    submit_add(rt, gpu, x, add);
    rt.wait();
    const double after_s = rt.ledger(gpu).kernels_s;
    ASSERT_GT(after_s, before_s) << i;
    ASSERT_EQ(rt.ledger(gpu).kernels_s, after_s) << i;  // it runs no more
  }
}

TEST_P(opencl_tasks, each_of_several_ranks_has_a_device) {
  EXPECT_EQ(opencl_devices(3, 1000).size(), 1U);
  EXPECT_EQ(opencl_devices().size(), found().size());
}

TEST_P(opencl_tasks, a_kernel_that_does_not_compile_is_refused_with_the_compilers_words) {
  const std::string wrong =
      error_of([] { opencl::kernel(found()[0], "kernel void f() { nothing(); }", "f"); });
  EXPECT_NE(wrong.find("kernel 'f': it does not compile for OpenCL device 0"), std::string::npos)
      << wrong;
  EXPECT_NE(wrong.find("nothing"), std::string::npos) << wrong;
  const std::string none = error_of([] { opencl::kernel(found()[0], source, "f"); });
  EXPECT_NE(none.find("kernel 'f': clCreateKernel returned"), std::string::npos) << none;
}

TEST(opencl, is_refused_where_it_has_no_device) {
  if (!found().empty() || test_environment().size() > 1) return;
  ::setenv("PLAIT_DEVICE", "opencl", 1);
  const std::string why = error_of([] { runtime rt{test_environment(), {}}; });
  ::unsetenv("PLAIT_DEVICE");
  EXPECT_NE(why.find("PLAIT_DEVICE=opencl: OpenCL has no device here"), std::string::npos) << why;
}

}  // namespace
}  // namespace plait::test
