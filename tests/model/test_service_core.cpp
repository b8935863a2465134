// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include <gtest/gtest.h>
#include <plait/model/service_core.hpp>

#include "support/refusal.hpp"

namespace plait::test {
namespace {

using model::forecast_service;
using model::node_step;
using model::with_cores;

/// Divides evenly among its processors: a processor less costs one in so many.
node_step even_step(int cores, double exchange_s, double taken_s) {
  return {.cores = cores,
          .computation_s = 1,
          .one_less_s = static_cast<double>(cores) / (cores - 1),
          .exchange_s = exchange_s,
          .network_s = 0.5,
          .transport_s = 0.1,
          .taken_s = taken_s};
}

TEST(service_core, blocking_waits_for_what_workers_and_a_service_thread_hide) {
  const auto forecast = forecast_service(even_step(8, 0.6, 0.8));
  EXPECT_DOUBLE_EQ(forecast.blocking_s, 1.6);
  EXPECT_DOUBLE_EQ(forecast.workers_s, 1.1);
  EXPECT_DOUBLE_EQ(forecast.service_s, 8.0 / 7);
}

TEST(service_core, pays_where_messages_take_more_than_a_worker_s_share) {
  for (const int cores : {2, 8, 64}) {
    const double share = 1.0 / (cores - 1);  // of the node's computation, `cores` seconds
    EXPECT_FALSE(forecast_service(even_step(cores, 0, 0.99 * share * cores)).pays()) << cores;
    EXPECT_TRUE(forecast_service(even_step(cores, 0, 1.01 * share * cores)).pays()) << cores;
    EXPECT_FALSE(forecast_service(even_step(cores, 0.99 * share, 0)).pays_beside_blocking());
    EXPECT_TRUE(forecast_service(even_step(cores, 1.01 * share, 0)).pays_beside_blocking());
  }
}

TEST(service_core, costs_nothing_where_the_memory_is_busy_with_a_processor_less) {
  node_step step = even_step(2, 0, 0.1);
  step.one_less_s = 1;
  EXPECT_TRUE(forecast_service(step).pays());
}

TEST(service_core, is_as_slow_as_the_network_and_as_its_own_work) {
  node_step step = even_step(64, 0, 0);
  step.network_s = 3;
  EXPECT_DOUBLE_EQ(forecast_service(step).workers_s, 3);
  EXPECT_DOUBLE_EQ(forecast_service(step).service_s, 3);
  EXPECT_FALSE(forecast_service(step).pays());
  step.transport_s = 4;
  EXPECT_DOUBLE_EQ(forecast_service(step).service_s, 4);
}

TEST(service_core, is_not_to_be_had_of_one_processor) {
  const auto forecast = forecast_service({.cores = 1, .computation_s = 1, .taken_s = 100});
  EXPECT_EQ(forecast.service_s, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(forecast.pays() || forecast.pays_beside_blocking());
}

TEST(service_core, larger_nodes_have_as_many_cells_a_processor_and_relatively_less_surface) {
  const node_step two = even_step(2, 0.25, 0.4);
  const node_step many = with_cores(two, 16);
  EXPECT_EQ(many.cores, 16);
  EXPECT_DOUBLE_EQ(many.computation_s, 1);
  EXPECT_DOUBLE_EQ(many.one_less_s, 16.0 / 15);
  EXPECT_DOUBLE_EQ(many.taken_s, 4 * 0.4);  // 8^(2/3)
  EXPECT_DOUBLE_EQ(many.transport_s, 4 * 0.1);
  EXPECT_DOUBLE_EQ(many.exchange_s, 0.25);
  EXPECT_DOUBLE_EQ(many.network_s, 0.5);
  const node_step back = with_cores(many, 2);
  EXPECT_DOUBLE_EQ(back.one_less_s, 2);
  EXPECT_DOUBLE_EQ(back.taken_s, 0.4);
  EXPECT_EQ(with_cores(two, 1).cores, 1);
}

TEST(service_core, what_it_says_names_both_times) {
  EXPECT_EQ(model::service_sentence(even_step(8, 0.6, 0.8)),
            "by the model a step takes 1.1e+03 ms with 8 workers and 1.14e+03 ms with a worker "
            "given up for a service thread, which would not pay");
  EXPECT_EQ(model::service_sentence({}),
            "by the model 1 core has no worker to give to a service thread");
}

TEST(service_core, refuses_times_that_are_none) {
  EXPECT_NE(refusal([] { (void)forecast_service({.cores = 0}); }).find("at least 1"),
            std::string::npos);
  EXPECT_NE(
      refusal([] { (void)forecast_service({.cores = 2, .computation_s = -1}); }).find("0 or more"),
      std::string::npos);
}

}  // namespace
}  // namespace plait::test
