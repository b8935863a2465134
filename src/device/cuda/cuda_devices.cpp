// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <vector>

#include <plait/core/error.hpp>
#include <plait/device/cuda.hpp>

#include "device/cuda/cuda_device.hpp"
#include "device/device_share.hpp"
#include "device/device_state.hpp"

namespace plait {
namespace {

using detail::cuda_device;
using detail::cuda_functions;

[[nodiscard]] std::vector<device> devices_by(const cuda_functions* by, std::size_t share,
                                             std::size_t shares) {
  const std::size_t count = by != nullptr ? by->count_devices() : 0;
  std::vector<device> all;
  for (const std::size_t ordinal : detail::device_share(count, share, shares)) {
    const int index = static_cast<int>(all.size());
    all.emplace_back(std::make_shared<detail::device_state>(
        index, by->kind(), std::make_unique<cuda_device>(*by, static_cast<int>(ordinal))));
  }
  return all;
}

[[nodiscard]] const cuda_device& device_of(detail::device_state& any, bool is_hip) {
  const auto* const here = dynamic_cast<const cuda_device*>(&any.commands());
  PLAIT_EXPECTS(here != nullptr && here->is_hip() == is_hip,
                is_hip ? "it is of a HIP device" : "it is of a CUDA device");
  return *here;
}

}  // namespace

std::vector<device> cuda_devices(std::size_t share, std::size_t shares) {
  return devices_by(cuda_functions::find_cuda(), share, shares);
}
std::vector<device> hip_devices(std::size_t share, std::size_t shares) {
  return devices_by(cuda_functions::find_hip(), share, shares);
}

CUstream_st* cuda::stream(queue to) {
  return device_of(to.device(), false).stream(to.which());
}
int cuda::ordinal(const device& of) {
  return device_of(*of.state(), false).ordinal();
}
ihipStream_t* hip::stream(queue to) {
  return reinterpret_cast<ihipStream_t*>(device_of(to.device(), true).stream(to.which()));
}
int hip::ordinal(const device& of) {
  return device_of(*of.state(), true).ordinal();
}

}  // namespace plait
