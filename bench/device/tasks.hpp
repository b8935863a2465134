// SPDX-License-Identifier: BSD-3-Clause
/// Runs the same kernels as tasks of plait, and a long one that plait waits for.
#pragma once

#include <plait/plait.hpp>

#include "raw_opencl.hpp"

namespace plait::bench::device {

/// Says how many empty kernels, in how many chains of which each kernel follows the one before.
struct load {
  long kernels = 20'000;
  int chains = 1;
  int workers = 1;
};

/// The device of these tasks and its kernels, built once.  One thread.
class opencl_tasks {
 public:
  /// Precondition: OpenCL has a device.  Errors: those of the driver.
  explicit opencl_tasks(environment& env);

  /// Returns what is spent from the first submission until all have run, a tenth of them run
  /// before.
  [[nodiscard]] spent run(const load& what) const;
  /// Returns the same of recorded tasks that are replayed, without the recording.
  [[nodiscard]] spent replay(const load& what) const;
  /// Runs a kernel `spin` and waits for it.
  void spin(std::uint64_t rounds) const;

 private:
  [[nodiscard]] runtime_options options(int workers) const;

  environment& env_;
  plait::device gpu_;
  opencl::kernel nothing_;
  opencl::kernel spin_;
};

/// Returns how many kernels of a chain of `kernels` are enqueued while the first cannot begin: all,
/// where nobody asks the host between two of them.
[[nodiscard]] int enqueued_ahead(environment& env, const raw_opencl& by_hand, int kernels);

/// Runs a kernel of so many seconds on an emulated device, and waits for it.
void wait_for_emulated_kernel(environment& env, double seconds);

}  // namespace plait::bench::device
