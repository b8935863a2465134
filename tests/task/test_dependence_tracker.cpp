// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <plait/task/detail/dependence_tracker.hpp>

#include "submissions.hpp"

namespace {

using plait::access_mode;
using plait::byte_range;
using plait::detail::dependence_tracker;
using plait::detail::task_node;
using plait::test::any_operation;

struct declared {
  byte_range memory;
  access_mode mode;
};

bool overlap(const declared& a, const declared& b) {
  return std::max(a.memory.begin, b.memory.begin) < std::min(a.memory.end, b.memory.end);
}
bool both(const declared& a, const declared& b, access_mode mode) {
  return a.mode == mode && b.mode == mode;
}
/// One must run after the other.
bool must_be_ordered(const declared& a, const declared& b) {
  const bool same_reduction = both(a, b, access_mode::reduce) && a.memory.begin == b.memory.begin &&
                              a.memory.end == b.memory.end;
  return overlap(a, b) && !both(a, b, access_mode::in) && !both(a, b, access_mode::commutative) &&
         !same_reduction;
}
/// One may be made to run after the other.  Of reductions only what repeats a range is shared.
bool may_be_ordered(const declared& a, const declared& b) {
  return overlap(a, b) && !both(a, b, access_mode::in) && !both(a, b, access_mode::commutative);
}
bool must_exclude(const declared& a, const declared& b) {
  return overlap(a, b) && both(a, b, access_mode::commutative);
}

using submissions = plait::test::submissions<declared>;

declared reads(std::uintptr_t begin, std::uintptr_t end) {
  return {{begin, end}, access_mode::in};
}
declared writes_to(std::uintptr_t begin, std::uintptr_t end) {
  return {{begin, end}, access_mode::out};
}
declared updates(std::uintptr_t begin, std::uintptr_t end) {
  return {{begin, end}, access_mode::inout};
}
declared commutes(std::uintptr_t begin, std::uintptr_t end) {
  return {{begin, end}, access_mode::commutative};
}
declared reduces(std::uintptr_t begin, std::uintptr_t end) {
  return {{begin, end}, access_mode::reduce};
}

TEST(dependence_tracker, readers_wait_for_the_writer_and_not_for_each_other) {
  submissions s;
  EXPECT_EQ(s.add({writes_to(100, 200)}), 0);
  EXPECT_EQ(s.add({reads(100, 200)}), 1);
  EXPECT_EQ(s.add({reads(100, 200)}), 1);
  EXPECT_EQ(s.add({writes_to(100, 200)}), 2);
  EXPECT_TRUE(s.has_edge(0, 1));
  EXPECT_TRUE(s.has_edge(0, 2));
  EXPECT_TRUE(s.has_edge(1, 3));
  EXPECT_TRUE(s.has_edge(2, 3));
  EXPECT_FALSE(s.has_edge(1, 2));
  EXPECT_FALSE(s.has_edge(0, 3)) << "its readers follow the writer already";
}

TEST(dependence_tracker, a_chain_on_one_range_is_one_segment_and_one_edge_each) {
  submissions s;
  EXPECT_EQ(s.add({updates(4096, 8192)}), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(s.add({updates(4096, 8192)}), 1);
  EXPECT_EQ(s.tracker.segment_count(), 1U);
}

TEST(dependence_tracker, one_shared_byte_is_a_conflict_and_none_is_not) {
  submissions s;
  s.add({writes_to(100, 200)});
  EXPECT_EQ(s.add({reads(199, 300)}), 1);
  EXPECT_EQ(s.add({reads(200, 300)}), 0);
  EXPECT_EQ(s.add({reads(50, 100)}), 0);
  EXPECT_EQ(s.add({reads(50, 101)}), 1);
}

TEST(dependence_tracker, a_write_into_the_middle_splits_what_was_there) {
  submissions s;
  s.add({writes_to(0x1000, 0x2000)});
  EXPECT_EQ(s.add({writes_to(0x1400, 0x1800)}), 1);
  EXPECT_EQ(s.add({reads(0x1000, 0x1400)}), 1);
  EXPECT_TRUE(s.has_edge(0, 2));
  EXPECT_FALSE(s.has_edge(1, 2));
  EXPECT_EQ(s.add({reads(0x1400, 0x1800)}), 1);
  EXPECT_TRUE(s.has_edge(1, 3));
  EXPECT_FALSE(s.has_edge(0, 3));
  EXPECT_EQ(s.add({reads(0x1000, 0x2000)}), 2);
  EXPECT_TRUE(s.has_edge(0, 4));
  EXPECT_TRUE(s.has_edge(1, 4));
}

TEST(dependence_tracker, a_write_over_many_segments_joins_them) {
  submissions s;
  for (std::uintptr_t i = 0; i < 100; ++i) s.add({writes_to(1000 + 10 * i, 1010 + 10 * i)});
  EXPECT_EQ(s.tracker.segment_count(), 100U);
  EXPECT_EQ(s.add({writes_to(1000, 2000)}), 100);
  EXPECT_EQ(s.tracker.segment_count(), 1U);
  EXPECT_EQ(s.add({reads(1037, 1038)}), 1);
  EXPECT_TRUE(s.has_edge(100, 101));
}

TEST(dependence_tracker, a_write_over_the_segments_of_a_window_keeps_them_for_the_next) {
  submissions s;
  for (std::uintptr_t i = 0; i < 64; ++i) s.add({reads(1000 + 10 * i, 1010 + 10 * i)});
  EXPECT_EQ(s.add({updates(1000, 1640)}), 64);
  EXPECT_EQ(s.tracker.segment_count(), 64U);
  EXPECT_EQ(s.add({reads(1630, 1640)}), 1);
  EXPECT_TRUE(s.has_edge(64, 65));
}

TEST(dependence_tracker, a_task_does_not_wait_for_itself) {
  submissions s;
  EXPECT_EQ(s.add({reads(100, 200), updates(150, 250), writes_to(100, 300)}), 0);
  EXPECT_EQ(s.add({updates(100, 300), reads(100, 300)}), 1) << "one edge between two tasks";
  EXPECT_TRUE(s.has_edge(0, 1));
}

TEST(dependence_tracker, an_access_that_follows_its_own_read_still_waits_for_the_writer) {
  submissions s;
  s.add({writes_to(100, 200)});
  EXPECT_EQ(s.add({reads(100, 150), updates(100, 200)}), 1);
  EXPECT_TRUE(s.has_edge(0, 1));
}

TEST(dependence_tracker, an_empty_range_conflicts_with_nothing) {
  submissions s;
  s.add({writes_to(100, 200)});
  EXPECT_EQ(s.add({updates(150, 150)}), 0);
  EXPECT_EQ(s.add({updates(100, 100)}), 0);
  EXPECT_EQ(s.add({updates(UINTPTR_MAX, UINTPTR_MAX)}), 0);  // as PLAIT_IN_PLACE has it
}

TEST(dependence_tracker, finished_tasks_get_no_edges) {
  submissions s;
  s.add({writes_to(100, 200)});
  s.add({reads(100, 200)});
  s.finish(0);
  EXPECT_EQ(s.add({reads(100, 200)}), 0);
  s.finish(1);
  EXPECT_EQ(s.add({writes_to(100, 200)}), 1);
  EXPECT_FALSE(s.has_edge(1, 3));
  EXPECT_TRUE(s.has_edge(2, 3));
}

TEST(dependence_tracker, segments_of_finished_tasks_are_swept_away) {
  submissions s;
  for (std::uintptr_t i = 0; i < 50'000; ++i) {
    // Always other ranges, a new one and half of the one before.
    s.add({writes_to(16 * i + 8, 16 * i + 24)});
    s.finish(s.size() - 1);
    ASSERT_LE(s.tracker.segment_count(), 2100U) << "after " << i << " tasks";
  }
}

TEST(dependence_tracker, sweeping_keeps_what_is_in_flight) {
  submissions s;
  s.add({writes_to(1, 8)});
  for (std::uintptr_t i = 1; i < 20'000; ++i) {
    s.add({writes_to(16 * i + 8, 16 * i + 24)});
    s.finish(s.size() - 1);
  }
  EXPECT_EQ(s.add({reads(4, 6)}), 1);
  EXPECT_TRUE(s.has_edge(0, s.size() - 1));
}

TEST(dependence_tracker, commutative_tasks_follow_the_writer_and_exclude_each_other) {
  submissions s;
  s.add({writes_to(100, 200)});
  EXPECT_EQ(s.add({commutes(100, 200)}), 1);
  EXPECT_EQ(s.add({commutes(100, 200)}), 1);
  EXPECT_FALSE(s.has_edge(1, 2));
  EXPECT_TRUE(s.exclude_each_other(1, 2));
  EXPECT_FALSE(s.exclude_each_other(0, 1));
  EXPECT_EQ(s.add({reads(150, 160)}), 2) << "it follows both";
  EXPECT_EQ(s.add({commutes(100, 200)}), 2) << "in one part the reader, else the writer";
  EXPECT_EQ(s.add({writes_to(150, 160)}), 1) << "which follows the reader";
}

TEST(dependence_tracker, commutative_tasks_that_share_one_byte_exclude_each_other) {
  submissions s;
  s.add({commutes(100, 200)});
  s.add({commutes(199, 300)});
  s.add({commutes(200, 300)});
  s.add({commutes(100, 199)});
  EXPECT_TRUE(s.exclude_each_other(0, 1));
  EXPECT_TRUE(s.exclude_each_other(1, 2));
  EXPECT_FALSE(s.exclude_each_other(0, 2));
  EXPECT_TRUE(s.exclude_each_other(0, 3));
}

TEST(dependence_tracker, reductions_of_the_same_range_follow_what_came_before_and_not_each_other) {
  submissions s;
  s.add({writes_to(100, 108)});
  EXPECT_EQ(s.add({reduces(100, 108)}), 1);
  EXPECT_EQ(s.add({reduces(100, 108)}), 1);
  EXPECT_FALSE(s.has_edge(1, 2));
  EXPECT_EQ(s.add({reads(100, 108)}), 2);
  EXPECT_EQ(s.add({reduces(100, 108)}), 1);
  EXPECT_TRUE(s.has_edge(3, 4));
}

TEST(dependence_tracker, reductions_of_overlapping_ranges_are_ordered) {
  submissions s;
  s.add({reduces(100, 200)});
  EXPECT_EQ(s.add({reduces(100, 150)}), 1);
  EXPECT_EQ(s.add({reduces(100, 200)}), 2);
  EXPECT_EQ(s.add({reduces(150, 200)}), 1);
}

TEST(dependence_tracker, reductions_by_another_operation_are_ordered) {
  dependence_tracker tracker;
  task_node nodes[2];
  const char other_operation = 0;
  const void* operations[] = {&any_operation, &other_operation};
  for (std::size_t i = 0; i < 2; ++i) {
    nodes[i].id = i + 1;
    nodes[i].successors.store(nullptr);
    tracker.add(nodes[i], {100, 108}, access_mode::reduce, operations[i]);
    EXPECT_EQ(nodes[i].edges_made, static_cast<int>(i));
  }
}

// --- against brute force -------------------------------------------------------------------------

struct mix {
  const char* name;
  std::uintptr_t space;    ///< bytes
  std::uintptr_t longest;  ///< of a range
  double usual;            ///< share of accesses to one of four fixed ranges
  double finish;           ///< of a random ready task finishing after each submission
};

class random_accesses : public ::testing::TestWithParam<mix> {};

TEST_P(random_accesses, conflicting_tasks_are_ordered_and_others_have_no_edge) {
  const mix m = GetParam();
  const byte_range usual[] = {{1 << 20, (1 << 20) + 16},
                              {(1 << 20) + 16, (1 << 20) + 32},
                              {(1 << 20) + 8, (1 << 20) + 24},
                              {1 << 20, (1 << 20) + m.space}};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uintptr_t n) {
      return std::uniform_int_distribution<std::uintptr_t>(0, n - 1)(random);
    };
    const auto chance = [&random](double p) {
      return std::uniform_real_distribution<double>(0, 1)(random) < p;
    };
    const auto draw = [&] {
      std::vector<declared> accesses;
      for (std::uintptr_t n = chance(0.3) ? 1 : 1 + below(3); n > 0; --n) {
        const auto mode = static_cast<access_mode>(1 + below(5));
        if (chance(m.usual)) {
          accesses.push_back({usual[below(4)], mode});
        } else {
          const std::uintptr_t begin = (1 << 20) + below(m.space);
          accesses.push_back({{begin, begin + below(m.longest + 1)}, mode});
        }
      }
      return accesses;
    };
    plait::test::random_submissions<declared> program(random, m.finish);
    for (int t = 0; t < 150; ++t) program.add(draw());
    program.check({must_be_ordered, may_be_ordered, must_exclude},
                  m.name + std::string(", seed ") + std::to_string(seed));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(dependence_tracker, random_accesses,
                         ::testing::Values(mix{"few bytes", 24, 12, 0, 0},
                                           mix{"many bytes", 4096, 512, 0, 0},
                                           mix{"usual ranges", 64, 32, 0.8, 0},
                                           mix{"usual ranges, finishing", 64, 32, 0.8, 0.5},
                                           mix{"finishing", 256, 64, 0.2, 0.6}),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == ' ' || c == ','; }, '_');
                           return name;
                         });

}  // namespace
