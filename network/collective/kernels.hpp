// SPDX-License-Identifier: BSD-3-Clause
/// Describes what a rank itself takes for a collective: combining and copying, calls and tasks.
#pragma once

#include <cstddef>

namespace plait::network::collectives {

/// Seconds per byte of one operand.
struct kernel_times {
  double combine_s = 0;  ///< γ: sums of doubles, as a reduction's tasks make them
  double copy_s = 0;     ///< κ
};

/// Seconds.
struct task_times {
  double call_s = 0;  ///< to submit a collective call that moves nothing
  double task_s = 0;  ///< a task, from submission to end, in a chain
};

/// On data just written, of this size and at least one double's; κ of one block of as many as there
/// are ranks, which is where it comes from in operations.
[[nodiscard]] kernel_times measure_kernels(std::size_t size_bytes, int ranks);

}  // namespace plait::network::collectives
