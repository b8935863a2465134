// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "measure/base/gather.hpp"
#include "support/mpi_test.hpp"

namespace {

using plait::test::test_environment;

TEST(of_slowest_rank, leaves_out_ranks_that_could_not_measure) {
  auto& env = test_environment();
  const double own = env.rank() == 1 ? 5.0 : std::nan("");
  const std::vector<double> slowest = plait::measure::of_slowest_rank(env, {own, own});
  EXPECT_EQ(slowest, env.rank() == 0 ? std::vector<double>(2, 5.0) : std::vector<double>());
}

TEST(of_slowest_rank, compares_what_was_measured) {
  auto& env = test_environment();
  const double own = 1.0 + env.rank();
  const std::vector<double> slowest =
      plait::measure::of_slowest_rank(env, {std::nan(""), own, own, std::nan("")});
  if (env.rank() != 0) return;
  EXPECT_EQ(slowest.at(1), static_cast<double>(env.size()));
}

}  // namespace
