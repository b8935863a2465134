// SPDX-License-Identifier: BSD-3-Clause
/// A test with emulated devices, on so many workers.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <plait/device/device_array.hpp>
#include <plait/device/emulated.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/mpi_test.hpp"

namespace plait::test {

inline constexpr double no_time = 0;

inline void add_one_there(queue q, device_span<int> x) {
  emulated::launch(q, no_time, [x] {
    for (std::size_t i = 0; i < x.size(); ++i) ++x.data()[i];
  });
}
class device_test : public ::testing::TestWithParam<int> {
 protected:
  environment& env = test_environment();

  /// With late commands, unless told otherwise.
  [[nodiscard]] runtime_options options(emulated_options how = {.delay_s = 2e-4}) const {
    return {.tasks = {.workers = GetParam()}, .devices = emulated_devices(how)};
  }
  [[nodiscard]] std::vector<int> ascending(std::size_t n, int first = 0) const {
    std::vector<int> x(n);
    std::iota(x.begin(), x.end(), first);
    return x;
  }
};

}  // namespace plait::test
