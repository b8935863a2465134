// SPDX-License-Identifier: BSD-3-Clause
/// Functions of CUDA's driver library, or those of HIP, which have the same shape, looked up when
/// the library is there.
#pragma once

#include <cstddef>
#include <string>

#include <plait/core/error.hpp>

#include "device/loaded_library.hpp"

struct CUctx_st;
struct CUevent_st;
struct CUstream_st;

namespace plait::detail {

using cuda_context = CUctx_st*;
using cuda_event = CUevent_st*;
using cuda_stream = CUstream_st*;

/// Of both libraries [CUDA Driver API; HIP Runtime API].
namespace cuda_number {
inline constexpr int no_device = 100;
inline constexpr int not_ready = 600;
inline constexpr int relaxed_capture = 2;  ///< a thread's calls are refused for no capture
inline constexpr int refused_by_capture = 900;
inline constexpr unsigned own_stream = 1;     ///< without order to the default stream
inline constexpr unsigned timing_event = 0;   ///< the default
inline constexpr unsigned portable_host = 1;  ///< pinned for all contexts

/// A call is refused because a graph is being captured; the same call may succeed afterwards.  Not
/// of these is 907, of an event that was recorded in a capture: that one never comes.
[[nodiscard]] constexpr bool is_of_capture(int code) noexcept {
  return code == refused_by_capture || code == 901 || code == 906;
}
}  // namespace cuda_number

/// All functions, or none.  Any thread.  Handles are pointers in both libraries; an address of a
/// device, which CUDA has as an integer, is passed as a pointer is.  They are there from CUDA 10.1
/// and ROCm 5.5 on.  HIP's contexts, whose use it discourages, are its devices: to set one is what
/// `hipSetDevice` does.
class cuda_functions {
 public:
  /// Returns null where no library is found.  Errors: `error` where the library lacks a function.
  [[nodiscard]] static const cuda_functions* find_cuda() {
    static const cuda_functions found(of::cuda);
    return found.is_whole_ ? &found : nullptr;
  }
  [[nodiscard]] static const cuda_functions* find_hip() {
    static const cuda_functions found(of::hip);
    return found.is_whole_ ? &found : nullptr;
  }

  /// Errors: `error` where the driver does not start, and there are devices.
  [[nodiscard]] std::size_t count_devices() const {
    int count = 0;
    int code = init(0);
    if (code == 0) code = device_count(&count);
    if (code == cuda_number::no_device) return 0;
    if (code != 0) throw error(std::string(kind()) + " does not start: error " + code_text(code));
    return static_cast<std::size_t>(count);
  }

  int (*init)(unsigned flags) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int* device, int ordinal) = nullptr;
  int (*retain_context)(cuda_context*, int device) = nullptr;
  int (*release_context)(int device) = nullptr;
  int (*get_current)(cuda_context*) = nullptr;
  int (*set_current)(cuda_context) = nullptr;
  int (*priority_range)(int* least, int* greatest) = nullptr;
  int (*allocate)(void**, std::size_t) = nullptr;
  int (*free)(void*) = nullptr;
  int (*allocate_host)(void**, std::size_t, unsigned flags) = nullptr;
  int (*free_host)(void*) = nullptr;
  int (*copy_to_device)(void* to, const void* from, std::size_t, cuda_stream) = nullptr;
  int (*copy_to_host)(void* to, const void* from, std::size_t, cuda_stream) = nullptr;
  int (*copy_within)(void* to, const void* from, std::size_t, cuda_stream) = nullptr;
  int (*stream_create)(cuda_stream*, unsigned flags, int priority) = nullptr;
  int (*stream_destroy)(cuda_stream) = nullptr;
  int (*stream_finish)(cuda_stream) = nullptr;
  int (*stream_wait)(cuda_stream, cuda_event, unsigned flags) = nullptr;
  int (*event_create)(cuda_event*, unsigned flags) = nullptr;
  int (*event_destroy)(cuda_event) = nullptr;
  int (*event_record)(cuda_event, cuda_stream) = nullptr;
  int (*event_query)(cuda_event) = nullptr;
  int (*elapsed_ms)(float*, cuda_event from, cuda_event to) = nullptr;
  int (*host_function)(cuda_stream, void (*)(void*), void*) = nullptr;
  int (*exchange_capture_mode)(int*) = nullptr;
  int (*is_capturing)(cuda_stream, int* status) = nullptr;
  int (*end_capture)(cuda_stream, void** graph) = nullptr;
  int (*destroy_graph)(void* graph) = nullptr;

  /// Returns "CUDA" or "HIP".
  [[nodiscard]] const char* kind() const noexcept { return kind_ == of::cuda ? "CUDA" : "HIP"; }
  [[nodiscard]] bool is_hip() const noexcept { return kind_ == of::hip; }
  /// Returns "700 (CUDA_ERROR_ILLEGAL_ADDRESS)".
  [[nodiscard]] std::string code_text(int code) const {
    const char* name = nullptr;
    const bool is_known = error_name_(code, &name) == 0 && name != nullptr;
    return std::to_string(code) + (is_known ? " (" + std::string(name) + ")" : "");
  }

