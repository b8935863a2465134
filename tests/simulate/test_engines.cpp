// SPDX-License-Identifier: BSD-3-Clause
// The two engines of LogGOPS beside each other, and their parts.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>

#include "random_program.hpp"
#include "simulate/loggops/time_queue.hpp"
#include "simulate/loggops/unstable_sort.hpp"
#include "stencil_program.hpp"

namespace plait::test {
namespace {

using namespace simulate;

constexpr loggops_parameters networks[] = {{},
                                           {7000, 900, 2500, 3, 1, 32768},
                                           {40000, 5000, 0, 8, 0, 1000},
                                           {100, 50, 2000, 0, 2, 16},
                                           {0, 0, 0, 0, 0, 0}};

TEST(engines, agree_on_random_programs) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const random_shape shape{
        .any_source = seed % 5 == 1, .many_at_once = seed % 5 == 2, .few_times = seed % 5 == 3};
    const program made = random_program(seed, shape);
    const loggops_parameters& network = networks[seed / 5 % std::size(networks)];
    const loggops_outcome plain = run_loggops(made, network, loggops_engine::plain);
    const loggops_outcome lanes = run_loggops(made, network, loggops_engine::lanes);
    ASSERT_EQ(lanes.finish_ns, plain.finish_ns) << "seed " << seed;
    ASSERT_EQ(lanes.events, plain.events) << "seed " << seed;
    ASSERT_EQ(lanes.done, plain.done) << "seed " << seed;
    ASSERT_EQ(lanes.left, plain.left) << "seed " << seed;
  }
}

TEST(engines, run_shared_templates_and_iterations_as_they_run_the_text) {
  const program shared = stencil_program({1, 3, 4, 5}, 4, {1000, 2000, 3000});
  const program text = parse_goal(goal_text(shared), "stencil");
  for (const loggops_parameters& network : networks) {
    const std::vector<std::uint64_t> times = run_loggops(text, network).finish_ns;
    EXPECT_EQ(run_loggops(shared, network, loggops_engine::plain).finish_ns, times);
    EXPECT_EQ(run_loggops(shared, network, loggops_engine::lanes).finish_ns, times);
  }
}

TEST(engines, say_why_they_cannot_run_a_program) {
  const auto why = [](const char* operations) {
    return why_no_lanes(
        parse_goal(std::string("num_ranks 1\nrank 0 {\n") + operations + "\n}\n", "text"), {});
  };
  EXPECT_EQ(why("calc 1\nsend 1b to 0\nrecv 1b from 0"), "");
  EXPECT_EQ(why("calc 1 cpu 1\nsend 1b to 0"), "operations are on several processors");
  EXPECT_EQ(why("send 1b to 0\nrecv 1b from 0 nic 1"), "messages use several network cards");
  EXPECT_EQ(why("send 0b to 0"), "a message has 0 bytes");
  EXPECT_EQ(why("calc 9000000000000000000"), "times may be beyond 2^64 ns");
  EXPECT_THROW(
      static_cast<void>(run_loggops(parse_goal("num_ranks 1\nrank 0 {\nsend 0b to 0\n}\n", "text"),
                                    {}, loggops_engine::lanes)),
      usage_error);
}

#ifdef __GLIBCXX__
TEST(unstable_sort, gives_the_order_of_libstdcxx) {
  std::minstd_rand0 numbers(1);
  const auto random = [&numbers] { return static_cast<std::uint32_t>(numbers()); };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint32_t> ours(random() % 300);
    const std::uint32_t kinds = 1 + random() % 5;
    for (std::uint32_t i = 0; i < ours.size(); ++i) ours[i] = i * 8 + random() % kinds;
    std::vector<std::uint32_t> theirs = ours;
    const auto less = [](std::uint32_t a, std::uint32_t b) { return a % 8 < b % 8; };
    unstable_sort(ours.begin(), ours.end(), less);
    std::sort(theirs.begin(), theirs.end(), less);
    ASSERT_EQ(ours, theirs) << "round " << round;
  }
}
#endif

TEST(unstable_sort, is_written_out_here) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < 20; ++i) numbers.push_back(i);
  unstable_sort(numbers.begin(), numbers.end(),
                [](std::uint32_t a, std::uint32_t b) { return a % 2 < b % 2; });
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0,  2,  18, 4,  6,  16, 8, 10, 14, 12,
                                                 19, 17, 15, 13, 11, 9,  7, 5,  3,  1}));
}

TEST(time_queue, gives_entries_by_time_then_stamp) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    time_queue queue;
    std::vector<queued> model;
    std::uint64_t now = 0;
    std::uint64_t stamp = 0;
    for (int i = 0; i < 400; ++i) {
      if (model.empty() || random() % 3 != 0) {
        const queued added{now + (random() % 4 == 0 ? 0 : random() % (1ULL << (random() % 40))),
                           random() % 2 == 0 ? ++stamp : random() % 1000 + 1'000'000 * stamp, 0};
        queue.push(added);
        model.push_back(added);
        continue;
      }
      const auto first = std::ranges::min_element(
          model, {}, [](const queued& one) { return std::pair(one.time, one.stamp); });
      ASSERT_EQ(queue.time(), first->time);
      ASSERT_EQ(queue.top().time, first->time);
      ASSERT_EQ(queue.top().stamp, first->stamp);
      now = first->time;
      queue.pop();
      model.erase(first);
    }
  }
}

}  // namespace
}  // namespace plait::test
