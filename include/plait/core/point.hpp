// SPDX-License-Identifier: BSD-3-Clause
/// Cells, and distances between them.  What an index counts is part of its type: a cell of the
/// whole domain does not compare with one counted from the corner of a block.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/core/axis.hpp>

namespace plait {

/// Says whether the indices of a point or box count cells of the domain or of a block.
enum class space : std::uint8_t {
  global,  ///< cells of the whole domain
  local,   ///< cells from the low corner of a block, whose ghosts are -1, -2, …
  packed,  ///< cells of one rank's blocks, pushed together along every axis (block_cyclic.hpp)
};

/// D numbers, one for each axis: a size, a distance, the widths of ghosts.
template <int D>
struct extents {
  std::array<std::int64_t, D> along{};

  constexpr extents() noexcept = default;
  /// Makes extents with one number along every axis.
  constexpr extents(std::int64_t every) noexcept { along.fill(every); }
  template <std::integral... N>
  requires(D > 1 && sizeof...(N) == D) constexpr extents(N... n) noexcept
      : along{static_cast<std::int64_t>(n)...} {}

  [[nodiscard]] constexpr std::int64_t& operator[](axis a) noexcept {
    return along[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] constexpr std::int64_t operator[](axis a) const noexcept {
    return along[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] constexpr std::int64_t product() const noexcept {
    std::int64_t result = 1;
    for (const std::int64_t n : along) result *= n;
    return result;
  }
  /// Returns true if one of the numbers is below 0.
  [[nodiscard]] constexpr bool is_negative() const noexcept {
    for (const std::int64_t n : along)
      if (n < 0) return true;
    return false;
  }
  [[nodiscard]] constexpr extents operator-() const noexcept {
    extents result;
    for (const axis a : axes<D>) result[a] = -(*this)[a];
    return result;
  }
  friend constexpr bool operator==(const extents&, const extents&) noexcept = default;
};

/// One cell.
template <int D, space S = space::global>
struct point {
  std::array<std::int64_t, D> along{};

  constexpr point() noexcept = default;
  template <std::integral... N>
  requires(sizeof...(N) == D) constexpr explicit(D == 1) point(N... n) noexcept
      : along{static_cast<std::int64_t>(n)...} {}

  [[nodiscard]] constexpr std::int64_t& operator[](axis a) noexcept {
    return along[static_cast<std::size_t>(a)];
  }
  [[nodiscard]] constexpr std::int64_t operator[](axis a) const noexcept {
    return along[static_cast<std::size_t>(a)];
  }

  friend constexpr bool operator==(const point&, const point&) noexcept = default;
  [[nodiscard]] friend constexpr point operator+(point p, const extents<D>& distance) noexcept {
    for (const axis a : axes<D>) p[a] += distance[a];
    return p;
  }
  [[nodiscard]] friend constexpr point operator-(point p, const extents<D>& distance) noexcept {
    return p + -distance;
  }
  [[nodiscard]] friend constexpr extents<D> operator-(const point& to, const point& from) noexcept {
    extents<D> result;
    for (const axis a : axes<D>) result[a] = to[a] - from[a];
    return result;
  }
};

/// Returns the cell `p` counted from `corner`, and back.
template <int D>
[[nodiscard]] constexpr point<D, space::local> to_local(const point<D>& p,
                                                        const point<D>& corner) noexcept {
  return point<D, space::local>() + (p - corner);
}
template <int D>
[[nodiscard]] constexpr point<D> to_global(const point<D, space::local>& p,
                                           const point<D>& corner) noexcept {
  return corner + (p - point<D, space::local>());
}

namespace detail {
[[nodiscard]] std::string joined(const std::int64_t* numbers, int count, const char* between);
}  // namespace detail

/// Returns text such as "64x48x2".
template <int D>
[[nodiscard]] std::string to_string(const extents<D>& e) {
  return detail::joined(e.along.data(), D, "x");
}
/// Returns text such as "(3, -1)".
template <int D, space S>
[[nodiscard]] std::string to_string(const point<D, S>& p) {
  std::string result = "(";
  result += detail::joined(p.along.data(), D, ", ");
  return result += ')';
}

}  // namespace plait
