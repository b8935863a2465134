// SPDX-License-Identifier: BSD-3-Clause
/// Devices that are not there: threads do the work of kernels and copies, and then sleep for as
/// long as a device would take.  What hiding gains can be measured with them, and faults injected.
#pragma once

#include <plait/core/cxx20.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/device/device.hpp>

namespace plait {

/// Says how emulated devices behave.
struct emulated_options {
  int count = 1;                  ///< devices of this rank, at most 64
  double bus_bytes_per_s = 1e10;  ///< of a copy, each way
  double latency_s = 5e-6;        ///< of a copy
  double delay_s = 0;             ///< every command takes up to so much longer, at random
  double faults = 0;              ///< probability that a kernel or a copy fails
  std::uint64_t seed = 1;         ///< of delays and faults
};

/// Reads what PLAIT_DEVICE says: "emulated", or with options "emulated:count=2,bus=1e9".  Options:
/// count, bus (bytes/s), latency, delay (s), faults, seed.  Errors: usage_error that names the
/// word, and `named`, where the text comes from.
[[nodiscard]] emulated_options emulated_options_of(const std::string& text,
                                                   const std::string& named = "PLAIT_DEVICE");

/// Makes devices that live as long as they are named.
[[nodiscard]] std::vector<device> emulated_devices(const emulated_options& options = {});

namespace emulated {
/// Enqueues a kernel: `work` runs in a thread of the device, and the kernel ends `seconds` after it
/// began, or when `work` has ended if that is later.  From a task's function, with its queue.
void launch(queue to, double seconds, std::function<void()> work);
}  // namespace emulated

}  // namespace plait
