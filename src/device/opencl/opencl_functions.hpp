// SPDX-License-Identifier: BSD-3-Clause
/// OpenCL's functions, as the specification declares them, looked up when the library is there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/loaded_library.hpp"

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_program;
struct _cl_kernel;
struct _cl_event;
struct _cl_mem;

namespace plait::detail {

using cl_platform_id = _cl_platform_id*;
using cl_device_id = _cl_device_id*;
using cl_context = _cl_context*;
using cl_command_queue = _cl_command_queue*;
using cl_program = _cl_program*;
using cl_kernel = _cl_kernel*;
using cl_event = _cl_event*;
using cl_mem = _cl_mem*;
using cl_callback = void (*)(cl_event, std::int32_t status, void* data);

namespace cl_number {
inline constexpr std::uint64_t all_devices = 0xFFFFFFFF;
inline constexpr std::uint32_t device_extensions = 0x1030;
inline constexpr std::uint32_t device_svm_capabilities = 0x1053;
inline constexpr std::uint64_t svm_of_buffers = 1;
inline constexpr std::uint64_t queue_priority = 0x1096;
inline constexpr std::uint64_t high_priority = 1;
inline constexpr std::uint64_t read_and_write = 1;
inline constexpr std::uint64_t use_host_memory = 8;
inline constexpr std::uint32_t kernel_arguments = 0x1191;
inline constexpr std::uint32_t build_log = 0x1183;
inline constexpr std::uint32_t execution_status = 0x11D3;
inline constexpr std::int32_t complete = 0;
inline constexpr std::int32_t running = 1;
inline constexpr std::int32_t waited_for_failure = -14;
}  // namespace cl_number

/// All functions, or none.  Any thread.
class opencl_functions {
 public:
  /// Returns null where no library is found.
  [[nodiscard]] static const opencl_functions* find() {
    static const opencl_functions found(loaded_library({"libOpenCL.so.1"}));
    return found.is_whole_ ? &found : nullptr;
  }

  /// None of them.
  opencl_functions() = default;

  std::int32_t (*clGetPlatformIDs)(std::uint32_t, cl_platform_id*, std::uint32_t*) = nullptr;
  std::int32_t (*clGetDeviceIDs)(cl_platform_id, std::uint64_t, std::uint32_t, cl_device_id*,
                                 std::uint32_t*) = nullptr;
  std::int32_t (*clGetDeviceInfo)(cl_device_id, std::uint32_t, std::size_t, void*,
                                  std::size_t*) = nullptr;
  cl_context (*clCreateContext)(const std::intptr_t*, std::uint32_t, const cl_device_id*,
                                void (*)(const char*, const void*, std::size_t, void*), void*,
                                std::int32_t*) = nullptr;
  std::int32_t (*clReleaseContext)(cl_context) = nullptr;
  cl_command_queue (*clCreateCommandQueueWithProperties)(cl_context, cl_device_id,
                                                         const std::uint64_t*,
                                                         std::int32_t*) = nullptr;
  std::int32_t (*clReleaseCommandQueue)(cl_command_queue) = nullptr;
  std::int32_t (*clFlush)(cl_command_queue) = nullptr;
  std::int32_t (*clFinish)(cl_command_queue) = nullptr;
  void* (*clSVMAlloc)(cl_context, std::uint64_t, std::size_t, std::uint32_t) = nullptr;
  void (*clSVMFree)(cl_context, void*) = nullptr;
  cl_mem (*clCreateBuffer)(cl_context, std::uint64_t, std::size_t, void*, std::int32_t*) = nullptr;
  std::int32_t (*clReleaseMemObject)(cl_mem) = nullptr;
  std::int32_t (*clEnqueueReadBuffer)(cl_command_queue, cl_mem, std::uint32_t, std::size_t,
                                      std::size_t, void*, std::uint32_t, const cl_event*,
                                      cl_event*) = nullptr;
  std::int32_t (*clEnqueueWriteBuffer)(cl_command_queue, cl_mem, std::uint32_t, std::size_t,
                                       std::size_t, const void*, std::uint32_t, const cl_event*,
                                       cl_event*) = nullptr;
  std::int32_t (*clEnqueueSVMMemcpy)(cl_command_queue, std::uint32_t, void*, const void*,
                                     std::size_t, std::uint32_t, const cl_event*,
                                     cl_event*) = nullptr;
  std::int32_t (*clEnqueueMarkerWithWaitList)(cl_command_queue, std::uint32_t, const cl_event*,
                                              cl_event*) = nullptr;
  std::int32_t (*clEnqueueBarrierWithWaitList)(cl_command_queue, std::uint32_t, const cl_event*,
                                               cl_event*) = nullptr;
  std::int32_t (*clSetEventCallback)(cl_event, std::int32_t, cl_callback, void*) = nullptr;
  std::int32_t (*clGetEventInfo)(cl_event, std::uint32_t, std::size_t, void*,
                                 std::size_t*) = nullptr;
  std::int32_t (*clRetainEvent)(cl_event) = nullptr;
  std::int32_t (*clReleaseEvent)(cl_event) = nullptr;
  cl_program (*clCreateProgramWithSource)(cl_context, std::uint32_t, const char**,
                                          const std::size_t*, std::int32_t*) = nullptr;
  std::int32_t (*clBuildProgram)(cl_program, std::uint32_t, const cl_device_id*, const char*,
                                 void (*)(cl_program, void*), void*) = nullptr;
  std::int32_t (*clGetProgramBuildInfo)(cl_program, cl_device_id, std::uint32_t, std::size_t, void*,
                                        std::size_t*) = nullptr;
  std::int32_t (*clReleaseProgram)(cl_program) = nullptr;
  cl_kernel (*clCreateKernel)(cl_program, const char*, std::int32_t*) = nullptr;
  std::int32_t (*clGetKernelInfo)(cl_kernel, std::uint32_t, std::size_t, void*,
                                  std::size_t*) = nullptr;
  std::int32_t (*clReleaseKernel)(cl_kernel) = nullptr;
  std::int32_t (*clSetKernelArg)(cl_kernel, std::uint32_t, std::size_t, const void*) = nullptr;
  std::int32_t (*clSetKernelArgSVMPointer)(cl_kernel, std::uint32_t, const void*) = nullptr;
  std::int32_t (*clEnqueueNDRangeKernel)(cl_command_queue, cl_kernel, std::uint32_t,
                                         const std::size_t*, const std::size_t*, const std::size_t*,
                                         std::uint32_t, const cl_event*, cl_event*) = nullptr;

