// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <plait/mover/box_copy.hpp>

namespace plait {
namespace {

using numbers = std::vector<std::int64_t>;

/// Memory of a block, and where the elements of a box in it are.
struct block {
  std::vector<std::byte> bytes;
  numbers strides;              // slowest first
  std::vector<std::size_t> at;  // offset of each element, in the order of memory
};

struct random_boxes {
  std::mt19937 random{7};

  [[nodiscard]] std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  }

  [[nodiscard]] block around(const numbers& extents, std::size_t element) {
    block b;
    const std::size_t axes = extents.size();
    numbers low(axes);
    b.strides.resize(axes);
    auto stride = static_cast<std::int64_t>(element);
    for (std::size_t a = axes; a-- > 0;) {
      low[a] = up_to(1);
      b.strides[a] = stride;
      stride *= low[a] + extents[a] + up_to(1);  // often as wide as the box: loops are joined
    }
    b.bytes.resize(static_cast<std::size_t>(stride));
    for (auto& byte : b.bytes) byte = static_cast<std::byte>(random());
    numbers cell(axes, 0);
    for (bool more = true; more;) {
      std::int64_t offset = 0;
      for (std::size_t a = 0; a < axes; ++a) offset += (low[a] + cell[a]) * b.strides[a];
      b.at.push_back(static_cast<std::size_t>(offset));
      more = false;
      for (std::size_t a = axes; a-- > 0 && !more;) {
        more = ++cell[a] < extents[a];
        if (!more) cell[a] = 0;
      }
    }
    return b;
  }
};

[[nodiscard]] std::set<std::size_t> bytes_of(const block& b, std::size_t element) {
  std::set<std::size_t> all;
  for (const std::size_t at : b.at)
    for (std::size_t i = 0; i < element; ++i) all.insert(at + i);
  return all;
}

[[nodiscard]] std::set<std::size_t> bytes_of(const patch& p, const block& b) {
  std::vector<const std::byte*> runs{p.first};
  for (std::size_t k = 0; k < static_cast<std::size_t>(p.loops); ++k) {
    std::vector<const std::byte*> longer;
    for (const std::byte* run : runs)
      for (std::int64_t i = 0; i < p.count[k]; ++i) longer.push_back(run + i * p.step[k]);
    runs = longer;
  }
  std::set<std::size_t> all;
  for (const std::byte* run : runs)
    for (std::size_t i = 0; i < p.run_bytes; ++i)
      all.insert(static_cast<std::size_t>(run + i - b.bytes.data()));
  return all;
}

TEST(box_copy, copies_the_cells_of_the_box_and_no_others) {
  random_boxes make;
  int joined = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t element = std::vector<std::size_t>{1, 3, 4, 8, 16, 24}[make.up_to(5)];
    numbers extents(static_cast<std::size_t>(1 + make.up_to(3)));
    for (auto& n : extents) n = 1 + make.up_to(3);
    const block from = make.around(extents, element);
    block to = make.around(extents, element);
    std::vector<std::byte> expected = to.bytes;
    for (std::size_t i = 0; i < from.at.size(); ++i)
      std::memcpy(expected.data() + to.at[i], from.bytes.data() + from.at[i], element);
    std::size_t cells = 1;
    for (const auto n : extents) cells *= static_cast<std::size_t>(n);

    const auto offset = [](const block& b) { return static_cast<std::ptrdiff_t>(b.at.front()); };
    const box_copy copy = make_box_copy(extents, element, to.bytes.data() + offset(to), to.strides,
                                        from.bytes.data() + offset(from), from.strides);
    copy.run();
    ASSERT_EQ(to.bytes, expected) << "round " << round;
    EXPECT_EQ(copy.size_bytes(), cells * element);
    EXPECT_EQ(bytes_of(copy.written(), to), bytes_of(to, element)) << "round " << round;
    EXPECT_EQ(bytes_of(copy.read(), from), bytes_of(from, element)) << "round " << round;
    EXPECT_EQ(bytes_of(copy.read().joined(), from), bytes_of(from, element)) << "round " << round;
    EXPECT_LE(copy.joined().loops, copy.loops);
    joined += copy.joined().loops < copy.loops ? 1 : 0;
  }
  EXPECT_GT(joined, 100);
}

TEST(box_copy, to_a_buffer_and_back_changes_nothing_else) {
  random_boxes make;
  for (int round = 0; round < 200; ++round) {
    numbers extents(static_cast<std::size_t>(1 + make.up_to(3)));
    for (auto& n : extents) n = 1 + make.up_to(3);
    block cells = make.around(extents, 8);
    const std::vector<std::byte> before = cells.bytes;
    std::byte* const first = cells.bytes.data() + cells.at.front();
    std::vector<std::byte> buffer(8 * cells.at.size());
    make_box_copy(extents, 8, buffer.data(), {}, first, cells.strides).run();
    for (std::size_t i = 0; i < cells.at.size(); ++i)
      ASSERT_EQ(std::memcmp(buffer.data() + 8 * i, before.data() + cells.at[i], 8), 0);
    for (const std::size_t byte : bytes_of(cells, 8)) cells.bytes[byte] = {};
    make_box_copy(extents, 8, first, cells.strides, buffer.data(), {}).run();
    ASSERT_EQ(cells.bytes, before) << "round " << round;
  }
}

TEST(box_copy, of_whole_rows_is_one_run) {
  std::vector<std::byte> a(1000);
  const numbers strides{100, 10, 1};
  const auto loops = [&](const numbers& extents) {
    return make_patch(extents, 1, a.data(), strides).joined().loops;
  };
  EXPECT_EQ(loops({3, 10, 10}), 0);
  EXPECT_EQ(loops({1, 3, 10}), 0);
  EXPECT_EQ(loops({3, 2, 10}), 1);
  EXPECT_EQ(loops({3, 10, 9}), 1);
  EXPECT_EQ(loops({3, 2, 9}), 2);
}

}  // namespace
}  // namespace plait
