// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/device/opencl.hpp>

#include "device/device_share.hpp"
#include "device/device_state.hpp"
#include "device/opencl/opencl_device.hpp"

namespace plait {
namespace {

using detail::opencl_device;
using detail::opencl_functions;

[[nodiscard]] opencl_device& opencl_of(detail::back_end& any) {
  auto* const here = dynamic_cast<opencl_device*>(&any);
  PLAIT_EXPECTS(here != nullptr, "it is of an OpenCL device");
  return *here;
}

/// The devices with shared virtual memory, of all platforms.
[[nodiscard]] std::vector<detail::cl_device_id> usable_devices(const opencl_functions& cl) {
  std::vector<detail::cl_device_id> usable;
  std::uint32_t count = 0;
  if (cl.clGetPlatformIDs(0, nullptr, &count) != 0) return usable;
  std::vector<detail::cl_platform_id> platforms(count);
  cl.clGetPlatformIDs(count, platforms.data(), nullptr);
  for (const detail::cl_platform_id platform : platforms) {
    std::uint32_t size = 0;
    if (cl.clGetDeviceIDs(platform, detail::cl_number::all_devices, 0, nullptr, &size) != 0)
      continue;
    std::vector<detail::cl_device_id> ids(size);
    cl.clGetDeviceIDs(platform, detail::cl_number::all_devices, size, ids.data(), nullptr);
    for (const detail::cl_device_id id : ids) {
      std::uint64_t svm = 0;
      cl.clGetDeviceInfo(id, detail::cl_number::device_svm_capabilities, sizeof svm, &svm, nullptr);
      if ((svm & detail::cl_number::svm_of_buffers) != 0) usable.push_back(id);
    }
  }
  return usable;
}

}  // namespace

/// Has its device, whose context it is built for.
class detail::built_kernel {
 public:
  built_kernel(const device& where, const std::string& source, const std::string& name,
               const std::string& options)
      : home_(where.state()), on_(opencl_of(home_->commands())), name_(name) {
    const opencl_functions& cl = on_.functions();
    const char* text = source.c_str();
    std::int32_t code = 0;
    const cl_program program =
        cl.clCreateProgramWithSource(on_.context(), 1, &text, nullptr, &code);
    if (program == nullptr) throw refused(failed_call("clCreateProgramWithSource", code));
    const cl_device_id id = on_.id();
    code = cl.clBuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr);
    if (code != 0) {
      const std::string log = log_of(program);
      cl.clReleaseProgram(program);
      throw refused("it does not compile for " + home_->name() + ": " +
                    failed_call("clBuildProgram", code) + (log.empty() ? "" : "\n" + log));
    }
    handle_ = cl.clCreateKernel(program, name.c_str(), &code);
    cl.clReleaseProgram(program);
    if (handle_ == nullptr) throw refused(failed_call("clCreateKernel", code));
    std::uint32_t arguments = 0;
    cl.clGetKernelInfo(handle_, cl_number::kernel_arguments, sizeof arguments, &arguments, nullptr);
    set_.resize(arguments);
  }
  ~built_kernel() { on_.functions().clReleaseKernel(handle_); }
  built_kernel(const built_kernel&) = delete;
  built_kernel& operator=(const built_kernel&) = delete;

