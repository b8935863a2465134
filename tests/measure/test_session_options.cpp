// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include "measure/base/session_options.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace {

using plait::test::refusal;
using plait::test::test_environment;

TEST(check_memory, counts_every_rank_of_a_host_those_that_sleep_too) {
  auto& env = test_environment();
  const double host_bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto said = [&](double rank_bytes) {
    return refusal([&] { plait::measure::check_memory(env, "--size", rank_bytes); });
  };
  env.set_working([](int rank) { return rank == 0; });
  EXPECT_EQ(said(0.9 * host_bytes / env.size()), "accepted");
  EXPECT_NE(said(1.1 * host_bytes / env.size()), "accepted");
  env.set_working([](int) { return true; });
  EXPECT_NE(said(1.1 * host_bytes / env.size()), "accepted");
}

}  // namespace
