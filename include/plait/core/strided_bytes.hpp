// SPDX-License-Identifier: BSD-3-Clause
/// Describes which bytes of memory something covers: a range, or the rows of a box of an array. Not
/// here: what they hold.
#pragma once

#include <plait/core/cxx20.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace plait {

/// The bytes [begin, end).
struct byte_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  friend bool operator==(const byte_range&, const byte_range&) = default;
};

/// A box of an array: rows of `row_bytes` contiguous bytes, the first of them at `begin`, the
/// others at regular distances along up to four axes.  Without axes it is a range.
///
///     // A 3 x 5 box of doubles in an array whose rows have 100 of them:
///     strided_bytes{.begin = address, .row_bytes = 5 * 8, .axes = {{{3, 100 * 8}}}};
struct strided_bytes {
  static constexpr std::size_t most_axes = 4;
  /// An axis that is not used has one row.  One that is, but along which this box has one row only,
  /// keeps its stride: boxes of one array are told by their strides, and found faster then.
  struct axis {
    std::int64_t rows = 1;
    std::int64_t stride = 0;  ///< bytes; of any sign
    friend auto operator<=>(const axis&, const axis&) = default;
  };

  std::uintptr_t begin = 0;
  std::size_t row_bytes = 0;
  std::array<axis, most_axes> axes = {};  ///< in any order

  [[nodiscard]] static strided_bytes of(byte_range bytes) noexcept {
    return {.begin = bytes.begin, .row_bytes = bytes.end - bytes.begin};
  }

  /// Returns these bytes in normal form.  Strides are positive and descend, unused axes are last,
  /// and rows that overlap along the axis of the smallest stride are one longer row.  The functions
  /// that take strided bytes expect this form.
  [[nodiscard]] strided_bytes normalised() const noexcept;

  [[nodiscard]] bool empty() const noexcept { return row_bytes == 0; }
  /// Returns whether there are no axes.
  [[nodiscard]] bool is_range() const noexcept {
    std::int64_t differs = 0;  // without a branch for each axis: every message is asked
    for (const axis& a : axes) differs |= (a.rows ^ 1) | a.stride;
    return differs == 0;
  }
  /// Returns the range from the first byte to behind the last.
  [[nodiscard]] byte_range hull() const noexcept {
    std::int64_t last = 0;
    for (const axis& a : axes) last += (a.rows - 1) * a.stride;
    return {begin, begin + static_cast<std::uintptr_t>(last) + row_bytes};
  }
  /// Returns whether the bytes are a range, all rows in one.
  [[nodiscard]] bool contiguous() const noexcept;

  friend auto operator<=>(const strided_bytes&, const strided_bytes&) = default;
};

/// Returns whether one byte is in both.  Exact for any strides.  Cost: O(2^axes) where the strides
/// are those of one array; else up to the rows of one of them.
[[nodiscard]] bool share_a_byte(const strided_bytes& a, const strided_bytes& b) noexcept;

[[nodiscard]] inline bool contains(const strided_bytes& box, std::uintptr_t byte) noexcept {
  return share_a_byte(box, strided_bytes::of({byte, byte + 1}));
}

/// Returns whether `inner` is part of `outer`.  May return false for a part whose strides differ.
[[nodiscard]] bool covers(const strided_bytes& outer, const strided_bytes& inner) noexcept;

/// Calls `use(byte_range)` for each run of contiguous bytes, in the order of the axes.
template <class Use>
void for_each_row(const strided_bytes& box, Use use) {
  if (box.empty()) return;
  std::array<std::int64_t, strided_bytes::most_axes> at{};
  for (;;) {
    std::uintptr_t begin = box.begin;
    for (std::size_t k = 0; k < at.size(); ++k) {
      begin += static_cast<std::uintptr_t>(at[k] * box.axes[k].stride);
    }
    use(byte_range{begin, begin + box.row_bytes});
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == box.axes[k - 1].rows) at[--k] = 0;
    if (k == 0) return;
  }
}

/// Returns a number that changes, all but surely, when the box does.
[[nodiscard]] std::uint64_t hash_of(const strided_bytes& box) noexcept;

/// Returns text such as "4 x 3 rows of 40 bytes", or "40 bytes".
[[nodiscard]] std::string to_string(const strided_bytes& box);

/// Place of a byte in a box: the row, such as "(2, 0)", and the distance from the beginning of that
/// row.
struct place_in_box {
  std::string row;
  std::size_t byte = 0;
};
[[nodiscard]] place_in_box place_of(const strided_bytes& box, std::uintptr_t byte);

}  // namespace plait
