// SPDX-License-Identifier: BSD-3-Clause
#include "system.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "common/blas.hpp"
#include "generator.hpp"
#include "measure/base/gather.hpp"
#include "measure/base/mpi_check.hpp"

namespace hpl {
namespace {

using plait::measure::check_mpi;

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

linear_system::linear_system(const settings& of, const mesh& on)
    : how(of),
      grid(on),
      row_axis{of.n, of.nb, on.rows()},
      column_axis{of.n + 1, of.nb, on.columns()},
      part(static_cast<std::size_t>(rows() * columns())),
      x(static_cast<std::size_t>(of.n)),
      pivots(static_cast<std::size_t>(of.n)),
      search_(of.nb, on.rows() > 1 ? on.mpi_column() : MPI_COMM_NULL) {}

panel_place linear_system::place(int k) const {
  panel_place at;
  at.k = k;
  at.first = k * how.nb;
  at.width = std::min(how.nb, how.n - at.first);
  at.p = row_axis.place_of(at.first);
  at.q = column_axis.place_of(at.first);
  at.local_row = row_axis.count_below(at.first, grid.p());
  at.local_column = column_axis.count_below(at.first, grid.q());
  at.below = rows() - row_axis.count_below(at.first + at.width, grid.p());
  return at;
}

std::int64_t linear_system::first_trailing(int k) const {
  const panel_place at = place(k);
  return column_axis.count_below(at.first + at.width, grid.q());
}

// From the last block to the first: what is known of x in this process column is taken from the
// rows above at once, and added up along a process row when its block's turn comes.
void linear_system::solve() {
  if (how.n == 0 || zero_pivot >= 0) return;
  const int with_b = column_axis.place_of(how.n);
  const double* const b = grid.q() == with_b ? column(columns() - 1) : nullptr;
  std::vector<double> taken(static_cast<std::size_t>(rows())),
      block(static_cast<std::size_t>(how.nb));
  std::ranges::fill(x, 0.0);
  for (int k = panels() - 1; k >= 0; --k) {
    const panel_place at = place(k);
    const int width = static_cast<int>(at.width);
    if (grid.p() == at.p) {
      for (std::int64_t i = 0; i < at.width; ++i) {
        const auto row = static_cast<std::size_t>(at.local_row + i);
        block[static_cast<std::size_t>(i)] = (b != nullptr ? b[row] : 0.0) - taken[row];
      }
      check_mpi(MPI_Reduce(grid.q() == at.q ? MPI_IN_PLACE : block.data(), block.data(), width,
                           MPI_DOUBLE, MPI_SUM, at.q, grid.mpi_row()),
                "MPI_Reduce");
    }
    if (grid.q() != at.q) continue;
    const double* const u = column(at.local_column);
    if (grid.p() == at.p)
      plait::dense::solve_upper(at.width, {u + at.local_row, rows()}, block.data());
    check_mpi(MPI_Bcast(block.data(), width, MPI_DOUBLE, at.p, grid.mpi_column()), "MPI_Bcast");
    std::copy_n(block.data(), at.width, &x[static_cast<std::size_t>(at.first)]);
    plait::dense::multiply_vector(at.local_row, at.width, 1.0, {u, rows()}, block.data(),
                                  taken.data());
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, x.data(), static_cast<int>(how.n), MPI_DOUBLE, MPI_SUM,
                          grid.mpi_row()),
            "MPI_Allreduce");
}

void linear_system::generate_column(std::int64_t local, std::span<double> to) const {
  const std::int64_t global = column_axis.to_global(local, grid.q());
  if (global == how.zero_column) {
    std::ranges::fill(to, 0.0);
    return;
  }
  auto value = to.begin();
  for (std::int64_t i = 0; i < rows();) {
    const std::int64_t row = row_axis.to_global(i, grid.p());
    generator entries(static_cast<std::uint64_t>(global) * static_cast<std::uint64_t>(how.n) +
                      static_cast<std::uint64_t>(row));
    for (std::int64_t r = row; r < row_axis.block_end(row); ++r, ++i) *value++ = entries.next();
  }
}

void linear_system::reset(setting) {
  for (std::int64_t j = 0; j < columns(); ++j) generate_column(j, columns_at(j, 1));
  std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
  std::ranges::fill(pivots, -1);
  zero_pivot = -1;
}

double linear_system::residual() const {
  if (how.n == 0) return 0;
  const auto mine = static_cast<std::size_t>(rows());
  std::vector<double> entries(mine);
  std::vector<double> sums(2 * mine), b(mine);  // A x - b, and the sums of magnitudes
  for (std::int64_t j = 0; j < columns(); ++j) {
    generate_column(j, entries);
    const std::int64_t global = column_axis.to_global(j, grid.q());
    const bool is_b = global == how.n;
    const double factor = is_b ? -1 : x[static_cast<std::size_t>(global)];
    for (std::size_t i = 0; i < mine; ++i) {
      const double value = entries[i];
      sums[i] += value * factor;
      if (is_b) {
        b[i] = value;
      } else {
        sums[mine + i] += std::abs(value);
      }
    }
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE,
                          MPI_SUM, grid.mpi_row()),
            "MPI_Allreduce");
  plait::environment& env = grid.env();
  const double difference = plait::measure::maximum(env, largest_of(std::span(sums).first(mine)));
  const double norm_a = plait::measure::maximum(env, largest_of(std::span(sums).last(mine)));
  const double norm_b = plait::measure::maximum(env, largest_of(b));
  return difference / (0x1p-53 * (norm_a * largest_of(x) + norm_b) * static_cast<double>(how.n));
}

verdict linear_system::check_closed_form(setting solves, std::int64_t) const {
  verdict found;
  if (solves == setting::isolated) {
    found.verified = std::ranges::all_of(part, [](double value) { return std::isfinite(value); });
    if (!found.verified) found.complaint = "an entry is not finite";
    return found;
  }
  found.max_error = residual();
  found.verified = found.max_error < how.threshold;
  if (!found.verified)
    found.complaint = fmt::format("rank {}: the residual is {:.3g}, and must be below {}",
                                  grid.env().rank(), found.max_error, how.threshold);
  return found;
}

verdict linear_system::check_against_reference() const {
  const auto [got, expected] = std::ranges::mismatch(pivots, reference_);
  if (got == pivots.end() && expected == reference_.end()) return {};
  return {false, 0,
          fmt::format("rank {}: row {} is exchanged with row {}, and in base with row {}",
                      grid.env().rank(), got - pivots.begin(), *got, *expected)};
}

// FNV-1a.
std::uint64_t linear_system::hash() const {
  std::uint64_t value = 14695981039346656037U;
  for (const double one : x) value = (value ^ std::bit_cast<std::uint64_t>(one)) * 1099511628211U;
  return value;
}

double memory_bytes(const settings& of, int panels) {
  const auto n = static_cast<double>(of.n), nb = static_cast<double>(of.nb);
  const double p = of.grid.rows, q = of.grid.columns;
  const double entries = n * (n + 1) / (p * q) + panels * (n / p + nb) * nb + 4 * n * nb / q;
  return entries * sizeof(double);
}

}  // namespace hpl
