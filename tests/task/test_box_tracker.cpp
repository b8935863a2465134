// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <plait/array/block_memory.hpp>
#include <plait/core/strided_bytes.hpp>
#include <plait/task/detail/dependence_tracker.hpp>

#include "submissions.hpp"

namespace {

using plait::access_mode;
using plait::byte_range;
using plait::strided_bytes;

constexpr std::uintptr_t base = 1 << 20;
constexpr std::size_t space = 4096;
using byte_set = std::bitset<space>;

struct declared_box {
  strided_bytes memory;
  access_mode mode;
  byte_set bytes = {};

  declared_box(const strided_bytes& memory_, access_mode mode_) : memory(memory_), mode(mode_) {
    if (memory.begin < base || memory.begin >= base + space) return;  // not for brute force
    for_each_row(memory, [this](byte_range row) {
      for (std::uintptr_t at = row.begin; at < row.end && at < base + space; ++at) {
        bytes.set(at - base);
      }
    });
  }
};

bool overlap(const declared_box& a, const declared_box& b) {
  return (a.bytes & b.bytes).any();
}
bool both(const declared_box& a, const declared_box& b, access_mode mode) {
  return a.mode == mode && b.mode == mode;
}
bool may_be_ordered(const declared_box& a, const declared_box& b) {
  return overlap(a, b) && !both(a, b, access_mode::in) && !both(a, b, access_mode::commutative);
}
bool must_be_ordered(const declared_box& a, const declared_box& b) {
  const bool same_reduction = both(a, b, access_mode::reduce) && a.memory == b.memory;
  return may_be_ordered(a, b) && !same_reduction;
}
bool must_exclude(const declared_box& a, const declared_box& b) {
  return overlap(a, b) && both(a, b, access_mode::commutative);
}

using box_submissions = plait::test::submissions<declared_box>;

/// Of 8-byte cells: where cell (0, 0, 0) lies, and the bytes between rows and between planes.
struct array_of_cells {
  std::uintptr_t origin;
  std::int64_t row, plane;
};

/// Cells [low, high).
strided_bytes cells(const array_of_cells& of, std::array<std::int64_t, 3> low,
                    std::array<std::int64_t, 3> high) {
  const std::int64_t first = low[2] * of.plane + low[1] * of.row + low[0] * 8;
  return {.begin = of.origin + static_cast<std::uintptr_t>(first),
          .row_bytes = static_cast<std::size_t>(8 * (high[0] - low[0])),
          .axes = {{{high[2] - low[2], of.plane}, {high[1] - low[1], of.row}}}};
}
/// Returns cells [low, high) of an array with n0 cells in a row and n1 rows in a plane, side by
/// side.
strided_bytes cells(std::uintptr_t origin, std::int64_t n0, std::int64_t n1,
                    std::array<std::int64_t, 3> low, std::array<std::int64_t, 3> high) {
  return cells({origin, 8 * n0, 8 * n0 * n1}, low, high);
}

strided_bytes flat(std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) {
  return cells(base, 16, 32, {x0, y0, 0}, {x1, y1, 1});
}

TEST(box_tracker, halves_of_the_same_rows_do_not_conflict) {
  box_submissions s;
  EXPECT_EQ(s.add({{flat(0, 8, 0, 16), access_mode::out}}), 0);
  EXPECT_EQ(s.add({{flat(8, 16, 0, 16), access_mode::out}}), 0);
  EXPECT_EQ(s.add({{flat(7, 9, 15, 16), access_mode::in}}), 2);
  EXPECT_EQ(s.add({{flat(0, 8, 16, 32), access_mode::in}}), 0);
}

TEST(box_tracker, a_range_meets_the_rows_it_covers_a_byte_of_and_not_the_gaps) {
  box_submissions s;
  s.add({{flat(0, 8, 0, 16), access_mode::out}});
  const auto bytes = [](std::uintptr_t begin, std::uintptr_t end) {
    return strided_bytes::of({base + begin, base + end});
  };
  EXPECT_EQ(s.add({{bytes(64, 128), access_mode::in}}), 0) << "the right half of the first row";
  EXPECT_EQ(s.add({{bytes(64, 129), access_mode::in}}), 1);
  EXPECT_EQ(s.add({{flat(0, 16, 0, 1), access_mode::inout}}), 3);
}

TEST(box_tracker, takes_over_what_ranges_were_named_there_before) {
  box_submissions s;
  const auto bytes = [](std::uintptr_t begin, std::uintptr_t end) {
    return strided_bytes::of({base + begin, base + end});
  };
  s.add({{bytes(0, 200), access_mode::out}});
  s.add({{bytes(200, 5000), access_mode::in}});
  s.add({{bytes(5000, 6000), access_mode::out}});
  EXPECT_EQ(s.tracker.segment_count(), 3U);
  EXPECT_EQ(s.add({{flat(10, 12, 1, 3), access_mode::out}}), 1) << "bytes 208 to 223 and on";
  EXPECT_TRUE(s.has_edge(1, 3));
  EXPECT_EQ(s.tracker.segment_count(), 2U) << "the first is not among the rows, nor the last";
  EXPECT_EQ(s.add({{bytes(150, 209), access_mode::out}}), 3);
  EXPECT_EQ(s.add({{bytes(4000, 5500), access_mode::inout}}), 2);
  EXPECT_EQ(s.tracker.segment_count(), 0U) << "all in one piece now";
}

TEST(box_tracker, the_same_box_again_is_one_entry_and_one_edge) {
  box_submissions s;
  EXPECT_EQ(s.add({{flat(2, 5, 0, 9), access_mode::inout}}), 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(s.add({{flat(2, 5, 0, 9), access_mode::inout}}), 1);
  }
  EXPECT_EQ(s.tracker.box_count(), 1U);
}

TEST(box_tracker, a_box_of_whole_rows_is_a_segment_where_no_others_are) {
  box_submissions s;
  s.add({{flat(0, 16, 0, 9), access_mode::inout}});
  EXPECT_EQ(s.tracker.segment_count(), 1U);
  EXPECT_EQ(s.tracker.box_count(), 0U);
  EXPECT_EQ(s.add({{flat(0, 16, 8, 12), access_mode::in}}), 1);
}

TEST(box_tracker, a_write_of_the_whole_array_leaves_one_task_to_follow) {
  box_submissions s;
  for (std::int64_t y = 0; y < 16; ++y) s.add({{flat(0, 8, y, y + 1), access_mode::out}});
  s.add({{flat(4, 12, 3, 9), access_mode::in}});
  EXPECT_EQ(s.add({{flat(0, 15, 0, 16), access_mode::out}}), 17);
  EXPECT_EQ(s.add({{flat(0, 8, 3, 4), access_mode::in}}), 1);
  EXPECT_EQ(s.add({{flat(0, 15, 0, 16), access_mode::out}}), 2) << "that reader, and the write";
}

constexpr std::int64_t blocks = 6;  ///< along each axis
constexpr std::int64_t block_size = 4;
constexpr std::int64_t block_count = blocks * blocks * blocks;

std::array<std::int64_t, 3> place_of_block(std::int64_t b) {
  return {b % blocks, b / blocks % blocks, b / blocks / blocks};
}
bool neighbours(std::int64_t a, std::int64_t b) {
  const auto at = place_of_block(a);
  const auto other = place_of_block(b);
  return std::equal(at.begin(), at.end(), other.begin(),
                    [](std::int64_t i, std::int64_t k) { return std::abs(i - k) <= 1; });
}

/// Steps over blocks, each of which reads its own cells of the one array and those around, and
/// writes its own of the other.
void expect_edges_to_neighbours_only(const std::array<array_of_cells, 2>& arrays) {
  const auto block = [&arrays](std::int64_t array, std::int64_t b, std::int64_t grown) {
    std::array<std::int64_t, 3> low = place_of_block(b);
    for (auto& l : low) l = l * block_size - grown;
    std::array<std::int64_t, 3> high = low;
    for (auto& h : high) h += block_size + 2 * grown;
    return cells(arrays[static_cast<std::size_t>(array % 2)], low, high);
  };
  box_submissions s;
  for (std::int64_t step = 0; step < 3; ++step) {
    for (std::int64_t b = 0; b < block_count; ++b) {
      s.add({{block(step, b, 1), access_mode::in}, {block(step + 1, b, 0), access_mode::out}});
    }
  }
  EXPECT_EQ(s.tracker.box_count(), 4U * block_count);
  for (std::int64_t step = 1; step < 3; ++step) {
    for (std::int64_t a = 0; a < block_count; ++a) {
      for (std::int64_t b = 0; b < block_count; ++b) {
        ASSERT_EQ(s.has_edge(static_cast<std::size_t>((step - 1) * block_count + a),
                             static_cast<std::size_t>(step * block_count + b)),
                  neighbours(a, b))
            << "step " << step << ", from block " << a << " to block " << b;
      }
    }
  }
  // Each pair is found once, by the later.
  const std::size_t found = s.tracker.boxes()->link_count() / 2;
  EXPECT_LT(s.tracker.boxes()->candidate_count(), 3 * found) << found << " were to be found";
}

TEST(box_tracker, a_sweep_over_grown_blocks_looks_at_neighbours_and_has_edges_to_them_only) {
  constexpr std::int64_t row = 8 * (blocks * block_size + 2);
  // Arrays that begin nowhere in particular.
  expect_edges_to_neighbours_only(
      {{{(1 << 24) + 4321, row, row * row / 8}, {(1 << 26) + 77, row, row * row / 8}}});
}

TEST(box_tracker, the_same_holds_of_block_arrays_whose_planes_are_padded) {
  constexpr std::int64_t n = blocks * block_size;
  const plait::block_memory memory[] = {{{n, n, n, 1}, {1, 1, 1, 0}, 8, 0},
                                        {{n, n, n, 1}, {1, 1, 1, 0}, 8, 1}};
  const auto array = [](const plait::block_memory& m) {
    return array_of_cells{reinterpret_cast<std::uintptr_t>(m.first()), 8 * m.strides()[1],
                          8 * m.strides()[2]};
  };
  ASSERT_NE(memory[0].strides()[2] % memory[0].strides()[1], 0);
  expect_edges_to_neighbours_only({array(memory[0]), array(memory[1])});
}

TEST(box_tracker, entries_of_finished_tasks_are_swept_away) {
  box_submissions s;
  s.add({{flat(1, 3, 0, 32), access_mode::out}});
  for (std::int64_t i = 0; i < 40'000; ++i) {
    const auto far = static_cast<std::uintptr_t>(1000 * i);
    s.add({{cells(2 * base + far, 16, 32, {1, 0, 0}, {3, 4, 1}), access_mode::out}});
    s.finish(s.size() - 1);
    ASSERT_LE(s.tracker.box_count(), 8193U) << "after " << i << " tasks";
  }
  EXPECT_EQ(s.add({{flat(2, 4, 3, 4), access_mode::in}}), 1) << "the first is in flight";
  EXPECT_EQ(s.add({{strided_bytes::of({2 * base, 2 * base + 4096}), access_mode::in}}), 0);
  EXPECT_EQ(s.tracker.segment_count(), 1U) << "swept memory has no boxes any more";
}

TEST(box_tracker, boxes_that_all_overlap_leave_no_more_links_than_there_may_be) {
  box_submissions s;
  const auto window = [](std::int64_t i) {  // all have row 10'000 in common
    return cells(base, 16, 32'768, {1, i, 0}, {3, 10'001 + i, 1});
  };
  s.add({{window(0), access_mode::in}});
  std::size_t most = 0;
  for (std::int64_t i = 1; i < 3000; ++i) {
    s.add({{window(i), access_mode::in}});
    s.finish(s.size() - 1);
    most = std::max(most, s.tracker.boxes()->link_count());
  }
  EXPECT_LE(most, std::size_t{64 * 8192 + 2 * 3000});
  EXPECT_GT(most, std::size_t{64 * 8192});
  EXPECT_EQ(s.add({{window(5000), access_mode::out}}), 1) << "the first is in flight";
}

