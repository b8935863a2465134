// SPDX-License-Identifier: BSD-3-Clause
/// What a rank itself takes for the bytes of a collective: combining and copying.
#pragma once

#include <cstddef>

namespace plait::probes {

/// Seconds per byte of one operand.
struct kernel_times {
  double combine_s = 0;  ///< γ: sums of doubles, as a reduction's tasks make them
  double copy_s = 0;     ///< κ
};

/// On buffers of this size, at least one double's.
[[nodiscard]] kernel_times measure_kernels(std::size_t size_bytes);

}  // namespace plait::probes
