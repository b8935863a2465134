// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace plait::sparse {
namespace {

/// Asks the memory for entries that rows after this one will read: so many cache lines of values,
/// and half as many of columns.  Processors fetch a stream ahead by themselves, but not far enough
/// while x is read at random between.  A loop over what a row has would end at another turn in each
/// row, which processors guess wrong, so there is none.  An address behind the last entry is asked
/// for in vain and without harm.
template <int lines>
inline void fetch_ahead(const double* values, const std::int32_t* columns) noexcept {
  constexpr int ahead = 512;  // entries
  constexpr int values_of_line = 8, columns_of_line = 16;
#pragma GCC unroll 8
  for (int i = 0; i < lines; ++i) __builtin_prefetch(values + ahead + i * values_of_line);
#pragma GCC unroll 8
  for (int i = 0; i < (lines + 1) / 2; ++i)
    __builtin_prefetch(columns + ahead + i * columns_of_line);
}

/// Adds the products of a row in the order of its columns, whatever `lines` is.
template <int lines>
[[nodiscard]] inline double row_sum(const sparse_matrix& a, std::int64_t row,
                                    const double* x) noexcept {
  const std::int32_t* const columns = a.column.data();
  const double* const values = a.value.data();
  std::int64_t k = a.row_begin[static_cast<std::size_t>(row)];
  const std::int64_t end = a.row_begin[static_cast<std::size_t>(row) + 1];
  fetch_ahead<lines>(values + k, columns + k);
  double sum = 0;
  if constexpr (lines > 2) {  // pays where rows are long
    for (; k + 2 <= end; k += 2) {
      sum += values[k] * x[columns[k]];
      sum += values[k + 1] * x[columns[k + 1]];
    }
  }
  for (; k < end; ++k) sum += values[k] * x[columns[k]];
  return sum;
}

template <int lines>
using number = std::integral_constant<int, lines>;

[[nodiscard]] std::int64_t nonzeros(const sparse_matrix& a, row_range rows) noexcept {
  return a.row_begin[static_cast<std::size_t>(rows.last)] -
         a.row_begin[static_cast<std::size_t>(rows.first)];
}

/// Calls `work` with the number of cache lines that the values of a mean row take.  [Zen 5, GB/s of
/// 16 nonzeros a row in 7.3e5 rows, 26 of a 27-point grid, 26 at random: without prefetch 16.9,
/// 32.6, 11.0; by a loop over the row's lines 15.9, 32.7, 20.1; this 20.2, 35.1, 23.5]
template <class Work>
void with_lines_of_rows(const sparse_matrix& a, row_range rows, Work&& work) noexcept {
  const std::int64_t mean =
      rows.first < rows.last ? nonzeros(a, rows) / (rows.last - rows.first) : 0;
  if (mean > 32) return work(number<8>{});
  if (mean > 16) return work(number<4>{});
  if (mean > 8) return work(number<2>{});
  if (mean > 1) return work(number<1>{});
  work(number<0>{});
}

template <class Term>
double in_four_lanes(std::size_t size, Term&& term) noexcept {
  double lane[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4)
    for (std::size_t k = 0; k < 4; ++k) lane[k] += term(i + k);
  for (; i < size; ++i) lane[0] += term(i);
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

}  // namespace

void multiply(const dealt_matrix& a, row_range rows, const double* x, const double* ghosts,
              double* y) noexcept {
  // Rows without anything to add took 1.06 of the time in one pass.
  if (nonzeros(a.far, rows) == 0) return multiply_own(a, rows, x, y);
  with_lines_of_rows(a.own, rows, [&]<int own>(number<own>) {
    with_lines_of_rows(a.far, rows, [&]<int far>(number<far>) {
      for (std::int64_t row = rows.first; row < rows.last; ++row)
        y[row] = row_sum<own>(a.own, row, x) + row_sum<far>(a.far, row, ghosts);
    });
  });
}

void multiply_own(const dealt_matrix& a, row_range rows, const double* x, double* y) noexcept {
  with_lines_of_rows(a.own, rows, [&]<int lines>(number<lines>) {
    for (std::int64_t row = rows.first; row < rows.last; ++row)
      y[row] = row_sum<lines>(a.own, row, x);
  });
}

void add_far(const dealt_matrix& a, row_range rows, const double* ghosts, double* y) noexcept {
  add_product(a.far, rows, ghosts, y);
}

void add_product(const sparse_matrix& a, row_range rows, const double* x, double* y) noexcept {
  with_lines_of_rows(a, rows, [&]<int lines>(number<lines>) {
    for (std::int64_t row = rows.first; row < rows.last; ++row) y[row] += row_sum<lines>(a, row, x);
  });
}

double dot(std::span<const double> x, std::span<const double> y) noexcept {
  return in_four_lanes(x.size(), [&](std::size_t i) { return x[i] * y[i]; });
}

void scale(double s, std::span<const double> x, std::span<double> y) noexcept {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = s * x[i];
}

void add_to_scaled(std::span<const double> x, double s, std::span<double> y) noexcept {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + s * y[i];
}

double step(double s, std::span<const double> p, std::span<const double> w, std::span<double> x,
            std::span<double> r) noexcept {
  return in_four_lanes(r.size(), [&](std::size_t i) {
    x[i] += s * p[i];
    r[i] -= s * w[i];
    return r[i] * r[i];
  });
}

double residue(double y) noexcept {
  const double rest = std::fmod(y, 17);
  return rest > 8 ? rest - 17 : rest < -8 ? rest + 17 : rest + 0.0;
}

double residue_squares(std::span<const double> y) noexcept {
  double sum = 0;
  for (const double one : y) sum += residue(one) * residue(one);
  return sum;
}

void next_residues(double s, std::span<const double> y, std::span<double> x) noexcept {
  for (std::size_t i = 0; i < y.size(); ++i) x[i] = residue(y[i] + s);
}

double traffic_bytes(const sparse_matrix& a) noexcept {
  return 12 * static_cast<double>(a.nonzeros()) + (8 + 8) * static_cast<double>(a.rows) +
         8 * static_cast<double>(a.columns);
}

double traffic_bytes(const dealt_matrix& a) noexcept {
  // Both parts are added to one y.
  return traffic_bytes(a.own) + traffic_bytes(a.far) - 8 * static_cast<double>(a.own_rows());
}

double triad_bytes_per_s(double bytes) {
  constexpr double bytes_of_element = 24;
  const auto n = static_cast<std::size_t>(std::max(bytes / bytes_of_element, 1024.0));
  const int times =
      std::clamp(static_cast<int>(16e6 / bytes_of_element / static_cast<double>(n)), 3, 100);
  std::vector<double> a(n, 1), b(n, 2), c(n, 0);
  double best = 0;
  for (int i = 0; i < times; ++i) {
    const ticks begin = now_ticks();
    for (std::size_t k = 0; k < n; ++k) c[k] = a[k] + 0.5 * b[k];
    const double seconds = ticks_to_seconds(now_ticks() - begin);
    best = std::max(best, bytes_of_element * static_cast<double>(n) / seconds);
    std::swap(a, c);
  }
  return best;
}

}  // namespace plait::sparse
