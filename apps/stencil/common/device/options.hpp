// SPDX-License-Identifier: BSD-3-Clause
/// Options of the rows on a device.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <plait/plait.hpp>

#include "common/domain.hpp"
#include "measure/base/command_line.hpp"

namespace plait::stencil {

/// The device that all rows use in turns, and how its kernels and messages are cut.
struct device_options {
  device gpu = {};           ///< none, where no row needs one
  bool is_emulated = false;  ///< or OpenCL's
  copy_cost bus = {};
  double cells_per_s = 0;       ///< of an emulated device's kernel
  int parts = 0;                ///< of a face's message; 0: by the model
  double link_bytes_per_s = 0;  ///< 0: not known
};

/// Errors: usage_error where blocks have neighbours in x or y: those faces do not lie in one piece.
void expect_slabs(const domain& whole);

/// Returns the number of parts of a message of a face.
[[nodiscard]] int parts_of(const device_options& how, double message_bytes);

[[nodiscard]] inline bool is_on_device(std::string_view name) {
  return name.starts_with("device_");
}

/// Returns whether a row gives the device its commands by hand, which only an emulated one takes.
[[nodiscard]] inline bool is_by_hand(std::string_view name) {
  return name == "device_base" || name == "device_olap";
}

/// The options --device, --kernel-rate and --device-parts.
struct device_words {
  std::string device;
  double cells_per_s = 2e8;
  std::int64_t parts = 0;

  void add_to(measure::command_line& to);
  /// Makes the device that --device names, or else PLAIT_DEVICE, which is gone then: a runtime
  /// would have other devices than the rows by hand.  Errors: usage_error that names the word.
  [[nodiscard]] device_options made(const environment& env, double link_bytes_per_s) const;
};

}  // namespace plait::stencil
