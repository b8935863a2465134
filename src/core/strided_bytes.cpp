// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <plait/core/strided_bytes.hpp>

namespace plait {
namespace {

[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The numbers c1 * stride1 + c2 * stride2 + ... + rest, with each c and the rest within bounds.
class sums {
 public:
  void add(std::int64_t stride, std::int64_t low, std::int64_t high) noexcept {
    if (low == 0 && high == 0) return;
    for (std::size_t k = 0; k < count_; ++k) {
      if (terms_[k].stride != stride) continue;
      terms_[k].low += low;
      terms_[k].high += high;
      return;
    }
    std::size_t k = count_++;
    for (; k > 0 && terms_[k - 1].stride < stride; --k) terms_[k] = terms_[k - 1];
    terms_[k] = {stride, low, high};
  }

  /// Looks for the c of the largest stride first.  Those that the smaller strides can make up for
  /// are few: about two, where the smaller ones lie within one step of the larger, as in an array.
  [[nodiscard]] bool contain(std::int64_t number, std::int64_t rest_low,
                             std::int64_t rest_high) noexcept {
    low_[count_] = rest_low;
    high_[count_] = rest_high;
    for (std::size_t k = count_; k > 0; --k) {
      low_[k - 1] = low_[k] + terms_[k - 1].low * terms_[k - 1].stride;
      high_[k - 1] = high_[k] + terms_[k - 1].high * terms_[k - 1].stride;
    }
    return rest_low <= rest_high && find(0, number);
  }

 private:
  struct term {
    std::int64_t stride, low, high;
  };

  [[nodiscard]] bool find(std::size_t k, std::int64_t number) const noexcept {
    if (number < low_[k] || number > high_[k]) return false;
    if (k == count_) return true;
    const term& t = terms_[k];
    const std::int64_t first = std::max(t.low, -floor_div(high_[k + 1] - number, t.stride));
    const std::int64_t last = std::min(t.high, floor_div(number - low_[k + 1], t.stride));
    if (k + 1 == count_) return first <= last;
    for (std::int64_t c = first; c <= last; ++c) {
      if (find(k + 1, number - c * t.stride)) return true;
    }
    return false;
  }

  static constexpr std::size_t most = 2 * strided_bytes::most_axes;
  std::array<term, most> terms_{};  ///< strides descend
  std::size_t count_ = 0;
  std::array<std::int64_t, most + 1> low_{};  ///< the least that the terms from here on make
  std::array<std::int64_t, most + 1> high_{};
};

[[nodiscard]] std::int64_t distance(const strided_bytes& from, const strided_bytes& to) noexcept {
  return static_cast<std::int64_t>(to.begin - from.begin);
}

}  // namespace

strided_bytes strided_bytes::normalised() const noexcept {
  strided_bytes result{.begin = begin, .row_bytes = row_bytes};
  for (std::size_t k = 0; k < most_axes; ++k) {
    axis a = axes[k];
    if (a.rows <= 0 || row_bytes == 0) return {};
    if (a.stride < 0) {
      result.begin += static_cast<std::uintptr_t>((a.rows - 1) * a.stride);
      a.stride = -a.stride;
    }
    if (a.stride == 0) a.rows = 1;  // the same row again
    result.axes[k] = a;
  }
  std::sort(result.axes.begin(), result.axes.end(),
            [](const axis& a, const axis& b) { return a.stride > b.stride; });
  for (std::size_t k = most_axes; k > 0; --k) {
    axis& a = result.axes[k - 1];
    if (a.stride >= static_cast<std::int64_t>(result.row_bytes)) break;
    result.row_bytes += static_cast<std::size_t>((a.rows - 1) * a.stride);
    a = {};
  }
  return result;
}

bool strided_bytes::contiguous() const noexcept {
  auto length = static_cast<std::int64_t>(row_bytes);
  for (std::size_t k = most_axes; k > 0; --k) {
    const axis& a = axes[k - 1];
    if (a.rows == 1) continue;
    if (a.stride > length) return false;
    length += (a.rows - 1) * a.stride;
  }
  return true;
}

/// Decides whether two strided ranges share a byte.  They do if and only if
///
///     a.begin + sum of i_k * stride_k + u = b.begin + sum of j_l * stride_l + v
///
/// for some row (i_k) and byte u of a, and some row (j_l) and byte v of b: if the distance of their
/// first bytes is a sum of multiples of their strides, and of u - v.
bool share_a_byte(const strided_bytes& a, const strided_bytes& b) noexcept {
  if (a.empty() || b.empty()) return false;
  sums all;
  for (const auto& axis : a.axes) all.add(axis.stride, 0, axis.rows - 1);
  for (const auto& axis : b.axes) all.add(axis.stride, -(axis.rows - 1), 0);
  return all.contain(distance(a, b), -(static_cast<std::int64_t>(b.row_bytes) - 1),
                     static_cast<std::int64_t>(a.row_bytes) - 1);
}

/// Each row of `inner` is one of `outer`, or part of it, if the whole of `inner` fits at its place.
bool covers(const strided_bytes& outer, const strided_bytes& inner) noexcept {
  if (outer.contiguous()) {
    const byte_range all = outer.hull();
    const byte_range part = inner.hull();
    return all.begin <= part.begin && part.end <= all.end;
  }
  sums places;
  auto i = inner.axes.begin();
  const auto skip_single_rows = [&] {
    while (i != inner.axes.end() && i->rows == 1) ++i;
  };
  for (const auto& o : outer.axes) {
    skip_single_rows();
    const std::int64_t rows = i != inner.axes.end() && i->stride == o.stride ? i++->rows : 1;
    if (o.rows < rows) return false;
    places.add(o.stride, 0, o.rows - rows);
  }
  skip_single_rows();
  if (i != inner.axes.end()) return false;
  return places.contain(
      distance(outer, inner), 0,
      static_cast<std::int64_t>(outer.row_bytes) - static_cast<std::int64_t>(inner.row_bytes));
}

std::uint64_t hash_of(const strided_bytes& box) noexcept {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  };
  mix(box.begin);
  mix(box.row_bytes);
  for (const auto& axis : box.axes) {
    mix(static_cast<std::uint64_t>(axis.rows));
    mix(static_cast<std::uint64_t>(axis.stride));
  }
  return hash;
}

namespace {
/// Neither unused nor, before the first along which the box has rows, one it has a single row of.
[[nodiscard]] bool worth_saying(const strided_bytes::axis& axis, const std::string& so_far) {
  return axis.stride != 0 && (axis.rows > 1 || !so_far.empty());
}
}  // namespace

std::string to_string(const strided_bytes& box) {
  std::string rows;
  for (const auto& axis : box.axes) {
    if (!worth_saying(axis, rows)) continue;
    rows += (rows.empty() ? "" : " x ") + std::to_string(axis.rows);
  }
  if (!rows.empty()) rows += " rows of ";
  return rows + std::to_string(box.row_bytes) + (box.row_bytes == 1 ? " byte" : " bytes");
}

place_in_box place_of(const strided_bytes& box, std::uintptr_t byte) {
  place_in_box place;
  auto rest = static_cast<std::int64_t>(byte - box.begin);
  for (const auto& axis : box.axes) {
    if (axis.stride == 0) continue;
    const std::int64_t row = std::min(rest / axis.stride, axis.rows - 1);
    rest -= row * axis.stride;
    if (worth_saying(axis, place.row)) {
      place.row += (place.row.empty() ? "" : ", ") + std::to_string(row);
    }
  }
  place.row = "(" + place.row + ")";
  place.byte = static_cast<std::size_t>(rest);
  return place;
}

}  // namespace plait