 private:
  enum class of { cuda, hip };

  explicit cuda_functions(of kind) : kind_(kind) {
    const bool is_cuda = kind == of::cuda;
    loaded_library library = is_cuda ? loaded_library({"libcuda.so.1"})
                                     : loaded_library({"libamdhip64.so", "libamdhip64.so.7",
                                                       "libamdhip64.so.6", "libamdhip64.so.5"});
    const auto look_up = [&](auto& to, const char* cuda, const char* hip) {
      library.look_up(to, is_cuda ? cuda : hip);
    };
    look_up(init, "cuInit", "hipInit");
    look_up(device_count, "cuDeviceGetCount", "hipGetDeviceCount");
    look_up(device_get, "cuDeviceGet", "hipDeviceGet");
    look_up(retain_context, "cuDevicePrimaryCtxRetain", "hipDevicePrimaryCtxRetain");
    look_up(release_context, "cuDevicePrimaryCtxRelease_v2", "hipDevicePrimaryCtxRelease");
    look_up(get_current, "cuCtxGetCurrent", "hipCtxGetCurrent");
    look_up(set_current, "cuCtxSetCurrent", "hipCtxSetCurrent");
    look_up(priority_range, "cuCtxGetStreamPriorityRange", "hipDeviceGetStreamPriorityRange");
    look_up(allocate, "cuMemAlloc_v2", "hipMalloc");
    look_up(free, "cuMemFree_v2", "hipFree");
    look_up(allocate_host, "cuMemHostAlloc", "hipHostMalloc");
    look_up(free_host, "cuMemFreeHost", "hipHostFree");
    look_up(copy_to_device, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync");
    look_up(copy_to_host, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync");
    look_up(copy_within, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync");
    look_up(stream_create, "cuStreamCreateWithPriority", "hipStreamCreateWithPriority");
    look_up(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy");
    look_up(stream_finish, "cuStreamSynchronize", "hipStreamSynchronize");
    look_up(stream_wait, "cuStreamWaitEvent", "hipStreamWaitEvent");
    look_up(event_create, "cuEventCreate", "hipEventCreateWithFlags");
    look_up(event_destroy, "cuEventDestroy_v2", "hipEventDestroy");
    look_up(event_record, "cuEventRecord", "hipEventRecord");
    look_up(event_query, "cuEventQuery", "hipEventQuery");
    look_up(elapsed_ms, "cuEventElapsedTime", "hipEventElapsedTime");
    look_up(host_function, "cuLaunchHostFunc", "hipLaunchHostFunc");
    look_up(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode",
            "hipThreadExchangeStreamCaptureMode");
    look_up(is_capturing, "cuStreamIsCapturing", "hipStreamIsCapturing");
    look_up(end_capture, "cuStreamEndCapture", "hipStreamEndCapture");
    look_up(destroy_graph, "cuGraphDestroy", "hipGraphDestroy");
    look_up(error_name_, "cuGetErrorName", "hipDrvGetErrorName");
    library.expect_whole();
    is_whole_ = library.is_whole();
  }

  const of kind_;
  int (*error_name_)(int, const char**) = nullptr;
  bool is_whole_ = false;
};

/// Has a context be the calling thread's for a scope.
class current_context {
 public:
  current_context(const cuda_functions& by, cuda_context wanted) noexcept : by_(by) {
    by_.get_current(&before_);
    by_.set_current(wanted);
  }
  ~current_context() { by_.set_current(before_); }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;

 private:
  const cuda_functions& by_;
  cuda_context before_ = nullptr;
};

/// Lets plait's own calls of a scope be made while any thread of the program captures a graph.  A
/// query of an event, made in the mode that threads begin with, would be refused and spoil the
/// capture [CUDA Driver API, cuThreadExchangeStreamCaptureMode].
class beside_captures {
 public:
  explicit beside_captures(const cuda_functions& by) noexcept : by_(by) {
    by_.exchange_capture_mode(&mode_);
  }
  ~beside_captures() { by_.exchange_capture_mode(&mode_); }
  beside_captures(const beside_captures&) = delete;
  beside_captures& operator=(const beside_captures&) = delete;

 private:
  const cuda_functions& by_;
  int mode_ = cuda_number::relaxed_capture;  ///< then the thread's own
};

/// Has both for a scope, as calls outside of turns need it.
struct own_calls {
  own_calls(const cuda_functions& by, cuda_context wanted) noexcept
      : current(by, wanted), beside(by) {}
  const current_context current;
  const beside_captures beside;
};

}  // namespace plait::detail
