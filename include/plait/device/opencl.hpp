// SPDX-License-Identifier: BSD-3-Clause
/// Devices that OpenCL reaches, and kernels in OpenCL C.  OpenCL is looked for when the program
/// asks for devices, so neither its headers nor its library are needed to compile or to link.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <plait/device/device.hpp>
#include <plait/device/device_array.hpp>

// As <CL/cl.h> declares them.
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;

namespace plait {

namespace detail {
class built_kernel;
/// Argument of a kernel: an address of the device, or a value.
struct opencl_argument {
  const void* data;
  std::size_t size_bytes;  ///< of the value; 0: it is an address
};
template <class T>
[[nodiscard]] opencl_argument opencl_argument_of(const T& passed) noexcept {
  if constexpr (is_device_span<T>) {
    return {passed.data(), 0};
  } else {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                  "a kernel takes memory of its device, and values");
    return {&passed, sizeof passed};
  }
}
}  // namespace detail

/// Returns devices that have shared virtual memory, by which kernels take addresses, of all
/// platforms in the order of OpenCL; none where there is no OpenCL.  A platform is a driver.  Of
/// `shares` ranks that share the devices each takes those of its `share`; where there are fewer
/// devices than ranks, one.  Each call makes them anew, with a context and queues of their own.
/// They live as long as they are named.  Errors: `error` where a driver gives no context.
/// Precondition: share < shares.
[[nodiscard]] std::vector<device> opencl_devices(std::size_t share = 0, std::size_t shares = 1);

namespace opencl {

/// A kernel for one device.  Copies are the same one.  Any thread may launch it.
class kernel {
 public:
  /// Compiles `source`, in OpenCL C, with `options` of the compiler, and takes `name` of it.  Takes
  /// up to seconds.  Errors: `error` with what the compiler says.  Precondition: `where` is one of
  /// `opencl_devices()`.
  kernel(const device& where, const std::string& source, const std::string& name,
         const std::string& options = "");

 private:
  friend void launch_with(queue to, const kernel& what, const std::array<std::size_t, 3>& extent,
                          std::span<const detail::opencl_argument> arguments);
  std::shared_ptr<detail::built_kernel> built_;
};

/// Work items of a kernel along each axis; the driver cuts them into groups.
struct extent {
  std::size_t x = 1;
  std::size_t y = 1;
  std::size_t z = 1;
};

void launch_with(queue to, const kernel& what, const std::array<std::size_t, 3>& extent,
                 std::span<const detail::opencl_argument> arguments);

/// Enqueues a kernel, from a task's function, with its queue.  It gets the addresses of spans, and
/// the other arguments by value.  With an extent of 0 nothing is enqueued.  Errors: `error` that
/// names the task, for arguments other than the kernel's.
///
///     plait::opencl::launch(q, relax, {n}, u, v);
template <class... Arguments>
void launch(queue to, const kernel& what, const extent& items, const Arguments&... arguments) {
  const std::array<detail::opencl_argument, sizeof...(Arguments)> all{
      detail::opencl_argument_of(arguments)...};
  launch_with(to, what, {items.x, items.y, items.z}, all);
}

/// Returns what OpenCL's own functions take.  A task's function enqueues with the queue what it
/// likes, such as a library's kernels, and gives `note` the event of each: for errors that name the
/// task, for the ledger and for the trace.  The event stays the caller's, who releases it.
/// Precondition: of an OpenCL device.
[[nodiscard]] _cl_command_queue* queue_of(queue to);
[[nodiscard]] _cl_context* context_of(const device& where);
[[nodiscard]] _cl_device_id* id_of(const device& where);
void note(queue to, _cl_event* of_command);

}  // namespace opencl
}  // namespace plait