TEST(box_tracker, commutative_boxes_exclude_those_they_share_a_cell_with) {
  box_submissions s;
  s.add({{flat(0, 8, 0, 16), access_mode::out}});
  EXPECT_EQ(s.add({{flat(0, 4, 0, 4), access_mode::commutative}}), 1);
  EXPECT_EQ(s.add({{flat(3, 8, 3, 8), access_mode::commutative}}), 1);
  EXPECT_EQ(s.add({{flat(4, 8, 0, 3), access_mode::commutative}}), 1);
  EXPECT_TRUE(s.exclude_each_other(1, 2));
  EXPECT_FALSE(s.exclude_each_other(1, 3));
  EXPECT_FALSE(s.exclude_each_other(2, 3));
  EXPECT_EQ(s.add({{flat(3, 4, 0, 16), access_mode::in}}), 3) << "both, and the writer below";
}

/// Boxes of a few sizes, in arrays over the same bytes whose strides are padded or not.
std::vector<strided_bytes> similar_boxes(std::mt19937_64& random, std::size_t count) {
  const auto below = [&random](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
  };
  constexpr std::size_t axes = 3;
  const std::uintptr_t origin = base + static_cast<std::uintptr_t>(below(100'000));
  struct array {
    std::array<std::int64_t, axes> stride{};
    std::array<std::array<std::int64_t, axes + 1>, 2> sizes{};
  };
  constexpr std::array<std::int64_t, axes + 1> extent{96, 10, 9, 4};
  std::vector<array> arrays(static_cast<std::size_t>(1 + below(2)));
  for (array& a : arrays) {
    std::int64_t whole = extent[0];
    for (std::size_t k = 0; k < axes; ++k) {
      a.stride[k] = whole + below(2) * below(whole);
      whole = a.stride[k] * extent[k + 1];
    }
    for (auto& size : a.sizes) {
      for (std::size_t k = 0; k <= axes; ++k) size[k] = 1 + below(extent[k] / 2);
    }
  }
  std::vector<strided_bytes> boxes;
  while (boxes.size() < count) {
    const array& a = arrays[static_cast<std::size_t>(below(std::ssize(arrays)))];
    const auto& size = a.sizes[static_cast<std::size_t>(below(2))];
    strided_bytes box{.begin = origin + static_cast<std::uintptr_t>(below(extent[0] - size[0] + 1)),
                      .row_bytes = static_cast<std::size_t>(size[0])};
    for (std::size_t k = 0; k < axes; ++k) {
      box.axes[k] = {size[k + 1], a.stride[k]};
      box.begin +=
          static_cast<std::uintptr_t>(below(extent[k + 1] - size[k + 1] + 1) * a.stride[k]);
    }
    if (below(20) == 0) box = strided_bytes::of({box.begin, box.begin + 50});
    box = box.normalised();
    if (std::find(boxes.begin(), boxes.end(), box) == boxes.end()) boxes.push_back(box);
  }
  return boxes;
}

TEST(box_tracker, finds_whatever_shares_a_byte_among_many_similar_boxes) {
  std::size_t candidates = 0;
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<strided_bytes> boxes = similar_boxes(random, 300);
    box_submissions s;
    std::size_t sharing = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      s.add({{boxes[i], access_mode::in}});
      for (std::size_t k = 0; k < i; ++k) sharing += share_a_byte(boxes[i], boxes[k]) ? 1 : 0;
    }
    const plait::detail::box_tracker& tracker = *s.tracker.boxes();
    ASSERT_EQ(s.tracker.segment_count() + tracker.entry_count(), boxes.size());
    ASSERT_EQ(tracker.link_count(), 2 * sharing) << "seed " << seed;
    candidates += tracker.candidate_count();
    pairs += boxes.size() * (boxes.size() - 1) / 2;
  }
  EXPECT_LT(candidates, pairs / 2) << "else the index was not even asked";
}

