// SPDX-License-Identifier: BSD-3-Clause
/// Options of the rows on a device.
#pragma once

#include <optional>

#include <plait/plait.hpp>

#include "common/device/options.hpp"

namespace jacobi3d {

/// The device that all rows use in turns.
struct device_options : plait::stencil::device_options {
  /// OpenCL's kernel; none: the device is emulated, and computes by the host's.
  std::optional<plait::opencl::kernel> relax = {};
};

/// Builds the kernel for the device.  Errors: those of OpenCL.
[[nodiscard]] device_options with_kernel(const plait::stencil::device_options& on);

}  // namespace jacobi3d
