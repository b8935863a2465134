// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/core/error.hpp>
#include <plait/simulate/dataflow.hpp>
#include <plait/simulate/goal.hpp>
#include <plait/simulate/loggops.hpp>
#include <plait/simulate/more_ranks.hpp>

#include "random_slabs.hpp"
#include "simulate/ranks/scaling.hpp"
#include "slab_recordings.hpp"

namespace plait::test {
namespace {

using namespace simulate;

/// Returns the text of all operations, calls as messages.
[[nodiscard]] std::string text_of_all(const call_program& one) {
  return goal_text(expanded(one));
}

/// Returns the first difference of two programs with calls, rank by rank and operation by
/// operation, names and calls compared by what they are; empty: they are equal.
[[nodiscard]] std::string difference(const call_program& a, const call_program& b) {
  if (a.ranks() != b.ranks()) return "ranks";
  for (std::uint32_t rank = 0; rank < a.ranks(); ++rank) {
    const rank_template& of_a = a.operations.of_rank(rank);
    const rank_template& of_b = b.operations.of_rank(rank);
    const std::string where = "rank " + std::to_string(rank) + ", operation ";
    if (of_a.size() != of_b.size()) return where + "count";
    for (std::uint32_t i = 0; i < of_a.size(); ++i) {
      operation one = of_a.operations[i];
      operation other = of_b.operations[i];
      const collective_call* const call = a.call_of(one);
      const collective_call* const other_call = b.call_of(other);
      if ((call == nullptr) != (other_call == nullptr)) return where + std::to_string(i);
      if (call != nullptr && !(*call == *other_call)) return where + std::to_string(i);
      if (a.operations.names[one.name] != b.operations.names[other.name])
        return where + std::to_string(i);
      one.name = other.name;
      one.samples = other.samples;
      if (one != other)
        return where + std::to_string(i) + ": " + text_of(a.operations, one, rank) + " and " +
               text_of(b.operations, other, rank);
    }
    if (of_a.after_end != of_b.after_end || of_a.after_start != of_b.after_start)
      return where + "order";
  }
  return {};
}

[[nodiscard]] more_ranks laws_of(std::initializer_list<grid_extents> grids,
                                 const slab_shape& shape = {}) {
  std::vector<recorded_calls> recorded;
  for (const grid_extents& grid : grids) recorded.push_back(slab_recording(grid, shape));
  return more_ranks(std::move(recorded));
}

[[nodiscard]] std::string refusal_of(const auto& made) {
  try {
    static_cast<void>(made());
  } catch (const usage_error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(more_ranks, generated_for_the_recorded_ranks_is_the_recording) {
  for (const bool periodic : {false, true}) {
    for (const std::uint64_t noise_ns : {0, 1000}) {
      const slab_shape shape{.periodic = periodic, .noise_ns = noise_ns};
      for (const std::vector<grid_extents>& grids :
           {std::vector<grid_extents>{{1, 1, 1, 2}, {1, 1, 1, 4}},
            {{1, 1, 1, 3}, {1, 1, 1, 5}, {1, 1, 1, 12}},
            {{1, 1, 3, 3}, {1, 1, 6, 6}},
            {{1, 3, 3, 3}, {1, 4, 4, 4}}}) {
        std::vector<recorded_calls> recorded;
        for (const grid_extents& grid : grids) recorded.push_back(slab_recording(grid, shape));
        const more_ranks laws(std::move(recorded));
        ASSERT_EQ(laws.grids(), grids) << "periodic " << periodic;
        for (const grid_extents& grid : grids)
          EXPECT_EQ(difference(laws.generate(grid), slab_program(grid, shape)), "");
      }
    }
  }
}

TEST(more_ranks, from_2_and_4_predicts_the_program_that_is_written_for_8) {
  for (const bool periodic : {false, true}) {
    for (const double exponent : {-1.0, 0.0, -0.7}) {
      const slab_shape shape{.periodic = periodic, .work_exponent = exponent};
      const more_ranks laws = laws_of({{1, 1, 1, 4}, {1, 1, 1, 2}}, shape);
      const grid_extents eight{1, 1, 1, 8};
      ASSERT_EQ(laws.grid_of(8), eight);
      EXPECT_EQ(difference(laws.generate(eight), slab_program(eight, shape)), "")
          << "periodic " << periodic << ", P^" << exponent;
      EXPECT_EQ(text_of_all(laws.generate(eight)), text_of_all(slab_program(eight, shape)));
    }
  }
}

TEST(more_ranks, of_the_same_work_durations_are_those_of_the_fewest_ranks) {
  for (const bool periodic : {false, true}) {
    // 4 ranks on 2 cores: each takes twice as long as it would.
    const slab_shape shared{.periodic = periodic, .work_exponent = 1, .halves_faces = false};
    std::vector<recorded_calls> recorded;
    recorded.push_back({slab_program({1, 1, 1, 4}, shared), {}, "four"});
    recorded.push_back({slab_program({1, 1, 1, 2}, shared), {}, "two"});
    const auto work_of = [](const call_program& all, std::uint32_t rank) {
      std::uint64_t sum_ns = 0;
      for (const operation& one : all.operations.of_rank(rank).operations)
        if (one.kind == operation_kind::calculation && one.samples == 0) sum_ns += one.size;
      return sum_ns;
    };
    const std::uint64_t two = work_of(recorded[1].program, 0);
    const std::uint64_t four = work_of(recorded[0].program, 0);
    ASSERT_EQ(four, 2 * two);
    const more_ranks doubled(recorded);
    const more_ranks same(std::move(recorded), durations::of_fewest_ranks);
    for (const std::uint32_t ranks : {2U, 4U, 8U, 64U}) {
      const call_program made = same.generate({1, 1, 1, ranks});
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        EXPECT_NEAR(static_cast<double>(work_of(made, rank)), static_cast<double>(two), 5)
            << "rank " << rank << " of " << ranks << ", periodic " << periodic;
      EXPECT_EQ(made.operations.operations(),
                doubled.generate({1, 1, 1, ranks}).operations.operations());
    }
    EXPECT_EQ(work_of(doubled.generate({1, 1, 1, 8}), 0), 4 * two);
    for (const power_law& one : same.laws())
      EXPECT_TRUE(one.what != power_law::quantity::duration || one.exponent == 0) << one.name;
  }
}

TEST(more_ranks, random_programs_are_reproduced_and_predicted) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const random_slabs written(seed);
    std::vector<recorded_calls> recorded;
    for (const std::uint32_t ranks : {2U, 4U, 5U})
      recorded.push_back({written.on(ranks), {}, "folder"});
    const more_ranks laws(std::move(recorded));
    const auto grids = laws.grids();
    if (grids.back() != grid_extents{1, 1, 1, 5}) continue;
    ++accepted;
    for (const grid_extents& grid : grids)
      ASSERT_EQ(difference(laws.generate(grid), written.on(grid[2] * grid[3])), "") << seed;
    for (const std::uint32_t ranks : {8U, 20U}) {
      const call_program made = laws.generate({1, 1, 1, ranks});
      ASSERT_EQ(difference(made, written.on(ranks)), "") << "seed " << seed << ", " << ranks;
      ASSERT_EQ(text_of_all(made), text_of_all(written.on(ranks))) << "seed " << seed;
    }
  }
  EXPECT_EQ(accepted, 400);
}

TEST(more_ranks, a_grid_of_several_axes_has_faces_that_are_cut_by_the_others) {
  const more_ranks square = laws_of({{1, 1, 3, 3}, {1, 1, 6, 6}});
  EXPECT_EQ(square.grid_of(144), (grid_extents{1, 1, 12, 12}));
  EXPECT_EQ(difference(square.generate({1, 1, 12, 12}), slab_program({1, 1, 12, 12})), "");
  // Both axes on their own: three recordings.
  const more_ranks any = laws_of({{1, 1, 3, 4}, {1, 1, 6, 4}, {1, 1, 3, 8}});
  EXPECT_EQ(difference(any.generate({1, 1, 6, 8}), slab_program({1, 1, 6, 8})), "");
  EXPECT_EQ(difference(any.generate({1, 1, 12, 4}), slab_program({1, 1, 12, 4})), "");
  const more_ranks cube = laws_of({{1, 2, 2, 2}, {1, 4, 4, 4}});
  EXPECT_EQ(difference(cube.generate({1, 8, 8, 8}), slab_program({1, 8, 8, 8})), "");
}

TEST(more_ranks, tags_may_name_ranks) {
  const slab_shape shape{.tags_name_ranks = true};
  const more_ranks laws = laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}}, shape);
  for (const grid_extents& grid : {grid_extents{1, 1, 1, 4}, {1, 1, 1, 8}})
    EXPECT_EQ(text_of_all(laws.generate(grid)), text_of_all(slab_program(grid, shape)));
}

