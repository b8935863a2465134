// SPDX-License-Identifier: BSD-3-Clause
/// Holds computation alone against what the memory gives: the member "kernel" of a result.
#pragma once

#include <functional>

#include <plait/plait.hpp>

#include "measure/base/gather.hpp"
#include "measure/compare/comparison.hpp"

namespace plait::measure {

/// Measures the memory's bandwidth beside the variants of `what`.  `bytes_per_s`: what this rank
/// gets while all ranks measure.
void measure_bandwidth(environment& env, comparison& what, std::function<double()> bytes_per_s);

/// Returns "bytes_per_s" of computation alone, if a run moves `bytes` on all ranks,
/// "stream_bytes_per_s", and the fraction.  Precondition: the bandwidth was measured.  Rank 0.
[[nodiscard]] json kernel_of(const measurements& found, double bytes);

}  // namespace plait::measure
