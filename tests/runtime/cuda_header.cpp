// SPDX-License-Identifier: BSD-3-Clause
// Where CUDA's own header is: the functions that plait looks up have the shapes declared there.
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <cuda.h>

#include "device/cuda/cuda_functions.hpp"

namespace {

/// Sizes of what a function returns and takes, which are numbers and addresses all.
template <class Returned, class... Taken>
constexpr std::array<std::size_t, sizeof...(Taken) + 1> shape(Returned (*)(Taken...)) {
  return {sizeof(Returned), sizeof(Taken)...};
}
template <auto Member, auto Declared>
constexpr bool is_declared_so() {
  using member =
      std::remove_reference_t<decltype(std::declval<plait::detail::cuda_functions&>().*Member)>;
  return shape(member{}) == shape(decltype(Declared){});
}

using f = plait::detail::cuda_functions;
static_assert(is_declared_so<&f::init, &cuInit>());
static_assert(is_declared_so<&f::device_count, &cuDeviceGetCount>());
static_assert(is_declared_so<&f::device_get, &cuDeviceGet>());
static_assert(is_declared_so<&f::retain_context, &cuDevicePrimaryCtxRetain>());
static_assert(is_declared_so<&f::release_context, &cuDevicePrimaryCtxRelease>());
static_assert(is_declared_so<&f::get_current, &cuCtxGetCurrent>());
static_assert(is_declared_so<&f::set_current, &cuCtxSetCurrent>());
static_assert(is_declared_so<&f::priority_range, &cuCtxGetStreamPriorityRange>());
static_assert(is_declared_so<&f::allocate, &cuMemAlloc>());
static_assert(is_declared_so<&f::free, &cuMemFree>());
static_assert(is_declared_so<&f::allocate_host, &cuMemHostAlloc>());
static_assert(is_declared_so<&f::free_host, &cuMemFreeHost>());
static_assert(is_declared_so<&f::copy_to_device, &cuMemcpyHtoDAsync>());
static_assert(is_declared_so<&f::copy_to_host, &cuMemcpyDtoHAsync>());
static_assert(is_declared_so<&f::copy_within, &cuMemcpyDtoDAsync>());
static_assert(is_declared_so<&f::stream_create, &cuStreamCreateWithPriority>());
static_assert(is_declared_so<&f::stream_destroy, &cuStreamDestroy>());
static_assert(is_declared_so<&f::stream_finish, &cuStreamSynchronize>());
static_assert(is_declared_so<&f::stream_wait, &cuStreamWaitEvent>());
static_assert(is_declared_so<&f::event_create, &cuEventCreate>());
static_assert(is_declared_so<&f::event_destroy, &cuEventDestroy>());
static_assert(is_declared_so<&f::event_record, &cuEventRecord>());
static_assert(is_declared_so<&f::event_query, &cuEventQuery>());
static_assert(is_declared_so<&f::elapsed_ms, &cuEventElapsedTime>());
static_assert(is_declared_so<&f::host_function, &cuLaunchHostFunc>());
static_assert(is_declared_so<&f::exchange_capture_mode, &cuThreadExchangeStreamCaptureMode>());
static_assert(is_declared_so<&f::is_capturing, &cuStreamIsCapturing>());
static_assert(is_declared_so<&f::end_capture, &cuStreamEndCapture>());
static_assert(is_declared_so<&f::destroy_graph, &cuGraphDestroy>());

namespace number = plait::detail::cuda_number;
static_assert(number::no_device == CUDA_ERROR_NO_DEVICE);
static_assert(number::not_ready == CUDA_ERROR_NOT_READY);
static_assert(number::relaxed_capture == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(number::is_of_capture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
static_assert(number::is_of_capture(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
static_assert(number::is_of_capture(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
static_assert(!number::is_of_capture(CUDA_ERROR_CAPTURED_EVENT));
static_assert(number::own_stream == CU_STREAM_NON_BLOCKING);
static_assert(number::timing_event == CU_EVENT_DEFAULT);
static_assert(number::portable_host == CU_MEMHOSTALLOC_PORTABLE);

}  // namespace
