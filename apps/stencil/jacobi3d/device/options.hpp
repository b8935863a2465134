// SPDX-License-Identifier: BSD-3-Clause
/// Options of the rows on a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "measure/base/command_line.hpp"

namespace jacobi3d {

/// The device that all rows use in turns, and how its kernels and messages are cut.
struct device_options {
  plait::device gpu = {};  ///< none, where no row needs one
  plait::emulated_options device = {};
  double cells_per_s = 0;       ///< of a kernel
  int parts = 0;                ///< of a face's message; 0: by the model
  double link_bytes_per_s = 0;  ///< 0: not known
};

[[nodiscard]] inline bool is_on_device(std::string_view name) {
  return name.starts_with("device_");
}

/// The options --device, --kernel-rate and --device-parts.
struct device_words {
  std::string device = "emulated:bus=5e8";
  double cells_per_s = 2e8;
  std::int64_t parts = 0;

  void add_to(plait::measure::command_line& to);
  /// Makes the device.  Errors: usage_error that names an option, or PLAIT_DEVICE where it is set:
  /// a runtime would have other devices than the rows by hand.
  [[nodiscard]] device_options made(double link_bytes_per_s) const;
};

}  // namespace jacobi3d
