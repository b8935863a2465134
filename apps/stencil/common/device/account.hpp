// SPDX-License-Identifier: BSD-3-Clause
/// The device's account of a run, which stands for that of a worker.
#pragma once

#include <plait/plait.hpp>

#include "measure/compare/variant.hpp"

namespace plait::stencil {

/// The account of a run on a device.
class device_account {
 public:
  /// Begins it.
  void begin(const device& gpu);
  /// Ends it.  `said`: the row has told plait when a message was under way.  By hand nobody does:
  /// what the device did not compute counts as exposed then.
  void end(const device& gpu, bool said);
  /// Says in a report where the device's time went: kernels are its computation.  Adds the figures
  /// "to_host_s" and "to_device_s" of copies, and of the whole process, the threads of an emulated
  /// device included, "host_cpu_s" and "host_sleeps", how often a thread has gone to sleep.
  void add_to(measure::run_report& report) const;

 private:
  device_ledger device_;
  double cpu_s_ = 0;
  double sleeps_ = 0;
};

}  // namespace plait::stencil
