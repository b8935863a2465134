// SPDX-License-Identifier: BSD-3-Clause
// Where the time of OpenMP's threads goes, and the efficiencies that follow, against numbers that
// were reckoned by hand.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "made_run.hpp"

namespace plait::attach {
namespace {

constexpr double millisecond = 1e-3;

/// Teams of `threads` threads, for `time` ms in all, in which each waits `each` ms, and some wait
/// `unequal` ms more together.
void add_teams(profile_header& h, int threads, ticks time, ticks each, ticks unequal,
               ticks mpi = 0) {
  team_sums& sums = h.teams;
  ++sums.teams;
  sums.largest = std::max(sums.largest, threads);
  sums.time += 1000 * time;
  sums.capacity += 1000 * threads * time;
  sums.busy += 1000 * (threads * (time - each) - unequal);
  sums.mpi += 1000 * mpi;
  sums.own_mpi += 1000 * mpi;
  sums.scheduling += 1000 * threads * each;
  sums.unequal += 1000 * unequal;
}

/// 100 ms each: rank 0 is in MPI for 20, rank 1 for 40, outside teams.  Teams of 4 take 60 of 80
/// and 40 of 60 ms.
[[nodiscard]] std::vector<rank_profile> two_ranks() {
  std::vector<made_rank> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    made_rank& one = ranks.emplace_back(rank, 2);
    one.compute(rank == 0 ? 80 : 60);
    one.reduce(rank == 0 ? 20 : 40);
    if (rank == 0) {
      add_teams(one.header(), 4, 60, 2, 32);
    } else {
      add_teams(one.header(), 4, 40, 1, 16);
    }
  }
  return profiles_of(ranks);
}

TEST(hybrid, the_time_of_all_threads_is_told) {
  const analysis run = analyse(two_ranks());
  const thread_times& first = run.ranks[0].openmp;
  EXPECT_EQ(first.threads, 4);
  EXPECT_NEAR(first.useful_s / millisecond, 4 * 60 - 4 * 2 - 32 + 20, 1e-6);
  EXPECT_NEAR(first.mpi_s / millisecond, 4 * 20, 1e-6);
  EXPECT_NEAR(first.unequal_s / millisecond, 32, 1e-6);
  EXPECT_NEAR(first.scheduling_s / millisecond, 8, 1e-6);
  EXPECT_NEAR(first.serial_s / millisecond, 3 * 20, 1e-6);
  for (const rank_result& one : run.ranks) EXPECT_NEAR(one.openmp.all_s() / millisecond, 400, 1e-6);
  EXPECT_EQ(run.openmp.threads, 8);
  EXPECT_NEAR(run.openmp.all_s() / millisecond, 800, 1e-6);
}

TEST(hybrid, efficiencies_are_those_of_talp) {
  const analysis run = analyse(two_ranks());
  const hybrid_metrics& of = run.hybrid;
  // Outside MPI: 80 and 60 of 100 ms.
  EXPECT_NEAR(of.mpi, 0.7, 1e-9);
  EXPECT_NEAR(of.mpi_communication, 0.8, 1e-9);
  EXPECT_NEAR(of.mpi_load_balance, 0.875, 1e-9);
  EXPECT_NEAR(of.mpi_balance_within, 1, 1e-9);  // a node each
  EXPECT_NEAR(of.mpi_balance_between, 0.875, 1e-9);
  // Computing 220 + 160, serial 60 + 60, unequal 32 + 16, scheduling 8 + 4 ms.
  EXPECT_NEAR(run.openmp.useful_s / millisecond, 380, 1e-6);
  EXPECT_NEAR(of.openmp, 380.0 / 560, 1e-9);
  EXPECT_NEAR(of.openmp_serial, 380.0 / 500, 1e-9);
  EXPECT_NEAR(of.openmp_load_balance, 500.0 / 548, 1e-9);
  EXPECT_NEAR(of.openmp_scheduling, 548.0 / 560, 1e-9);
  EXPECT_NEAR(of.openmp_serial * of.openmp_load_balance * of.openmp_scheduling, of.openmp, 1e-9);
  EXPECT_NEAR(of.parallel, 380.0 / 800, 1e-9);
}

TEST(hybrid, ranks_of_a_node_are_balanced_within_it) {
  std::vector<rank_profile> ranks = two_ranks();
  for (rank_profile& one : ranks) std::strcpy(one.header.host, "node");
  const hybrid_metrics of = analyse(ranks).hybrid;
  EXPECT_NEAR(of.mpi_balance_within, 0.875, 1e-9);
  EXPECT_NEAR(of.mpi_balance_between, 1, 1e-9);
}

TEST(hybrid, mpi_inside_a_team_is_of_the_thread_that_calls) {
  std::vector<made_rank> ranks(1, made_rank(0, 1));
  ranks[0].compute(80);
  ranks[0].reduce(20);
  add_teams(ranks[0].header(), 2, 100, 0, 30, 20);
  const thread_times of = analyse(profiles_of(ranks)).openmp;
  EXPECT_NEAR(of.useful_s / millisecond, 200 - 30 - 20, 1e-6);
  EXPECT_NEAR(of.mpi_s / millisecond, 20, 1e-6);
  EXPECT_NEAR(of.serial_s / millisecond, 0, 1e-6);
}

TEST(hybrid, smaller_teams_leave_threads_with_nothing_to_do) {
  std::vector<made_rank> ranks(1, made_rank(0, 1));
  ranks[0].compute(100);
  add_teams(ranks[0].header(), 4, 50, 0, 0);
  add_teams(ranks[0].header(), 2, 50, 0, 0);
  const thread_times of = analyse(profiles_of(ranks)).openmp;
  EXPECT_NEAR(of.useful_s / millisecond, 300, 1e-6);
  EXPECT_NEAR(of.serial_s / millisecond, 100, 1e-6);
}

TEST(hybrid, a_rank_without_teams_has_one_thread) {
  std::vector<rank_profile> ranks = two_ranks();
  ranks[1].header.teams = {};
  const analysis run = analyse(ranks);
  EXPECT_EQ(run.openmp.threads, 5);
  EXPECT_NEAR(run.openmp.all_s() / millisecond, 500, 1e-6);
  EXPECT_NEAR(run.hybrid.mpi, (4 * 80 + 60) / 500.0, 1e-9);
}

TEST(hybrid, nothing_is_said_without_teams) {
  std::vector<rank_profile> ranks = two_ranks();
  for (rank_profile& one : ranks) one.header.teams = {};
  const analysis run = analyse(ranks);
  EXPECT_EQ(run.openmp.threads, 0);
  EXPECT_EQ(summary_text(run).find("OpenMP"), std::string::npos);
  EXPECT_EQ(result_json(run).find("\"openmp\""), std::string::npos);
  EXPECT_NE(summary_text(analyse(two_ranks())).find("OpenMP, 8 threads in 2 ranks: 47.5% computes"),
            std::string::npos);
}

}  // namespace
}  // namespace plait::attach
