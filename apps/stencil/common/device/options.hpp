// SPDX-License-Identifier: BSD-3-Clause
/// Options of the rows on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plait/plait.hpp>

#include "common/domain.hpp"
#include "common/face.hpp"
#include "layout.hpp"
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

/// Returns the number of parts of a message of a face; without faces, 1.
[[nodiscard]] int parts_of(const device_options& how, const device_layout& lies,
                           const std::vector<face>& faces);

/// Returns whether a run's rows are those of a device.  Errors: usage_error for such beside others,
/// which have other bounds.
[[nodiscard]] bool are_on_device(const std::vector<std::string>& rows);
/// Errors: usage_error for rows that give the device its commands by hand, which only an emulated
/// one takes.
void expect_takes(const device_options& how, const std::vector<std::string>& rows);

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
