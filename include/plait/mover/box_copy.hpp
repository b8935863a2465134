// SPDX-License-Identifier: BSD-3-Clause
/// Copies of boxes of cells as plain memory: runs of bytes at regular distances.  Knows no cells
/// and no types; who makes them does (array_moves.hpp).
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plait {

/// Runs of bytes at regular distances, in up to three loops, the slowest first: what a box of up to
/// four axes covers of a block.
struct patch {
  static constexpr std::size_t most_loops = 3;

  std::byte* first = nullptr;
  std::size_t run_bytes = 0;
  int loops = 0;
  std::array<std::int64_t, most_loops> count{};
  std::array<std::int64_t, most_loops> step{};  ///< bytes

  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// Returns these bytes with as few loops as can be.
  [[nodiscard]] patch joined() const noexcept;
};

/// A box copied from one place to another.  Its loops are the axes of the box, on both sides.
struct box_copy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t run_bytes = 0;
  int loops = 0;
  std::array<std::int64_t, patch::most_loops> count{};
  std::array<std::int64_t, patch::most_loops> to_step{};
  std::array<std::int64_t, patch::most_loops> from_step{};

  [[nodiscard]] std::size_t size_bytes() const noexcept;
  [[nodiscard]] patch written() const noexcept { return {to, run_bytes, loops, count, to_step}; }
  [[nodiscard]] patch read() const noexcept {
    return {const_cast<std::byte*>(from), run_bytes, loops, count, from_step};
  }
  /// Returns whether the copy is one run on both sides.
  [[nodiscard]] bool contiguous() const noexcept { return joined().loops == 0; }
  /// Precondition: the two sides do not overlap.
  void run() const noexcept;
  /// From the first to the last byte on both sides, where it is one run or runs at the same
  /// distance on both sides with short gaps between; else itself.
  [[nodiscard]] box_copy with_gaps() const noexcept;
  /// Returns this copy with as few loops as can be on both sides.
  [[nodiscard]] box_copy joined() const noexcept;
};

/// Copies `extents` elements, the slowest axis first, of `element_bytes` each.  The strides, in
/// bytes, are those of each side's axes; none: that side is dense.  Preconditions: one to four
/// axes; the fastest axis has the stride of one element on both sides.
[[nodiscard]] box_copy make_box_copy(std::span<const std::int64_t> extents,
                                     std::size_t element_bytes, std::byte* to,
                                     std::span<const std::int64_t> to_strides,
                                     const std::byte* from,
                                     std::span<const std::int64_t> from_strides);

/// Makes a patch of `extents` elements, the slowest axis first, of `element_bytes` each.
[[nodiscard]] patch make_patch(std::span<const std::int64_t> extents, std::size_t element_bytes,
                               std::byte* first, std::span<const std::int64_t> strides);

}  // namespace plait
