// SPDX-License-Identifier: BSD-3-Clause
#include "device/options.hpp"

#include <algorithm>
#include <cstdlib>

namespace jacobi3d {

void device_words::add_to(plait::measure::command_line& to) {
  to.option("--device", device,
            "The device of rows device_…, as PLAIT_DEVICE names one: emulated, or with count, bus "
            "(bytes/s), latency, delay (s), faults and seed");
  to.option("--kernel-rate", cells_per_s, "Cells that a kernel computes there, a second");
  to.option("--device-parts", parts,
            "Parts of a message from there, and of the kernels beside it; 0 = by the model");
}

device_options device_words::made(double link_bytes_per_s) const {
  plait::measure::check_range("--device-parts", parts, 0, 1024);
  plait::measure::check_positive("--kernel-rate", cells_per_s, std::int64_t{1} << 50);
  if (std::getenv("PLAIT_DEVICE") != nullptr)
    throw plait::usage_error(
        "PLAIT_DEVICE is set, and rows on a device take the one of --device; unset it");
  device_options result{.device = plait::emulated_options_of(device, "--device"),
                        .cells_per_s = cells_per_s,
                        .parts = static_cast<int>(parts),
                        .link_bytes_per_s = link_bytes_per_s};
  result.gpu = plait::emulated_devices(result.device).front();
  return result;
}

}  // namespace jacobi3d
