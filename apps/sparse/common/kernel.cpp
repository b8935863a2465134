// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plait::sparse {
namespace {

/// Asks the memory for entries that rows after this one will read, as many as this one has.
/// Processors fetch a stream ahead by themselves, but not far enough while x is read at random
/// between: on a Zen 5 a product of a 27-point matrix went from 24.7 to 33.6 GB/s, where a loop
/// that only reads the matrix gets 34.  An address behind the last entry is asked for in vain and
/// without harm.
inline void fetch_ahead(const double* values, const std::int32_t* columns, std::int64_t begin,
                        std::int64_t end) noexcept {
  constexpr std::int64_t ahead = 512;  // entries
  constexpr std::int64_t line_bytes = 64;
  for (std::int64_t k = begin; k < end; k += line_bytes / 8) __builtin_prefetch(values + k + ahead);
  for (std::int64_t k = begin; k < end; k += line_bytes / 4)
    __builtin_prefetch(columns + k + ahead);
}

[[nodiscard]] inline double row_sum(const sparse_matrix& a, std::int64_t row,
                                    const double* x) noexcept {
  const std::int32_t* const columns = a.column.data();
  const double* const values = a.value.data();
  const std::int64_t begin = a.row_begin[static_cast<std::size_t>(row)];
  const std::int64_t end = a.row_begin[static_cast<std::size_t>(row) + 1];
  fetch_ahead(values, columns, begin, end);
  double sum = 0;
  for (std::int64_t k = begin; k < end; ++k) sum += values[k] * x[columns[k]];
  return sum;
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
  for (std::int64_t row = rows.first; row < rows.last; ++row)
    y[row] = row_sum(a.own, row, x) + row_sum(a.far, row, ghosts);
}

void multiply_own(const dealt_matrix& a, row_range rows, const double* x, double* y) noexcept {
  for (std::int64_t row = rows.first; row < rows.last; ++row) y[row] = row_sum(a.own, row, x);
}

void add_far(const dealt_matrix& a, row_range rows, const double* ghosts, double* y) noexcept {
  add_product(a.far, rows, ghosts, y);
}

void add_product(const sparse_matrix& a, row_range rows, const double* x, double* y) noexcept {
  for (std::int64_t row = rows.first; row < rows.last; ++row) y[row] += row_sum(a, row, x);
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
