// SPDX-License-Identifier: BSD-3-Clause
// Whether a rank gives one of its cores to communication.
#include <array>

#include <gtest/gtest.h>
#include <plait/plait.hpp>

#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

/// Of two cores: a worker less costs a tenth, messages take a quarter of both.
constexpr model::node_step paying{
    .cores = 2, .computation_s = 1e-3, .one_less_s = 1.1e-3, .taken_s = 5e-4};
constexpr model::node_step unpaying{.cores = 2, .computation_s = 1e-3, .one_less_s = 2e-3};

/// A ring, by which a rank knows that it communicates.
int from_the_left(runtime& rt, environment& env) {
  const std::array<int, 1> own{env.rank()};
  std::array<int, 1> got{-1};
  rt.send("to the right", in(own), (env.rank() + 1) % env.size());
  rt.recv("from the left", out(got), (env.rank() + env.size() - 1) % env.size());
  rt.wait();
  return got[0];
}

void expect_workers(const runtime_options& options, int workers, const char* policy,
                    const char* reason) {
  environment& env = test_environment();
  runtime rt{env, options};
  EXPECT_EQ(rt.workers(), workers);
  EXPECT_EQ(rt.progress_choice().name, policy);
  EXPECT_NE(rt.progress_choice().reason.find(reason), std::string::npos)
      << rt.progress_choice().reason;
  EXPECT_EQ(from_the_left(rt, env), (env.rank() + env.size() - 1) % env.size());
}

TEST(service_core, has_a_worker_s_core_where_it_is_asked_for) {
  expect_workers({.engine = {.cores = 2}, .service = service_core::always}, 1, "dedicated",
                 "1 worker on 2 cores");
}

TEST(service_core, cores_that_are_named_count_instead_of_the_fair_share) {
  expect_workers({.engine = {.cores = 3}, .tasks = {.workers = 2}}, 2, "dedicated",
                 "2 workers on 3 cores");
  expect_workers({.engine = {.cores = 2}, .tasks = {.workers = 2}}, 2, "sleeping+workers",
                 "2 workers on 2 cores");
}

TEST(service_core, is_no_one_s_unless_asked_for) {
  expect_workers({.engine = {.cores = 2}}, 2, "sleeping+workers", "2 workers on 2 cores");
  expect_workers({.engine = {.cores = 2}, .step = paying}, 2, "sleeping+workers",
                 "which would pay");
}

TEST(service_core, is_given_where_the_model_says_that_it_pays) {
  constexpr auto where_it_pays = service_core::where_it_pays;
  expect_workers({.engine = {.cores = 2}, .service = where_it_pays, .step = paying}, 1, "dedicated",
                 "which would pay");
  expect_workers({.engine = {.cores = 2}, .service = where_it_pays, .step = unpaying}, 2,
                 "sleeping+workers", "which would not pay");
  expect_workers({.engine = {.cores = 2}, .service = where_it_pays}, 2, "sleeping+workers",
                 "noticed within");
  expect_workers({.engine = {.cores = 1}, .service = where_it_pays, .step = paying}, 1,
                 "sleeping+workers", "1 worker on 1 core");
}

TEST(service_core, refuses_what_contradicts_itself) {
  environment& env = test_environment();
  const auto refused = [&](const runtime_options& options) {
    return refusal([&] { const runtime rt{env, options}; });
  };
  EXPECT_NE(refused({.engine = {.cores = 1}, .service = service_core::always}).find("2 cores"),
            std::string::npos);
  EXPECT_NE(
      refused({.engine = {.cores = 2}, .tasks = {.workers = 1}, .service = service_core::always})
          .find("workers"),
      std::string::npos);
  EXPECT_NE(refused({.engine = {.cores = -1}}).find("cores is -1"), std::string::npos);
}

}  // namespace
}  // namespace plait::test
