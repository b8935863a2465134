// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/comm/environment.hpp>
#include <plait/core/clock.hpp>
#include <plait/core/error.hpp>

#include "support/mpi_test.hpp"

namespace {

using plait::test::test_environment;

TEST(environment, ranks_hosts_and_nodes_fit_together) {
  auto& env = test_environment();
  EXPECT_GE(env.rank(), 0);
  EXPECT_LT(env.rank(), env.size());
  ASSERT_EQ(env.hosts().size(), static_cast<std::size_t>(env.size()));
  EXPECT_EQ(env.hosts()[static_cast<std::size_t>(env.rank())], env.host());
  EXPECT_EQ(env.node_size(), std::count(env.hosts().begin(), env.hosts().end(), env.host()))
      << "this test runs on one machine";
  EXPECT_LT(env.node_rank(), env.node_size());
}

TEST(environment, every_rank_of_the_node_may_run_somewhere) {
  auto& env = test_environment();
  ASSERT_EQ(env.node_units().size(), static_cast<std::size_t>(env.node_size()));
  for (const auto& units : env.node_units()) {
    EXPECT_FALSE(units.empty());
    EXPECT_TRUE(std::is_sorted(units.begin(), units.end()));
  }
}

TEST(environment, ranks_that_do_not_work_have_no_share_of_a_node) {
  auto& env = test_environment();
  const auto all = env.node_units();
  const int rank = env.node_rank();
  env.set_working([&](int one) { return one == env.rank(); });
  EXPECT_EQ(env.node_size(), 1);
  EXPECT_EQ(env.node_rank(), 0);
  EXPECT_EQ(env.node_units().front(), all[static_cast<std::size_t>(rank)]);
  env.set_working([&](int one) { return one != env.rank(); });
  EXPECT_EQ(env.node_units(), all) << "a rank counts itself";
  env.set_working([](int one) { return one % 2 == 0; });
  int even_or_this = 0;
  for (int one = 0; one < env.size(); ++one)
    even_or_this += one % 2 == 0 || one == env.rank() ? 1 : 0;
  EXPECT_EQ(env.node_size(), even_or_this) << "this test runs on one machine";
  env.set_working([](int) { return true; });
  EXPECT_EQ(env.node_units(), all);
  EXPECT_EQ(env.node_rank(), rank);
}

TEST(environment, the_process_is_named_by_its_rank) {
  auto& env = test_environment();
  EXPECT_EQ(plait::process_label(), "rank " + std::to_string(env.rank()) + " on " + env.host());
}

TEST(environment, the_mpi_library_has_one_line) {
  const std::string version = test_environment().mpi_version();
  EXPECT_FALSE(version.empty());
  EXPECT_EQ(version.find('\n'), std::string::npos);
  EXPECT_TRUE(version.find("Open MPI") != std::string::npos ||
              version.find("MPICH") != std::string::npos)
      << version;
}

// Where the library is MPICH, over UCX or not: what is set before MPI starts must be there then.
// With Open MPI it depends on whether processes may read each other's memory.
TEST(environment, what_it_set_of_the_transport_is_in_the_environment_variables) {
  const std::string set = test_environment().transport_settings();
  if (test_environment().mpi_version().find("MPICH") != std::string::npos) {
    EXPECT_NE(set, "");
  }
  std::istringstream words(set);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const char* value = std::getenv(word.substr(0, equals).c_str());
    ASSERT_NE(value, nullptr) << word;
    EXPECT_EQ(value, word.substr(equals + 1));
  }
}

TEST(environment, gather_brings_every_ranks_bytes_to_rank_0) {
  auto& env = test_environment();
  const auto text_of = [](int rank) {
    std::string text(static_cast<std::size_t>(rank) * 100'000, static_cast<char>('a' + rank));
    return text + '\0' + std::to_string(rank);
  };
  const auto all = env.gather(text_of(env.rank()));
  if (env.rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  ASSERT_EQ(all.size(), static_cast<std::size_t>(env.size()));
  for (int r = 0; r < env.size(); ++r) {
    EXPECT_EQ(all[static_cast<std::size_t>(r)], text_of(r)) << "rank " << r;
  }
}

TEST(environment, barriers_keep_the_ranks_together) {
  auto& env = test_environment();
  for (int i = 0; i < 50; ++i) env.barrier();
}

/// plait's clock minus the monotonic clock, which all processes of this machine share; `error` is
/// the time between the two readings of the latter.
struct comparison {
  double difference_s = 0;
  double error_s = 1;
};
comparison compare_clocks() {
  const auto steady = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  comparison best;
  for (int i = 0; i < 1000; ++i) {
    const double before = steady();
    const double plaits = plait::ticks_to_seconds(plait::now_ticks());
    const double after = steady();
    if (after - before < best.error_s) best = {plaits - (before + after) / 2, after - before};
  }
  return best;
}

TEST(environment, the_clock_offset_is_that_of_the_two_clocks) {
  auto& env = test_environment();
  const comparison mine = compare_clocks();
  const auto offset = env.measure_clock_offset();
  EXPECT_GE(offset.uncertainty_s, 0);
  if (env.rank() == 0) {
    EXPECT_EQ(offset.offset_s, 0);
  }
  const auto as_bytes = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto clocks = env.gather(as_bytes(mine));
  const auto offsets = env.gather(as_bytes(offset));
  if (env.rank() != 0) return;
  for (std::size_t r = 1; r < clocks.size(); ++r) {
    comparison theirs;
    plait::environment::clock_offset measured;
    std::memcpy(&theirs, clocks[r].data(), sizeof theirs);
    std::memcpy(&measured, offsets[r].data(), sizeof measured);
    EXPECT_NEAR(measured.offset_s, mine.difference_s - theirs.difference_s,
                measured.uncertainty_s + mine.error_s + theirs.error_s + 2e-6)
        << "rank " << r;
  }
}

}  // namespace
