// SPDX-License-Identifier: BSD-3-Clause
/// A fixture for tests of blocking MPI in tasks: policies, workers and in-flight limits.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <plait/comm/mpi.hpp>
#include <plait/runtime/runtime.hpp>

#include "support/all_policies.hpp"
#include "support/mpi_test.hpp"

namespace plait::test {

using blocking_case = std::tuple<progress, int, std::size_t>;

class blocking_test : public ::testing::TestWithParam<blocking_case> {
 protected:
  environment& env = test_environment();
  const MPI_Comm comm = native(env);
  const int right = (env.rank() + 1) % env.size();
  const int left = (env.rank() + env.size() - 1) % env.size();
  [[nodiscard]] runtime_options options() const {
    const auto& [policy, workers, in_flight] = GetParam();
    return {.engine = {.policy = policy}, .tasks = {.workers = workers, .in_flight = in_flight}};
  }
};

inline auto blocking_cases() {
  return ::testing::Combine(::testing::ValuesIn(all_policies), ::testing::Values(1, 3),
                            ::testing::Values(1U, 4096U));
}

inline std::string name_of_case(const ::testing::TestParamInfo<blocking_case>& one) {
  return std::string(to_string(std::get<0>(one.param))) + "_workers_" +
         std::to_string(std::get<1>(one.param)) + "_in_flight_" +
         std::to_string(std::get<2>(one.param));
}

}  // namespace plait::test
