// SPDX-License-Identifier: BSD-3-Clause
/// Devices that CUDA or HIP reaches, and the streams in which a program's own kernels run there.
/// The driver's library is looked for when the program asks for devices, so neither CUDA nor HIP is
/// needed to compile or to link; kernels need their compiler.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstddef>
#include <vector>

#include <plait/device/device.hpp>

// As <cuda.h> and <hip/hip_runtime_api.h> declare them.
struct CUstream_st;
struct ihipStream_t;

namespace plait {

/// Returns the devices of CUDA's driver, in its order; none where there is no driver.  Of `shares`
/// ranks that share the devices each takes those of its `share`; where there are fewer devices than
/// ranks, one.  Each call makes them anew, with streams of their own in the primary context, which
/// is that of CUDA's runtime.  They live as long as they are named.  Errors: `error` where the
/// driver is too old, does not start or gives no context.  Precondition: share < shares.
[[nodiscard]] std::vector<device> cuda_devices(std::size_t share = 0, std::size_t shares = 1);

/// Returns the devices of HIP, as `cuda_devices` does those of CUDA.
[[nodiscard]] std::vector<device> hip_devices(std::size_t share = 0, std::size_t shares = 1);

namespace cuda {

/// Returns the stream of a queue, a `cudaStream_t` and a `CUstream`.  A task's function enqueues
/// there what it likes, and waits for nothing.  While the function runs its device is current in
/// its thread.  Precondition: of a CUDA device.
///
///     relax_kernel<<<blocks, 256, 0, plait::cuda::stream(q)>>>(u.data(), v.data(), v.size());
[[nodiscard]] CUstream_st* stream(queue to);

/// Returns the number of a device, as `cudaSetDevice` takes it.  Precondition: a CUDA device.
[[nodiscard]] int ordinal(const device& of);

}  // namespace cuda

namespace hip {

/// Returns the stream of a queue, a `hipStream_t`.  Precondition: of a HIP device.
[[nodiscard]] ihipStream_t* stream(queue to);

/// Returns the number of a device, as `hipSetDevice` takes it.  Precondition: a HIP device.
[[nodiscard]] int ordinal(const device& of);

}  // namespace hip
}  // namespace plait