// --- against brute force -------------------------------------------------------------------------

struct mix_of_boxes {
  const char* name;
  double ranges;  ///< share of the accesses
  double usual;   ///< share of accesses that repeat one of a few
  double finish;  ///< of a random ready task finishing after each submission
  bool one_layout;
};

class random_boxes : public ::testing::TestWithParam<mix_of_boxes> {};

/// An array over some of the bytes; strides are of any kind, as are its boxes.
strided_bytes random_array(std::mt19937_64& random) {
  const auto below = [&random](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
  };
  strided_bytes a{.begin = base + static_cast<std::uintptr_t>(below(100)),
                  .row_bytes = static_cast<std::size_t>(4 + below(30))};
  std::int64_t extent = static_cast<std::int64_t>(a.row_bytes);
  const std::int64_t axes = below(5);
  for (std::int64_t k = 0; k < axes; ++k) {
    const std::int64_t rows = 2 + below(5);
    const std::int64_t pitch = extent + (below(2) == 0 ? 0 : below(9));
    if (pitch * rows > static_cast<std::int64_t>(space) - 100) break;
    a.axes[static_cast<std::size_t>(k)] = {rows, pitch};
    extent = pitch * rows;
  }
  if (below(4) == 0) std::swap(a.axes[0], a.axes[1]);  // transposed
  return a;
}

