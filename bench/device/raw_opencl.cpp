// SPDX-License-Identifier: BSD-3-Clause
#include "raw_opencl.hpp"

#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <plait/plait.hpp>

// As <CL/cl.h> declares them: neither the header nor the library is needed to build this.
struct _cl_platform_id;
struct _cl_device_id;
struct _cl_program;
struct _cl_kernel;

namespace plait::bench::device {

struct opencl_calls {
  std::int32_t (*clGetPlatformIDs)(std::uint32_t, _cl_platform_id**, std::uint32_t*) = nullptr;
  std::int32_t (*clGetDeviceIDs)(_cl_platform_id*, std::uint64_t, std::uint32_t, _cl_device_id**,
                                 std::uint32_t*) = nullptr;
  std::int32_t (*clGetDeviceInfo)(_cl_device_id*, std::uint32_t, std::size_t, void*,
                                  std::size_t*) = nullptr;
  _cl_context* (*clCreateContext)(const std::intptr_t*, std::uint32_t, _cl_device_id* const*,
                                  void (*)(const char*, const void*, std::size_t, void*), void*,
                                  std::int32_t*) = nullptr;
  _cl_command_queue* (*clCreateCommandQueueWithProperties)(_cl_context*, _cl_device_id*,
                                                           const std::uint64_t*,
                                                           std::int32_t*) = nullptr;
  std::int32_t (*clFlush)(_cl_command_queue*) = nullptr;
  std::int32_t (*clFinish)(_cl_command_queue*) = nullptr;
  void* (*clSVMAlloc)(_cl_context*, std::uint64_t, std::size_t, std::uint32_t) = nullptr;
  _cl_program* (*clCreateProgramWithSource)(_cl_context*, std::uint32_t, const char**,
                                            const std::size_t*, std::int32_t*) = nullptr;
  std::int32_t (*clBuildProgram)(_cl_program*, std::uint32_t, _cl_device_id* const*, const char*,
                                 void (*)(_cl_program*, void*), void*) = nullptr;
  _cl_kernel* (*clCreateKernel)(_cl_program*, const char*, std::int32_t*) = nullptr;
  std::int32_t (*clSetKernelArg)(_cl_kernel*, std::uint32_t, std::size_t, const void*) = nullptr;
  std::int32_t (*clSetKernelArgSVMPointer)(_cl_kernel*, std::uint32_t, const void*) = nullptr;
  std::int32_t (*clEnqueueNDRangeKernel)(_cl_command_queue*, _cl_kernel*, std::uint32_t,
                                         const std::size_t*, const std::size_t*, const std::size_t*,
                                         std::uint32_t, _cl_event* const*, _cl_event**) = nullptr;
  _cl_event* (*clCreateUserEvent)(_cl_context*, std::int32_t*) = nullptr;
  std::int32_t (*clSetUserEventStatus)(_cl_event*, std::int32_t) = nullptr;
  std::int32_t (*clEnqueueBarrierWithWaitList)(_cl_command_queue*, std::uint32_t, _cl_event* const*,
                                               _cl_event**) = nullptr;
  std::int32_t (*clReleaseEvent)(_cl_event*) = nullptr;