  void launch(const queue& to, const std::array<std::size_t, 3>& extent,
              std::span<const opencl_argument> arguments) {
    PLAIT_EXPECTS(&to.device() == home_.get(), "the kernel is built for the queue's device");
    const auto refuse = [&](const std::string& why) {
      throw error(std::string("task '") + to.task() + "': kernel '" + name_ + "': " + why);
    };
    if (arguments.size() != set_.size())
      refuse("it takes " + std::to_string(set_.size()) + " arguments, not " +
             std::to_string(arguments.size()));
    if (std::ranges::find(extent, std::size_t{0}) != extent.end()) return;
    const opencl_functions& cl = on_.functions();
    std::lock_guard lock(mutex_);  // arguments are the kernel's until it is enqueued
    if (const std::uint64_t now = on_.releases(); std::exchange(releases_, now) != now)
      set_.assign(set_.size(), set_argument());
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      const auto& [data, size] = arguments[i];
      if (set_[i].is(arguments[i])) continue;
      const bool is_memory = size == 0;
      const std::int32_t code = is_memory ? cl.clSetKernelArgSVMPointer(handle_, i, data)
                                          : cl.clSetKernelArg(handle_, i, size, data);
      if (code != 0)
        refuse("argument " + std::to_string(i) + ": " +
               failed_call(is_memory ? "clSetKernelArgSVMPointer" : "clSetKernelArg", code));
      set_[i] = set_argument(arguments[i]);
    }
    on_.enqueue(to, "clEnqueueNDRangeKernel", [&](cl_event* done) {
      return cl.clEnqueueNDRangeKernel(on_.handle(to.which()), handle_, 3, nullptr, extent.data(),
                                       nullptr, 0, nullptr, done);
    });
  }

 private:
  /// An argument as it is set; a large value is set each time.
  class set_argument {
   public:
    set_argument() = default;
    explicit set_argument(const opencl_argument& from) noexcept : size_bytes_(from.size_bytes) {
      if (size_bytes_ == 0) {
        address_ = from.data;
      } else if (size_bytes_ <= value_.size()) {
        std::memcpy(value_.data(), from.data, size_bytes_);
      }
      is_known_ = size_bytes_ <= value_.size();
    }
    [[nodiscard]] bool is(const opencl_argument& other) const noexcept {
      if (!is_known_ || other.size_bytes != size_bytes_) return false;
      return size_bytes_ == 0 ? other.data == address_
                              : std::memcmp(other.data, value_.data(), size_bytes_) == 0;
    }

   private:
    bool is_known_ = false;
    std::size_t size_bytes_ = 0;
    const void* address_ = nullptr;
    std::array<std::byte, 16> value_{};
  };

  [[nodiscard]] error refused(const std::string& why) const {
    return error("kernel '" + name_ + "': " + why);
  }
  [[nodiscard]] std::string log_of(cl_program program) const {
    const opencl_functions& cl = on_.functions();
    std::size_t size = 0;
    cl.clGetProgramBuildInfo(program, on_.id(), cl_number::build_log, 0, nullptr, &size);
    std::string log(size, '\0');
    cl.clGetProgramBuildInfo(program, on_.id(), cl_number::build_log, size, log.data(), nullptr);
    return log.substr(0, log.find('\0'));
  }

  const std::shared_ptr<device_state> home_;
  opencl_device& on_;
  const std::string name_;
  cl_kernel handle_ = nullptr;
  std::mutex mutex_;
  std::vector<set_argument> set_;
  std::uint64_t releases_ = 0;  ///< of the device's memory, when arguments were last set
};

std::vector<device> opencl_devices(std::size_t share, std::size_t shares) {
  std::vector<device> all;
  const opencl_functions* const cl = opencl_functions::find();
  const std::vector<detail::cl_device_id> ids =
      cl == nullptr ? std::vector<detail::cl_device_id>{} : usable_devices(*cl);
  for (const std::size_t i : detail::device_share(ids.size(), share, shares)) {
    const int index = static_cast<int>(all.size());
    all.emplace_back(std::make_shared<detail::device_state>(
        index, "OpenCL", std::make_unique<opencl_device>(*cl, ids[i])));
  }
  return all;
}

namespace opencl {

kernel::kernel(const device& where, const std::string& source, const std::string& name,
               const std::string& options)
    : built_(std::make_shared<detail::built_kernel>(where, source, name, options)) {}

void launch_with(queue to, const kernel& what, const std::array<std::size_t, 3>& extent,
                 std::span<const detail::opencl_argument> arguments) {
  what.built_->launch(to, extent, arguments);
}

_cl_command_queue* queue_of(queue to) {
  return opencl_of(to.device().commands()).given(to.which());
}
_cl_context* context_of(const device& where) {
  return opencl_of(where.state()->commands()).context();
}
_cl_device_id* id_of(const device& where) {
  return opencl_of(where.state()->commands()).id();
}
void note(queue to, _cl_event* of_command) {
  opencl_of(to.device().commands()).note(to, of_command);
}

}  // namespace opencl
}  // namespace plait