TEST(more_ranks, sends_to_one_rank_from_all_have_no_law) {
  const slab_shape shape{.steps = 1, .to_root = true};
  // All but the last know it as the rank that is so many steps away, which no rule of a class says.
  const std::string refused = refusal_of([&] {
    return laws_of({{1, 1, 1, 4}, {1, 1, 1, 8}}, shape);
  });
  EXPECT_NE(refused.find("no rule names its peer"), std::string::npos) << refused;
}

TEST(more_ranks, generated_programs_run_to_their_end_in_both_dialects) {
  const more_ranks laws = laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}});
  for (const std::uint32_t ranks : {3U, 7U, 33U}) {
    const program made = expanded(laws.generate(laws.grid_of(ranks)));
    EXPECT_TRUE(run_loggops(made, {}).left.empty());
    machine on;
    on.latency_ps = 1'000'000;
    EXPECT_GT(predict(made, on).time_ps, 0);
  }
}

TEST(more_ranks, a_call_has_the_messages_of_its_schedule_on_each_rank) {
  const program made = expanded(slab_program({1, 1, 1, 8}, {.steps = 1}));
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    std::set<std::uint32_t> sent_to;
    for (const operation& what : made.of_rank(rank).operations)
      if (what.kind == operation_kind::send && what.size == 8) sent_to.insert(what.peer);
    EXPECT_EQ(sent_to, (std::set<std::uint32_t>{rank ^ 1, rank ^ 2, rank ^ 4}));
  }
}

