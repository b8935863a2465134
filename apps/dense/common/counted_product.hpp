// SPDX-License-Identifier: BSD-3-Clause
/// The work beside which messages of dense matrices are measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "blas.hpp"

namespace plait::dense {

/// Returns a product of small matrices, some 100 µs, with which the transport's processor time is
/// counted.
[[nodiscard]] inline std::function<void()> counted_product() {
  constexpr std::int64_t n = 96;
  const auto memory = std::make_shared<std::vector<double>>(3 * n * n, 1.0);
  return [memory] {
    double* const a = memory->data();
    multiply(op::none, op::none, {n, n, n}, 1.0, {a, n}, {a + n * n, n}, 0.0, {a + 2 * n * n, n});
  };
}

}  // namespace plait::dense
