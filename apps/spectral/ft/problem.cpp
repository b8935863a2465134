// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace ft {
namespace {

/// Rank 0 computes the reference of a grid of at most so many cells itself.
constexpr index most_cells_in_series = index{1} << 25;

complex root_of_unity(index numerator, index n) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(numerator % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

std::vector<complex> wave_along(index n, index wavenumber) {
  std::vector<complex> result;
  for (index i = 0; i < n; ++i) result.push_back(root_of_unity(i * wavenumber, n));
  return result;
}

bool contains(const range& some, index i) {
  return i >= some.low && i < some.high;
}

/// Of some wavenumbers along an axis of n cells the one that decays least: the nearest to 0, or to
/// the end.
index least_decaying(const range& some, index n) {
  return some.low < n - some.high + 1 ? some.low : some.high - 1;
}

index lines_size(const spectral::pencils& grid) {
  return std::max(grid.column().lines_size(), grid.column().plane_side_size());
}

double distance(const complex& got, const complex& expected, double scale) {
  const double error = std::abs(got - expected) / scale;
  // A value that is no number is infinitely wrong: NaN would be lost in a maximum.
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace

iteration_memory::iteration_memory(const spectral::pencils& grid)
    : line_side(side_size(grid)),
      plane_side(side_size(grid)),
      x_side(grid.x_side_size()),
      y_side(grid.y_side_size()),
      cells(grid.field_size()) {}

problem::problem(const spectral::passes& kernel, int iterations, int steps)
    : lines(lines_size(kernel.grid())),
      kernel_(kernel),
      factors_(evolution(kernel.grid().cells())),
      own_factors_(factors_) {
  const spectral::pencils& g = grid();
  for (int i = 0; i < iterations; ++i) in_flight.emplace_back(g);
  own_factors_.x.assign(factors_.x.begin() + g.own_x().low, factors_.x.begin() + g.own_x().high);
  terms_.resize(static_cast<std::size_t>(g.own_z().size()));
  for (index j = 1; j <= checksum_terms; ++j) {
    const std::array<index, 3> at = checksum_cell(g.cells(), j);
    if (contains(g.own_y(), at[1]) && contains(g.own_z(), at[2]))
      terms_[static_cast<std::size_t>(at[2] - g.own_z().low)].push_back(
          g.field_index(at[0], at[1], g.own_z().low));
  }
  known_ = published_checksums(g.cells());
  if (std::ssize(known_) >= steps) {
    known_by_ = reference::published;
  } else if (g.size() <= most_cells_in_series) {
    known_by_ = reference::serial;
    known_.clear();
    if (g.rank() == 0) known_ = serial_checksums(g.cells(), steps);
  }
}

spectral::transform_memory problem::memory(std::size_t i) const {
  const iteration_memory& one = in_flight[i];
  return {{one.line_side.data(), one.plane_side.data()},
          {one.x_side.data(), one.y_side.data()},
          one.cells.data(),
          lines.data()};
}

complex problem::sum_of(const complex* field, const range& z) const {
  complex sum = 0;
  for (index plane = z.low; plane < z.high; ++plane) {
    const complex* cells = field + (plane - grid().own_z().low) * grid().plane_size();
    for (const index place : terms_[static_cast<std::size_t>(plane - grid().own_z().low)])
      sum += cells[place];
  }
  return sum;
}

complex problem::checksum(const complex& sum) const {
  return sum / static_cast<double>(grid().size());
}

problem::wave problem::wave_of_rank() const {
  const spectral::pencils& g = grid();
  const index x = g.are_slabs() ? (g.nx() > 2 ? 2 : 0) : least_decaying(g.own_x(), g.nx());
  const index y = least_decaying(g.column().own_y(), g.ny());
  return {x, y, wave_along(g.nx(), x), wave_along(g.ny(), y), wave_along(g.nz(), 1)};
}

void problem::reset(setting how) {
  const spectral::pencils& g = grid();
  sums.clear();
  result = nullptr;
  order_of_base = true;
  for (iteration_memory& one : in_flight)
    for (const spectral::field* memory :
         {&one.line_side, &one.plane_side, &one.x_side, &one.y_side, &one.cells})
      std::ranges::fill(memory->all(), complex());
  complex* field = in_flight.front().cells.data();
  const wave input = wave_of_rank();
  for (index z = g.own_z().low; z < g.own_z().high; ++z) {
    complex* row = field + g.field_index(0, g.own_y().low, z);
    if (how == setting::distributed) {
      fill_rows(g.cells(), g.own_y(), z, g.pitch(), row);
      continue;
    }
    for (index y = g.own_y().low; y < g.own_y().high; ++y, row += g.pitch()) {
      const complex yz =
          input.along_y[static_cast<std::size_t>(y)] * input.along_z[static_cast<std::size_t>(z)];
      for (std::size_t x = 0; x < input.along_x.size(); ++x) row[x] = input.along_x[x] * yz;
    }
  }
}

double problem::error_bound(setting how, std::int64_t) const noexcept {
  if (how == setting::distributed) return 1e-12;  // NPB's
  return 64 * 0x1p-53 * (1 + std::log2(static_cast<double>(grid().size())));
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  return how == setting::distributed ? check_checksums() : check_wave(steps);
}

verdict problem::check_checksums() const {
  verdict found;
  if (grid().rank() != 0 || known_by_ == reference::none) return found;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double error = distance(sums[i], known_[i], std::abs(known_[i]));
    if (error > error_bound(setting::distributed, 0) && found.verified) {
      found.verified = false;
      found.complaint =
          fmt::format("checksum {}: expected ({:.12e}, {:.12e}), got ({:.12e}, {:.12e})", i + 1,
                      known_[i].real(), known_[i].imag(), sums[i].real(), sums[i].imag());
    }
    found.max_error = std::max(found.max_error, error);
  }
  return found;
}

/// Returns the wave along y after `steps`.  Transforms the y's of this rank forward, lets the
/// wavenumbers of this rank decay, and transforms these back.
std::vector<complex> problem::evolved_along_y(const wave& input, double steps) const {
  const spectral::pencils& g = grid();
  std::vector<complex> back(static_cast<std::size_t>(g.ny()));
  const range kept = g.column().own_y();
  for (index k = kept.low; k < kept.high; ++k) {
    complex sum = 0;
    for (index y = g.own_y().low; y < g.own_y().high; ++y)
      sum += input.along_y[static_cast<std::size_t>(y)] * std::conj(root_of_unity(k * y, g.ny()));
    sum *= std::pow(factors_.y[static_cast<std::size_t>(k)], steps);
    for (index y = 0; y < g.ny(); ++y)
      back[static_cast<std::size_t>(y)] += sum * root_of_unity(k * y, g.ny());
  }
  return back;
}

/// Along z: of the planes of this rank forward, the decay, and back.
std::vector<complex> problem::evolved_along_z(const wave& input, double steps) const {
  const spectral::pencils& g = grid();
  std::vector<complex> back(static_cast<std::size_t>(g.nz()));
  for (index k = 0; k < g.nz(); ++k) {
    complex sum = 0;
    for (index z = g.own_z().low; z < g.own_z().high; ++z)
      sum += input.along_z[static_cast<std::size_t>(z)] * std::conj(root_of_unity(k * z, g.nz()));
    sum *= std::pow(factors_.z[static_cast<std::size_t>(k)], steps);
    for (index z = g.own_z().low; z < g.own_z().high; ++z)
      back[static_cast<std::size_t>(z)] += sum * root_of_unity(k * z, g.nz());
  }
  return back;
}

verdict problem::check_wave(std::int64_t steps) const {
  const spectral::pencils& g = grid();
  const wave input = wave_of_rank();
  const auto times = static_cast<double>(steps);
  const std::vector<complex> along_y = evolved_along_y(input, times);
  const std::vector<complex> along_z = evolved_along_z(input, times);
  const double along_x =
      static_cast<double>(g.nx()) * std::pow(factors_.x[static_cast<std::size_t>(input.x)], times);
  verdict found;
  const double bound = error_bound(setting::isolated, steps);
  const auto scale = static_cast<double>(g.size());
  for (index z = g.own_z().low; z < g.own_z().high; ++z)
    for (index y = g.own_y().low; y < g.own_y().high; ++y)
      for (index x = 0; x < g.nx(); ++x) {
        const complex expected = along_x * input.along_x[static_cast<std::size_t>(x)] *
                                 along_y[static_cast<std::size_t>(y)] *
                                 along_z[static_cast<std::size_t>(z)];
        const complex got = result[g.field_index(x, y, z)];
        const double error = distance(got, expected, scale);
        if (error > bound && found.verified) {
          found.verified = false;
          found.complaint = fmt::format(
              "rank {}, cell ({}, {}, {}): expected ({:.12e}, {:.12e}), got ({:.12e}, {:.12e})",
              g.rank(), x, y, z, expected.real(), expected.imag(), got.real(), got.imag());
        }
        found.max_error = std::max(found.max_error, error);
      }
  return found;
}

// FNV-1a over words: a plane is compared with what base gave without keeping a copy of it.
problem::mark problem::mark_of(index z) const {
  constexpr index weights = 61;  // divides no usual axis
  mark found{14695981039346656037U, 0, 0};
  for (index y = grid().own_y().low; y < grid().own_y().high; ++y) {
    const complex* row = result + grid().field_index(0, y, z);
    for (index x = 0; x < grid().nx(); ++x) {
      std::uint64_t words[2];
      std::memcpy(words, row + x, sizeof(words));
      for (const std::uint64_t word : words) found.digest = (found.digest ^ word) * 1099511628211U;
      found.sum += row[x] * static_cast<double>(1 + (y * grid().nx() + x) % weights);
      found.scale += std::abs(row[x]);
    }
  }
  return found;
}

void problem::keep_as_reference() {
  marks_.clear();
  for (index z = grid().own_z().low; z < grid().own_z().high; ++z) marks_.push_back(mark_of(z));
}

verdict problem::check_against_reference() const {
  PLAIT_EXPECTS(std::ssize(marks_) == grid().own_z().size(), "no reference was kept");
  for (index z = grid().own_z().low; z < grid().own_z().high; ++z) {
    const mark& kept = marks_[static_cast<std::size_t>(z - grid().own_z().low)];
    const mark found = mark_of(z);
    if (order_of_base && found.digest != kept.digest)
      return {false, 0,
              fmt::format("rank {}, plane z = {}: not the bits of base", grid().rank(), z)};
    const double error = distance(found.sum, kept.sum, kept.scale);
    if (error > error_bound(setting::distributed, 0))
      return {false, error,
              fmt::format("rank {}, plane z = {}: off base by {:.3g}", grid().rank(), z, error)};
  }
  return {};
}

index side_size(const spectral::pencils& grid) {
  return std::max(grid.column().line_side_size(), grid.column().plane_side_size());
}

double memory_bytes(const spectral::pencils& grid, int in_flight) {
  const double each = static_cast<double>(grid.field_size() + 2 * side_size(grid) +
                                          grid.x_side_size() + grid.y_side_size());
  double elements = static_cast<double>(lines_size(grid)) + in_flight * each;
  if (grid.rank() == 0 && grid.size() <= most_cells_in_series)
    elements += 2 * static_cast<double>(grid.size());
  return elements * sizeof(complex);
}

}  // namespace ft