TEST(more_ranks, delays_of_another_rank_begin_at_a_drawn_place_and_keep_their_sum) {
  const slab_shape shape{.steps = 40, .work_exponent = 0, .noise_ns = 1000};
  const more_ranks laws = laws_of({{1, 1, 1, 4}, {1, 1, 1, 8}}, shape);
  const auto works_of = [](const call_program& all, std::uint32_t rank) {
    std::vector<std::uint64_t> works;
    for (const operation& what : all.operations.of_rank(rank).operations)
      if (what.kind == operation_kind::calculation && what.size > 0) works.push_back(what.size);
    return works;
  };
  const call_program recorded = slab_program({1, 1, 1, 8}, shape);
  const auto sum_of = [](const std::vector<std::uint64_t>& works) {
    return std::accumulate(works.begin(), works.end(), std::uint64_t{0});
  };
  std::set<std::uint64_t> known;
  for (std::uint32_t rank = 0; rank < 8; ++rank) known.insert(sum_of(works_of(recorded, rank)));
  const call_program made = laws.generate({1, 1, 1, 32}, 1);
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint32_t rank = 0; rank < 32; ++rank) {
    const auto works = works_of(made, rank);
    ASSERT_EQ(works.size(), 40);
    orders.insert(works);
    // That of one recorded rank, but for a factor that rounds to 1.
    EXPECT_TRUE(known.contains(sum_of(works))) << "rank " << rank;
  }
  EXPECT_GT(orders.size(), 20) << "delays would coincide";
  EXPECT_EQ(difference(laws.generate({1, 1, 1, 32}, 1), made), "") << "equal seeds";
  EXPECT_NE(difference(laws.generate({1, 1, 1, 32}, 2), made), "") << "other seeds";
}

