// SPDX-License-Identifier: BSD-3-Clause
// Sums over three ranks: their bits are those of adding in the order of ranks, whoever adds.
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "measure/base/rank_sum.hpp"
#include "support/mpi_test.hpp"

namespace plait::measure {
namespace {

// One is lost beside so large a number, so that the order of the addends can be seen.
constexpr double large = 1e17;

double of_rank(const std::vector<double>& by_rank) {
  return by_rank[static_cast<std::size_t>(test::test_environment().rank())];
}

TEST(rank_sum, adds_in_the_order_of_ranks) {
  MPI_Comm all = native(test::test_environment());
  EXPECT_EQ(sum_over_ranks(all, of_rank({large, 1, -large})), 0);
  EXPECT_EQ(sum_over_ranks(all, of_rank({large, -large, 1})), 1);
  EXPECT_EQ(sum_over_ranks(all, of_rank({0.5, 0.25, 0.125})), 0.875);
}

TEST(rank_sum, as_tasks_adds_parts_in_their_order_then_ranks_in_theirs) {
  for (const bool is_urgent : {false, true}) {
    environment& env = test::test_environment();
    runtime rt(env, {.tasks = {.workers = 1}});
    sum_tasks sums(env, "sum", {.count = 2, .is_urgent = is_urgent});
    std::vector<double> parts;
    std::vector<double> result;
    const double own = of_rank({large, 1, -large});
    rt.task(
        "parts", [](std::vector<double>& to, double mine) { to = {mine, 1, 0.5, 2, 0.25, 3}; },
        out(parts), own);
    sums.submit(rt, parts, result, [](std::vector<double>& to, std::span<const double> found) {
      to.assign(found.begin(), found.end());
    });
    rt.wait();
    EXPECT_EQ(result, (std::vector<double>{0, 18}));
  }
}

TEST(rank_sum, as_tasks_follows_each_change_of_its_parts) {
  environment& env = test::test_environment();
  runtime rt(env, {.tasks = {.workers = 2}});
  sum_tasks sums(env, "sum");
  std::vector<double> parts(2, 0.0);
  std::vector<double> seen;
  for (int step = 1; step <= 3; ++step) {
    rt.task(
        "parts", [](std::vector<double>& to, int now) { to.assign(2, now); }, out(parts), step);
    sums.submit(rt, parts, seen, [](std::vector<double>& to, std::span<const double> found) {
      to.push_back(found.front());
    });
  }
  rt.wait();
  EXPECT_EQ(seen, (std::vector<double>{6, 12, 18}));
}

}  // namespace
}  // namespace plait::measure