  /// Returns whether all are there.
  [[nodiscard]] bool load() {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    bool all = library != nullptr;
    const auto take = [&]<class Function>(Function& to, const char* name) {
      if (library != nullptr) to = reinterpret_cast<Function>(dlsym(library, name));
      all = all && to != nullptr;
    };
#define PLAIT_TAKE(name) take(name, #name)
    PLAIT_TAKE(clGetPlatformIDs);
    PLAIT_TAKE(clGetDeviceIDs);
    PLAIT_TAKE(clGetDeviceInfo);
    PLAIT_TAKE(clCreateContext);
    PLAIT_TAKE(clCreateCommandQueueWithProperties);
    PLAIT_TAKE(clFlush);
    PLAIT_TAKE(clFinish);
    PLAIT_TAKE(clSVMAlloc);
    PLAIT_TAKE(clCreateProgramWithSource);
    PLAIT_TAKE(clBuildProgram);
    PLAIT_TAKE(clCreateKernel);
    PLAIT_TAKE(clSetKernelArg);
    PLAIT_TAKE(clSetKernelArgSVMPointer);
    PLAIT_TAKE(clEnqueueNDRangeKernel);
    PLAIT_TAKE(clCreateUserEvent);
    PLAIT_TAKE(clSetUserEventStatus);
    PLAIT_TAKE(clEnqueueBarrierWithWaitList);
    PLAIT_TAKE(clReleaseEvent);
#undef PLAIT_TAKE
    return all;
  }
};

namespace {

constexpr int most_chains = 64;
constexpr std::uint64_t all_devices = 0xFFFFFFFF;
constexpr std::uint32_t svm_capabilities = 0x1053;
constexpr std::uint64_t svm_of_buffers = 1;
constexpr std::uint64_t read_and_write = 1;
/// The device begins while the host enqueues.
constexpr long kernels_between_flushes = 16;

void check(const char* call, std::int32_t code) {
  if (code != 0) throw error(std::string(call) + " returned " + std::to_string(code));
}

/// Returns null where there is none.
[[nodiscard]] _cl_device_id* first_device(const opencl_calls& cl) {
  std::uint32_t platforms = 0;
  if (cl.clGetPlatformIDs(0, nullptr, &platforms) != 0) return nullptr;
  std::vector<_cl_platform_id*> drivers(platforms);
  cl.clGetPlatformIDs(platforms, drivers.data(), nullptr);
  for (_cl_platform_id* const driver : drivers) {
    std::uint32_t count = 0;
    if (cl.clGetDeviceIDs(driver, all_devices, 0, nullptr, &count) != 0) continue;
    std::vector<_cl_device_id*> found(count);
    cl.clGetDeviceIDs(driver, all_devices, count, found.data(), nullptr);
    for (_cl_device_id* const one : found) {
      std::uint64_t svm = 0;
      cl.clGetDeviceInfo(one, svm_capabilities, sizeof svm, &svm, nullptr);
      if ((svm & svm_of_buffers) != 0) return one;
    }
  }
  return nullptr;
}

}  // namespace

/// They live as long as the process: a driver frees what it has.
struct raw_opencl::handles {
  _cl_context* context = nullptr;
  _cl_command_queue* queue = nullptr;
  std::vector<_cl_kernel*> nothing = {};  ///< one a chain, with its argument
  _cl_kernel* spin = nullptr;
};

raw_opencl::raw_opencl(std::unique_ptr<opencl_calls> calls) : cl_(std::move(calls)) {}
raw_opencl::~raw_opencl() = default;

std::unique_ptr<raw_opencl> raw_opencl::find() {
  auto calls = std::make_unique<opencl_calls>();
  if (!calls->load()) return nullptr;
  _cl_device_id* const id = first_device(*calls);
  if (id == nullptr) return nullptr;
  std::unique_ptr<raw_opencl> made(new raw_opencl(std::move(calls)));
  const opencl_calls& cl = *made->cl_;
  std::int32_t code = 0;
  auto own = std::make_unique<handles>();
  own->context = cl.clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  check("clCreateContext", code);
  own->queue = cl.clCreateCommandQueueWithProperties(own->context, id, nullptr, &code);
  check("clCreateCommandQueueWithProperties", code);
  const char* source = kernel_source;
  _cl_program* const program =
      cl.clCreateProgramWithSource(own->context, 1, &source, nullptr, &code);
  check("clCreateProgramWithSource", code);
  check("clBuildProgram", cl.clBuildProgram(program, 1, &id, "", nullptr, nullptr));
  const auto kernel = [&](const char* name) {
    _cl_kernel* const one = cl.clCreateKernel(program, name, &code);
    check("clCreateKernel", code);
    constexpr std::size_t line = 64;
    void* const memory = cl.clSVMAlloc(own->context, read_and_write, line, 0);
    check("clSetKernelArgSVMPointer", cl.clSetKernelArgSVMPointer(one, 0, memory));
    return one;
  };
  for (int i = 0; i < most_chains; ++i) own->nothing.push_back(kernel("nothing"));
  own->spin = kernel("spin");
  made->own_ = std::move(own);
  return made;
}

spent raw_opencl::run(long kernels, int chains) {
  PLAIT_EXPECTS(chains >= 1 && chains <= most_chains, "chains");
  const std::size_t items = 1;
  const stopwatch watch;
  for (long i = 0; i < kernels; ++i) {
    check("clEnqueueNDRangeKernel",
          cl_->clEnqueueNDRangeKernel(own_->queue,
                                      own_->nothing[static_cast<std::size_t>(i % chains)], 1,
                                      nullptr, &items, nullptr, 0, nullptr, nullptr));
    if (i % kernels_between_flushes == 0) cl_->clFlush(own_->queue);
  }
  check("clFinish", cl_->clFinish(own_->queue));
  return watch.so_far();
}

double raw_opencl::seconds_of_spin(std::uint64_t rounds) {
  const std::size_t items = 1;
  check("clSetKernelArg", cl_->clSetKernelArg(own_->spin, 1, sizeof rounds, &rounds));
  const stopwatch watch;
  check("clEnqueueNDRangeKernel",
        cl_->clEnqueueNDRangeKernel(own_->queue, own_->spin, 1, nullptr, &items, nullptr, 0,
                                    nullptr, nullptr));
  check("clFinish", cl_->clFinish(own_->queue));
  return watch.so_far().wall_s;
}

_cl_event* raw_opencl::close(_cl_context* of, _cl_command_queue* queue) const {
  std::int32_t code = 0;
  _cl_event* const gate = cl_->clCreateUserEvent(of, &code);
  check("clCreateUserEvent", code);
  check("clEnqueueBarrierWithWaitList",
        cl_->clEnqueueBarrierWithWaitList(queue, 1, &gate, nullptr));
  return gate;
}

void raw_opencl::open(_cl_event* gate) const {
  check("clSetUserEventStatus", cl_->clSetUserEventStatus(gate, 0));
  cl_->clReleaseEvent(gate);
}

}  // namespace plait::bench::device