TEST(more_ranks, steps_that_are_long_on_all_ranks_stay_together) {
  constexpr std::uint32_t steps = 20;
  const slab_shape shape{.steps = steps, .work_exponent = 0, .noise_ns = 1000};
  std::vector<recorded_calls> recorded;
  for (const std::uint32_t ranks : {4U, 8U}) {
    recorded.push_back(slab_recording({1, 1, 1, ranks}, shape));
    for (rank_template& rank : recorded.back().program.operations.templates) {
      std::uint32_t step = 0;
      for (operation& what : rank.operations)
        if (what.name == 1 && ++step % 7 == 0) what.size *= 10;
    }
  }
  const call_program made = more_ranks(std::move(recorded)).generate({1, 1, 1, 32});
  for (std::uint32_t rank = 0; rank < 32; ++rank) {
    std::uint32_t step = 0;
    for (const operation& what : made.operations.of_rank(rank).operations) {
      if (what.kind != operation_kind::calculation || what.size == 0) continue;
      EXPECT_EQ(what.size > 50'000'000, ++step % 7 == 0) << "rank " << rank << ", step " << step;
    }
    EXPECT_EQ(step, steps);
  }
}

TEST(more_ranks, says_what_has_no_known_law) {
  const auto refused = [](std::initializer_list<grid_extents> grids, std::uint32_t ranks) {
    return refusal_of([&] { return laws_of(grids).grid_of(ranks); });
  };
  EXPECT_EQ(refused({{1, 1, 1, 4}}, 8),
            "more ranks need recordings with two different numbers of ranks at least, such as 2 "
            "and 4");
  EXPECT_EQ(refused({{1, 1, 1, 4}, {1, 1, 1, 4}}, 8),
            "more ranks need recordings with two different numbers of ranks at least, such as 2 "
            "and 4");
  // 1 x 2 and 2 x 2: no rank has the neighbours of one of the other recording.
  const std::string other_axes = refused({{1, 1, 1, 2}, {1, 1, 2, 2}}, 8);
  EXPECT_NE(other_axes.find("have 30 and 30 operations, of which number 0 differs: 'to'"),
            std::string::npos)
      << other_axes;
  EXPECT_NE(other_axes.find("record grids with the same axes"), std::string::npos);
  const auto on_grid = [](std::initializer_list<grid_extents> grids, const grid_extents& grid) {
    return refusal_of([&] { return laws_of(grids).generate(grid); });
  };
  EXPECT_EQ(on_grid({{1, 1, 1, 2}, {1, 1, 1, 4}}, {1, 1, 2, 4}),
            "grid 2x4: recordings have 1 axes; record such a grid");
  EXPECT_EQ(on_grid({{1, 1, 2, 2}, {1, 1, 2, 4}}, {1, 1, 4, 8}),
            "grid 4x8: no recorded rank has neighbours on both sides along axis 1: record 3 ranks "
            "or more along axis 1");
  EXPECT_EQ(on_grid({{1, 1, 3, 3}, {1, 1, 3, 6}}, {1, 1, 6, 12}),
            "grid 6x12: no law is known for the axis along which no recordings differ (they are "
            "3x3 and 3x6); record another extent of that axis");
  EXPECT_EQ(laws_of({{1, 1, 3, 3}, {1, 1, 3, 6}}).grid_of(72), (grid_extents{1, 1, 3, 24}));
}

TEST(more_ranks, recordings_of_other_steps_are_refused) {
  std::vector<recorded_calls> recorded{slab_recording({1, 1, 1, 2}, {.steps = 4}),
                                       slab_recording({1, 1, 1, 4}, {.steps = 6})};
  EXPECT_EQ(refusal_of([&] { return more_ranks(recorded); }),
            "rank 0 of 2 and rank 0 of 4 have 16 and 24 operations: record grids with the same "
            "axes, the same number of steps, and as much work for each rank, so that ranks with "
            "the same neighbours do the same");
}