strided_bytes random_part(std::mt19937_64& random, const strided_bytes& of) {
  const auto below = [&random](std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
  };
  strided_bytes part = of;
  const std::int64_t first = below(static_cast<std::int64_t>(of.row_bytes));
  part.begin += static_cast<std::uintptr_t>(first);
  part.row_bytes =
      static_cast<std::size_t>(1 + below(static_cast<std::int64_t>(of.row_bytes) - first));
  for (auto& axis : part.axes) {
    if (axis.stride == 0) continue;
    const std::int64_t low = below(axis.rows);
    part.begin += static_cast<std::uintptr_t>(low * axis.stride);
    axis.rows = 1 + below(axis.rows - low);
  }
  return part;
}

TEST_P(random_boxes, conflicting_tasks_are_ordered_and_others_have_no_edge) {
  const mix_of_boxes m = GetParam();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uintptr_t n) {
      return std::uniform_int_distribution<std::uintptr_t>(0, n - 1)(random);
    };
    const auto chance = [&random](double p) {
      return std::uniform_real_distribution<double>(0, 1)(random) < p;
    };
    std::vector<strided_bytes> arrays;
    for (std::size_t n = m.one_layout ? 1 : 3; n > 0; --n) arrays.push_back(random_array(random));
    const auto draw_memory = [&] {
      if (!chance(m.ranges)) return random_part(random, arrays[below(arrays.size())]);
      const std::uintptr_t begin = base + below(space - 1);
      const std::uintptr_t longest = std::min<std::uintptr_t>(base + space - begin, 300);
      return strided_bytes::of({begin, begin + below(longest + 1)});
    };
    std::vector<strided_bytes> usual;
    for (int i = 0; i < 6; ++i) usual.push_back(draw_memory());
    plait::test::random_submissions<declared_box> program(random, m.finish);
    for (int t = 0; t < 100; ++t) {
      std::vector<declared_box> accesses;
      for (std::uintptr_t n = 1 + below(3); n > 0; --n) {
        const strided_bytes memory = chance(m.usual) ? usual[below(usual.size())] : draw_memory();
        // Only a range can be reduced.
        const auto mode = static_cast<access_mode>(1 + below(memory.is_range() ? 5 : 4));
        accesses.emplace_back(memory, mode);
      }
      program.add(accesses);
    }
    program.check({must_be_ordered, may_be_ordered, must_exclude},
                  m.name + std::string(", seed ") + std::to_string(seed));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    box_tracker, random_boxes,
    ::testing::Values(mix_of_boxes{"one array", 0, 0, 0, true},
                      mix_of_boxes{"one array and ranges", 0.4, 0.2, 0, true},
                      mix_of_boxes{"usual boxes", 0.2, 0.8, 0.3, true},
                      mix_of_boxes{"three layouts over the same bytes", 0.1, 0.3, 0, false},
                      mix_of_boxes{"everything, finishing", 0.3, 0.4, 0.6, false}),
    [](const auto& one) {
      std::string name = one.param.name;
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
      return name;
    });

}  // namespace
