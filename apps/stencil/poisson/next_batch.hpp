// SPDX-License-Identifier: BSD-3-Clause
/// The number of iterations to begin before anybody looks whether more are needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plait::measure {

/// The state of an iterative method, by a figure that it makes smaller: a squared residual.
struct convergence {
  double first = 1;
  double now = 1;
  double enough = 0;      ///< where it ends; 0: not before `most` iterations
  std::int64_t done = 0;  ///< iterations
  std::int64_t most = 0;
};

/// Returns at least 1 and at most 64 iterations: so that few are begun in vain, half of those that
/// the convergence so far leaves to expect.
[[nodiscard]] inline int next_batch(const convergence& so_far) {
  constexpr double first_batch = 8;
  constexpr double most_in_a_batch = 64;
  const auto left = static_cast<double>(so_far.most - so_far.done);
  double expected = left;
  if (so_far.enough > 0) {
    const double missing = std::log(so_far.now / so_far.enough);
    const double gained = std::log(so_far.first / so_far.now);
    expected = so_far.done == 0 ? first_batch
                                : 0.5 * static_cast<double>(so_far.done) * missing /
                                      std::max(gained, missing / 16);
  }
  return static_cast<int>(std::clamp(std::min(expected, left), 1.0, most_in_a_batch));
}

}  // namespace plait::measure