TEST(more_ranks, trusts_twice_the_recorded_ranks_and_laws_that_are_simple) {
  const more_ranks simple = laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}});
  const auto line = [](std::uint32_t ranks) { return grid_extents{1, 1, 1, ranks}; };
  EXPECT_EQ(simple.why_not_trusted(line(8)), "");
  EXPECT_EQ(simple.why_not_trusted(line(9)),
            "more than 2 times as many ranks as the 4 that were recorded");
  const more_ranks odd = laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}}, {.work_exponent = -0.8});
  EXPECT_EQ(odd.why_not_trusted(line(4)), "");
  const std::string unconfirmed =
      "the durations of 'work' change as P^-0.80, which no further recording confirms";
  EXPECT_EQ(odd.why_not_trusted(line(8)), unconfirmed);
  // As many ranks on another grid were not recorded.
  EXPECT_EQ(odd.why_not_trusted({1, 1, 2, 2}), unconfirmed);
  const more_ranks twice =
      laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}, {1, 1, 1, 4}}, {.work_exponent = -0.8});
  EXPECT_EQ(twice.why_not_trusted(line(8)), unconfirmed) << "the same again confirms nothing";
  const more_ranks thrice =
      laws_of({{1, 1, 1, 2}, {1, 1, 1, 4}, {1, 1, 1, 6}}, {.work_exponent = -0.8});
  EXPECT_EQ(thrice.why_not_trusted(line(8)), "");
  const more_ranks large = laws_of({{1, 1, 1, 8}, {1, 1, 1, 16}});
  EXPECT_EQ(large.why_not_trusted(line(4)), "");
  EXPECT_EQ(large.why_not_trusted(line(3)), "fewer than half of the 8 ranks that were recorded");
}

TEST(more_ranks, does_not_trust_sizes_that_change_places_and_keep_their_mean) {
  std::vector<recorded_calls> recorded;
  for (const std::uint32_t ranks : {4U, 8U}) {
    recorded.push_back(slab_recording({1, 1, 1, ranks}, {.steps = 6}));
    for (rank_template& rank : recorded.back().program.operations.templates)
      for (std::uint32_t i = 0; i < rank.size(); ++i)
        if ((i < rank.size() / 2) == (ranks == 4)) rank.operations[i].size *= 2;
  }
  const more_ranks laws(std::move(recorded));
  const std::string why = laws.why_not_trusted({1, 1, 1, 16});
  EXPECT_TRUE(why.starts_with("sizes of 'to' are up to ")) << why;
}

TEST(more_ranks, of_a_call_with_elements_some_stay) {
  std::vector<recorded_calls> recorded{slab_recording({1, 1, 1, 2}), slab_recording({1, 1, 1, 4})};
  recorded[0].program.calls[0].count = 2;
  const more_ranks laws(std::move(recorded));
  EXPECT_EQ(laws.generate({1, 1, 1, 32}).calls.front().count, 1U);
}

TEST(more_ranks, durations_that_some_recordings_do_not_have_stay_and_are_not_trusted) {
  std::vector<recorded_calls> recorded{slab_recording({1, 1, 1, 2}), slab_recording({1, 1, 1, 4})};
  for (rank_template& rank : recorded[0].program.operations.templates)
    for (operation& what : rank.operations)
      if (what.kind == operation_kind::calculation) what.size = 0;
  const more_ranks laws(std::move(recorded));
  const call_program made = laws.generate({1, 1, 1, 8});
  std::uint64_t longest = 0;
  for (const operation& what : made.operations.of_rank(3).operations)
    if (what.kind == operation_kind::calculation) longest = std::max(longest, what.size);
  EXPECT_EQ(longest, 9216000U / 4);
  EXPECT_EQ(laws.why_not_trusted({1, 1, 1, 8}),
            "the durations of 'work' are nothing in some recordings");
}

TEST(more_ranks, does_not_trust_durations_that_follow_no_power) {
  std::vector<recorded_calls> recorded;
  for (const std::uint32_t ranks : {2U, 4U, 8U}) {
    recorded.push_back(slab_recording({1, 1, 1, ranks}, {.work_exponent = 0}));
    if (ranks == 4) continue;
    for (rank_template& rank : recorded.back().program.operations.templates)
      for (operation& what : rank.operations)
        if (what.kind == operation_kind::calculation) what.size *= 3;
  }
  const more_ranks laws(std::move(recorded));
  const std::string why = laws.why_not_trusted({1, 1, 1, 16});
  EXPECT_TRUE(why.starts_with("the durations of 'work' are up to 63 % away from P^")) << why;
}

