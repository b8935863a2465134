// SPDX-License-Identifier: BSD-3-Clause
/// Computes what a task does: as long as it is told, on registers only.
#pragma once

namespace plait::bench::metg {

/// An iteration takes some nanoseconds, whatever `start`.  Returns something that depends on all.
[[nodiscard]] double kernel(long iterations, double start);

}  // namespace plait::bench::metg