 private:
  explicit opencl_functions(loaded_library library) {
#define PLAIT_LOOK_UP(name) library.look_up(name, #name)
    PLAIT_LOOK_UP(clGetPlatformIDs);
    PLAIT_LOOK_UP(clGetDeviceIDs);
    PLAIT_LOOK_UP(clGetDeviceInfo);
    PLAIT_LOOK_UP(clCreateContext);
    PLAIT_LOOK_UP(clReleaseContext);
    PLAIT_LOOK_UP(clCreateCommandQueueWithProperties);
    PLAIT_LOOK_UP(clReleaseCommandQueue);
    PLAIT_LOOK_UP(clFlush);
    PLAIT_LOOK_UP(clFinish);
    PLAIT_LOOK_UP(clSVMAlloc);
    PLAIT_LOOK_UP(clSVMFree);
    PLAIT_LOOK_UP(clCreateBuffer);
    PLAIT_LOOK_UP(clReleaseMemObject);
    PLAIT_LOOK_UP(clEnqueueReadBuffer);
    PLAIT_LOOK_UP(clEnqueueWriteBuffer);
    PLAIT_LOOK_UP(clEnqueueSVMMemcpy);
    PLAIT_LOOK_UP(clEnqueueMarkerWithWaitList);
    PLAIT_LOOK_UP(clEnqueueBarrierWithWaitList);
    PLAIT_LOOK_UP(clSetEventCallback);
    PLAIT_LOOK_UP(clGetEventInfo);
    PLAIT_LOOK_UP(clRetainEvent);
    PLAIT_LOOK_UP(clReleaseEvent);
    PLAIT_LOOK_UP(clCreateProgramWithSource);
    PLAIT_LOOK_UP(clBuildProgram);
    PLAIT_LOOK_UP(clGetProgramBuildInfo);
    PLAIT_LOOK_UP(clReleaseProgram);
    PLAIT_LOOK_UP(clCreateKernel);
    PLAIT_LOOK_UP(clGetKernelInfo);
    PLAIT_LOOK_UP(clReleaseKernel);
    PLAIT_LOOK_UP(clSetKernelArg);
    PLAIT_LOOK_UP(clSetKernelArgSVMPointer);
    PLAIT_LOOK_UP(clEnqueueNDRangeKernel);
#undef PLAIT_LOOK_UP
    is_whole_ = library.is_whole();
  }

  bool is_whole_ = false;
};

}  // namespace plait::detail
