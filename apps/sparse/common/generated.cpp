// SPDX-License-Identifier: BSD-3-Clause
#include "generated.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <plait/plait.hpp>

namespace plait::sparse {
namespace {

/// splitmix64 [Steele, Lea, Flood 2014]: each row has a stream of its own.
class stream {
 public:
  /// States of two seeds must not be an increment apart, or one stream is the other's, shifted.
  explicit stream(std::uint64_t seed) : state_(mixed(seed)) {}
  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  /// In [0, 1).
  double uniform() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  std::int32_t below(std::int64_t n) noexcept {
    return static_cast<std::int32_t>(uniform() * static_cast<double>(n));
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

void expect_sizes(std::int64_t size, std::int64_t per_row) {
  PLAIT_EXPECTS(size >= 1 && size <= most_rows && per_row >= 1 && per_row <= size,
                std::to_string(per_row) + " of " + std::to_string(size));
}

void expect_rows(std::int64_t size, std::int64_t first, std::int64_t last) {
  PLAIT_EXPECTS(0 <= first && first <= last && last <= size, std::to_string(last));
}

/// Adds columns that `draw` gives until there are `wanted` different ones, sorted.
template <class Draw>
void draw_columns(std::vector<std::int32_t>& columns, std::size_t wanted, Draw&& draw) {
  columns.clear();
  while (columns.size() < wanted) {
    while (columns.size() < wanted) columns.push_back(draw());
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
  }
}

void append_row(sparse_matrix& a, const std::vector<std::int32_t>& columns, stream& random) {
  for (const std::int32_t column : columns) {
    a.column.push_back(column);
    a.value.push_back(2 * random.uniform() - 1);
  }
  a.row_begin.push_back(static_cast<std::int64_t>(a.column.size()));
}

}  // namespace

sparse_matrix uniform_rows(std::int64_t size, std::int64_t per_row, std::int64_t first,
                           std::int64_t last) {
  expect_sizes(size, per_row);
  expect_rows(size, first, last);
  sparse_matrix a;
  a.rows = last - first;
  a.columns = size;
  a.column.reserve(static_cast<std::size_t>(a.rows * per_row));
  a.value.reserve(static_cast<std::size_t>(a.rows * per_row));
  std::vector<std::int32_t> columns;
  for (std::int64_t row = first; row < last; ++row) {
    stream random(static_cast<std::uint64_t>(row) + 1);
    draw_columns(columns, static_cast<std::size_t>(per_row), [&] { return random.below(size); });
    append_row(a, columns, random);
  }
  return a;
}

sparse_matrix stencil_27(const std::array<std::int64_t, 3>& points) {
  const auto [nx, ny, nz] = points;
  sparse_matrix a;
  a.rows = a.columns = nx * ny * nz;
  a.column.reserve(static_cast<std::size_t>(27 * a.rows));
  a.value.reserve(static_cast<std::size_t>(27 * a.rows));
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        for (std::int64_t k = std::max<std::int64_t>(z - 1, 0); k <= std::min(z + 1, nz - 1); ++k)
          for (std::int64_t j = std::max<std::int64_t>(y - 1, 0); j <= std::min(y + 1, ny - 1); ++j)
            for (std::int64_t i = std::max<std::int64_t>(x - 1, 0); i <= std::min(x + 1, nx - 1);
                 ++i) {
              a.column.push_back(static_cast<std::int32_t>((k * ny + j) * nx + i));
              a.value.push_back(i == x && j == y && k == z ? 26 : -1);
            }
        a.row_begin.push_back(static_cast<std::int64_t>(a.column.size()));
      }
  return a;
}

sparse_matrix power_law_rows(std::int64_t size, std::int64_t per_row, std::int64_t first,
                             std::int64_t last) {
  expect_sizes(size, per_row);
  expect_rows(size, first, last);
  sparse_matrix a;
  a.rows = last - first;
  a.columns = size;
  // Ranks are scattered over the numbers by a multiplication that has an inverse.
  std::int64_t factor = size / 2 + 1;
  while (std::gcd(factor, size) != 1) ++factor;
  std::vector<std::int32_t> columns;
  for (std::int64_t row = first; row < last; ++row) {
    stream random(static_cast<std::uint64_t>(row) + 1);
    // With rank u of (0, 1), u^(-1/2) / 2 is 1 on average: degrees fall with exponent 3.
    const double rank =
        (static_cast<double>(row * factor % size) + 0.5) / static_cast<double>(size);
    const double wanted = static_cast<double>(per_row) * 0.5 / std::sqrt(rank);
    const auto degree = std::clamp<std::int64_t>(std::llround(wanted), 0, size / 2);
    columns.clear();
    for (std::int64_t k = 0; k < degree; ++k) {
      const double u = random.uniform();
      const auto hub = static_cast<std::int64_t>(u * u * static_cast<double>(size));
      columns.push_back(static_cast<std::int32_t>(hub * factor % size));
    }
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    append_row(a, columns, random);
  }
  return a;
}

}  // namespace plait::sparse