TEST(more_ranks, programs_that_are_too_large_are_refused_before_they_are_made) {
  const more_ranks laws = laws_of({{1, 1, 1, 3}, {1, 1, 1, 4}}, {.steps = 40});
  EXPECT_EQ(refusal_of([&] {
              return laws.generate({1, 1, 1, 1'000'000});
            }),
            "1000000 ranks have 239999840 operations; 67108864 are the most");
  call_program sums = slab_program({1, 1, 1, 8}, {.steps = 1});
  collective_call& call = sums.calls.front();
  EXPECT_EQ(refusal_of([&] { return expanded(sums, 100); }),
            "8 ranks have more than 100 operations, which are the most");
  call.how = collective::algorithm::chain;
  call.what = collective::operation::bcast;
  call.count = std::uint64_t{1} << 34;
  EXPECT_EQ(refusal_of([&] { return expanded(sums); }),
            "8 ranks: a call of bcast is cut into 4194304 pieces; 65536 are the most");
  call.count = std::uint64_t{1} << 27;
  call.cut.most = 1;
  EXPECT_EQ(refusal_of([&] { return expanded(sums, 10'000); }),
            "8 ranks have more than 10000 operations, which are the most");
}

TEST(more_ranks, a_message_with_one_side_is_named) {
  call_program one = slab_program({1, 1, 1, 2}, {.steps = 1});
  one.operations.templates[1].operations[0].tag = 1;
  EXPECT_NE(refusal_of([&] {
              return expanded(one);
            }).find("rank 1 sends 1 messages to rank 0 with tag 1, and 0 are received"),
            std::string::npos);
}

TEST(more_ranks, a_message_whose_sides_have_other_sizes_is_named) {
  call_program one = slab_program({1, 1, 1, 2}, {.steps = 1});
  std::uint64_t& sent = one.operations.templates[0].operations[0].size;
  sent += 1;
  EXPECT_EQ(refusal_of([&] { return expanded(one); }), "accepted") << "rounding";
  sent = 48000;
  EXPECT_EQ(refusal_of([&] { return expanded(one); }),
            "rank 0 sends 48000 bytes ('to') to rank 1 with tag 31, which receives 96000 ('from')");
}

TEST(more_ranks, a_call_stays_on_its_processor) {
  call_program one = slab_program({1, 1, 1, 2}, {.steps = 1});
  for (rank_template& rank : one.operations.templates)
    for (operation& what : rank.operations) what.cpu = 3;
  const program made = expanded(one);
  for (const operation& what : made.of_rank(0).operations) EXPECT_EQ(what.cpu, 3);
}

TEST(scaling, an_exponent_near_a_simple_fraction_is_that) {
  EXPECT_EQ(simple_exponent(-0.93, 0.12), -1);
  EXPECT_EQ(simple_exponent(0.05, 0.12), 0);
  EXPECT_EQ(simple_exponent(-0.66, 0.12), -2.0 / 3);
  EXPECT_FALSE(simple_exponent(-0.8, 0.12).has_value());
  EXPECT_FALSE(simple_exponent(0.41, 0.12).has_value());
}

TEST(scaling, fits_a_power_with_a_constant_for_each_family) {
  std::vector<scaling_sample> samples;
  for (const double at : {1.0, 2.0, 3.0})
    for (const std::size_t family : {0U, 1U})
      samples.push_back({family, {at}, 5.0 * static_cast<double>(family) - 0.5 * at});
  const auto found = fitted_exponents(samples, 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR((*found)[0], -0.5, 1e-12);
  EXPECT_NEAR(largest_deviation(samples, *found), 0, 1e-12);
  samples.resize(2);
  EXPECT_FALSE(fitted_exponents(samples, 1).has_value()) << "one grid says nothing";
}

}  // namespace
}  // namespace plait::test
