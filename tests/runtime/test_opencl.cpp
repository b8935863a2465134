// SPDX-License-Identifier: BSD-3-Clause
// Devices that OpenCL reaches, such as those of PoCL: kernels in OpenCL C in the dataflow.
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/device/device_array.hpp>
#include <plait/device/opencl.hpp>
#include <plait/runtime/runtime.hpp>

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
