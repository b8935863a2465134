// SPDX-License-Identifier: BSD-3-Clause
// Collectives take the algorithm that the model finds fastest, the same on every rank.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/collective/choice.hpp>
#include <plait/core/error.hpp>
#include <plait/model/collective.hpp>
#include <plait/runtime/cheapest_algorithm.hpp>
#include <plait/runtime/runtime.hpp>
#include <unistd.h>

#include "model/networks.hpp"
#include "support/mpi_test.hpp"
#include "support/refusal.hpp"

namespace plait::test {
namespace {

using collective::algorithm;
using collective::operation;
using collective::shape;

shape random_shape(std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  shape call;
  // Without those that have neighbours: there is one algorithm for them.
  call.what = collective::all_operations[below(16)];
  call.ranks = static_cast<int>(1 + below(300));
  call.element_bytes = 1 + below(16);
  call.count = below(5) == 0 ? below(4) : below(std::size_t{1} << below(21));
  call.fragment_bytes = std::size_t{1} << (6 + below(14));
  return call;
}

TEST(algorithm_choice, is_the_least_of_the_models_times_over_random_networks) {
  std::mt19937 random(11);
  std::set<std::string> chosen;
  for (int i = 0; i < 4000; ++i) {
    const model::parameters network = random_network(random);
    const shape call = random_shape(random);
    const bool commutative = i % 3 != 0;
    const algorithm how = cheapest_algorithm(call, commutative, network);
    const auto what = modelled(call.what);
    if (!what) {
      EXPECT_EQ(how, collective::usual_algorithm(call, commutative)) << to_string(call.what);
      continue;
    }
    EXPECT_TRUE(commutative || keeps_order(call.what, how)) << to_string(how);
    const auto formula = modelled(call, how);
    ASSERT_TRUE(formula.has_value()) << to_string(call.what) << " by " << to_string(how);
    const double total_s = model::cost(*what, *formula, network, modelled_shape(call)).total_s;
    chosen.insert(std::string(to_string(call.what)) + " " + std::string(to_string(how)));
    for (const algorithm other : algorithms_of(call.what)) {
      const auto its = modelled(call, other);
      if (!its || (!commutative && !keeps_order(call.what, other))) continue;
      EXPECT_LE(total_s, model::cost(*what, *its, network, modelled_shape(call)).total_s)
          << to_string(call.what) << " by " << to_string(how) << " not " << to_string(other);
    }
  }
  for (const char* one : {"bcast linear", "bcast binomial", "bcast chain", "reduce chain",
                          "allreduce ring", "allreduce recursive_doubling", "allgather bruck",
                          "alltoall bruck", "alltoall linear", "gather binomial", "scan chain"}) {
    EXPECT_TRUE(chosen.contains(one)) << one << " never is the fastest";
  }
}

TEST(algorithm_choice, looks_at_nothing_that_differs_between_ranks) {
  std::mt19937 random(12);
  for (int i = 0; i < 500; ++i) {
    const model::parameters network = random_network(random);
    shape call = random_shape(random);
    if (!modelled(call.what)) continue;
    const algorithm how = cheapest_algorithm(call, true, network);
    call.rank = call.ranks - 1;
    call.in_place = true;
    call.send_blocks = {{7, 3}};
    call.receive_blocks = {{1, 2}, {5, 9}};
    EXPECT_EQ(cheapest_algorithm(call, true, network), how);
  }
}

TEST(algorithm_choice, of_equals_is_the_usual_one) {
  const shape call{.what = operation::reduce_scatter_block, .ranks = 6, .count = 100};
  EXPECT_EQ(cheapest_algorithm(call, true, example_network()), algorithm::pairwise);
  EXPECT_EQ(cheapest_algorithm(shape{.ranks = 1}, true, {}), algorithm::dissemination);
}

/// Sets a variable of the environment while it lives.
class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~variable() { unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
};

/// How many messages of a bcast this rank posts.
std::uint64_t messages_of_bcast(runtime& rt, std::vector<int>& x) {
  const std::uint64_t before = rt.progress_statistics().operations;
  rt.bcast("bcast", inout(x), 0, {.fragment_bytes = 400});
  rt.wait();
  return rt.progress_statistics().operations - before;
}

TEST(algorithm_choice, every_rank_has_that_of_rank_0) {
  environment& env = test_environment();
  std::vector<int> x(1000, env.rank());
  // Bandwidth alone costs: a chain of fragments is fastest.  Latency alone: all at once.
  const model::parameters slow_link{.gap_per_byte_s = 1e-6};
  const model::parameters far_away{.latency_s = 1};
  const shape call{
      .what = operation::bcast, .ranks = env.size(), .count = 4000, .fragment_bytes = 400};
  for (const model::parameters& network : {slow_link, far_away}) {
    const model::parameters own = env.rank() == 0 ? network : example_network();
    runtime rt{env, {.tasks = {.workers = 1}, .compare_sizes = false, .network = own}};
    ASSERT_TRUE(rt.network().has_value());
    EXPECT_EQ(rt.network()->latency_s, network.latency_s);
    EXPECT_EQ(rt.network()->gap_per_byte_s, network.gap_per_byte_s);
    const algorithm how = cheapest_algorithm(call, true, network);
    if (env.size() > 2) {
      EXPECT_EQ(how, network.latency_s > 0 ? algorithm::linear : algorithm::chain);
    }
    const auto steps = collective::build({.what = operation::bcast,
                                          .ranks = env.size(),
                                          .rank = env.rank(),
                                          .count = 4000,
                                          .fragment_bytes = 400},
                                         how);
    EXPECT_EQ(messages_of_bcast(rt, x), steps.actions.size());
    EXPECT_EQ(x, std::vector<int>(1000, 0));
  }
}

TEST(algorithm_choice, without_parameters_large_operations_cost_hardly_more_than_the_least) {
  const model::parameters network{.latency_s = 2e-5,
                                  .send_overhead_s = 2e-6,
                                  .receive_overhead_s = 2e-6,
                                  .gap_s = 3e-6,
                                  .gap_per_byte_s = 8e-9};
  for (const operation what : {operation::bcast, operation::reduce, operation::allreduce,
                               operation::allgather, operation::alltoall}) {
    for (int ranks = 2; ranks <= 64; ranks += ranks < 9 ? 1 : 11) {
      const shape call{
          .what = what, .ranks = ranks, .element_bytes = 8, .count = std::size_t{1} << 19};
      const auto total_s = [&](algorithm how) {
        return model::cost(modelled(what).value(), modelled(call, how).value(), network,
                           modelled_shape(call))
            .total_s;
      };
      EXPECT_LE(total_s(collective::usual_algorithm(call, true)),
                1.1 * total_s(cheapest_algorithm(call, true, network)))
          << to_string(what) << " on " << ranks << " ranks";
    }
  }
}

TEST(algorithm_choice, without_parameters_the_rule_decides) {
  environment& env = test_environment();
  runtime rt{env, {.tasks = {.workers = 1}, .compare_sizes = false}};
  EXPECT_FALSE(rt.network().has_value());
  std::vector<int> x(10, env.rank());
  const shape call{.what = operation::bcast,
                   .ranks = env.size(),
                   .rank = env.rank(),
                   .element_bytes = 4,
                   .count = 10};
  EXPECT_EQ(messages_of_bcast(rt, x),
            collective::build(call, collective::usual_algorithm(call, true)).actions.size());
}

TEST(algorithm_choice, a_file_has_the_last_word_and_a_bad_one_is_refused_on_every_rank) {
  environment& env = test_environment();
  const std::string path = ::testing::TempDir() + "network_of_" + std::to_string(getpid());
  std::ofstream(path) << R"({"network": {"latency_s": 3e-5, "send_overhead_s": 0,
      "receive_overhead_s": 0, "gap_s": 0, "gap_per_byte_s": 1e-9}})";
  {
    // The others have no such file, and need none.
    const variable file("PLAIT_NETWORK", env.rank() == 0 ? path : "/nowhere/at/all");
    runtime rt{env, {.tasks = {.workers = 1}, .network = example_network()}};
    ASSERT_TRUE(rt.network().has_value());
    EXPECT_EQ(rt.network()->latency_s, 3e-5);
  }
  {
    const variable file("PLAIT_NETWORK", env.rank() == 0 ? "/nowhere/at/all" : path);
    EXPECT_EQ(refusal([&] { runtime rt(env, {.tasks = {.workers = 1}}); }),
              "PLAIT_NETWORK: /nowhere/at/all: cannot be read");
  }
  EXPECT_EQ(refusal([&] {
              runtime rt(env, {.tasks = {.workers = 1}, .network = model::parameters{.gap_s = -1}});
            }),
            "runtime_options::network: g (gap_s) is -1 s; it must be finite and at least 0");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace plait::test
