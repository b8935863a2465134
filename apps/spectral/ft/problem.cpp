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

double distance(const complex& got, const complex& expected, double scale) {
  const double error = std::abs(got - expected) / scale;
  // What is no number is infinitely wrong: NaN would be lost in a maximum.
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace

problem::problem(const spectral::passes& kernel, int iterations, int steps)
    : lines(kernel.shape().lines_size()),
      kernel_(kernel),
      factors_(evolution(kernel.shape().cells())) {
  const spectral::slabs& s = shape();
  for (int i = 0; i < iterations; ++i)
    in_flight.push_back({spectral::field(s.line_side_size()), spectral::field(s.plane_side_size()),
                         spectral::field(s.planes_size())});
  terms_.resize(static_cast<std::size_t>(s.own_z().size()));
  for (index j = 1; j <= checksum_terms; ++j) {
    const std::array<index, 3> at = checksum_cell(s.cells(), j);
    if (at[2] >= s.own_z().low && at[2] < s.own_z().high)
      terms_[static_cast<std::size_t>(at[2] - s.own_z().low)].push_back(at[1] * s.pitch() + at[0]);
  }
  known_ = published_checksums(s.cells());
  if (std::ssize(known_) >= steps) {
    known_by_ = reference::published;
  } else if (s.size() <= most_cells_in_series) {
    known_by_ = reference::serial;
    known_.clear();
    if (s.rank() == 0) known_ = serial_checksums(s.cells(), steps);
  }
}

complex problem::sum_of(const complex* planes, const range& z) const {
  complex sum = 0;
  for (index plane = z.low; plane < z.high; ++plane) {
    const complex* cells = planes + shape().plane_index(0, 0, plane);
    for (const index place : terms_[static_cast<std::size_t>(plane - shape().own_z().low)])
      sum += cells[place];
  }
  return sum;
}

complex problem::checksum(const complex& sum) const {
  return sum / static_cast<double>(shape().size());
}

problem::wave problem::wave_of_rank() const {
  const spectral::slabs& s = shape();
  // Of this rank's y the one that decays least: the nearest to 0, or to the end.
  const range y = s.own_y();
  const index k = y.low < s.ny() - y.high + 1 ? y.low : y.high - 1;
  const index x = s.nx() > 2 ? 2 : 0;
  return {x, k, wave_along(s.nx(), x), wave_along(s.ny(), k), wave_along(s.nz(), 1)};
}

void problem::reset(setting how) {
  const spectral::slabs& s = shape();
  sums.clear();
  result = nullptr;
  for (iteration_memory& one : in_flight)
    for (const spectral::field* memory : {&one.line_side, &one.plane_side, &one.planes})
      std::ranges::fill(memory->all(), complex());
  complex* planes = in_flight.front().planes.data();
  if (how == setting::distributed) {
    for (index z = s.own_z().low; z < s.own_z().high; ++z)
      fill_plane(s.cells(), z, s.pitch(), planes + s.plane_index(0, 0, z));
    return;
  }
  const wave input = wave_of_rank();
  for (index z = s.own_z().low; z < s.own_z().high; ++z)
    for (index y = 0; y < s.ny(); ++y) {
      const complex yz =
          input.along_y[static_cast<std::size_t>(y)] * input.along_z[static_cast<std::size_t>(z)];
      complex* row = planes + s.plane_index(0, y, z);
      for (const complex& x : input.along_x) *row++ = x * yz;
    }
}

double problem::error_bound(setting how, std::int64_t) const noexcept {
  if (how == setting::distributed) return 1e-12;  // NPB's
  return 64 * 0x1p-53 * (1 + std::log2(static_cast<double>(shape().size())));
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  return how == setting::distributed ? check_checksums() : check_wave(steps);
}

verdict problem::check_checksums() const {
  verdict found;
  if (shape().rank() != 0 || known_by_ == reference::none) return found;
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

verdict problem::check_wave(std::int64_t steps) const {
  const spectral::slabs& s = shape();
  const wave input = wave_of_rank();
  // Along z: the planes of this rank forward, the decay, and back.
  std::vector<complex> forward, back;
  for (index k = 0; k < s.nz(); ++k) {
    complex sum = 0;
    for (index z = s.own_z().low; z < s.own_z().high; ++z)
      sum += input.along_z[static_cast<std::size_t>(z)] * std::conj(root_of_unity(k * z, s.nz()));
    const double factor = factors_.x[static_cast<std::size_t>(input.x)] *
                          factors_.y[static_cast<std::size_t>(input.y)] *
                          factors_.z[static_cast<std::size_t>(k)];
    forward.push_back(sum * std::pow(factor, static_cast<double>(steps)));
  }
  for (index z = s.own_z().low; z < s.own_z().high; ++z) {
    complex sum = 0;
    for (index k = 0; k < s.nz(); ++k)
      sum += forward[static_cast<std::size_t>(k)] * root_of_unity(k * z, s.nz());
    back.push_back(sum * static_cast<double>(s.nx() * s.ny()));
  }
  verdict found;
  const double bound = error_bound(setting::isolated, steps);
  const auto scale = static_cast<double>(s.size());
  for (index z = s.own_z().low; z < s.own_z().high; ++z)
    for (index y = 0; y < s.ny(); ++y)
      for (index x = 0; x < s.nx(); ++x) {
        const complex expected = input.along_x[static_cast<std::size_t>(x)] *
                                 input.along_y[static_cast<std::size_t>(y)] *
                                 back[static_cast<std::size_t>(z - s.own_z().low)];
        const complex got = result[s.plane_index(x, y, z)];
        const double error = distance(got, expected, scale);
        if (error > bound && found.verified) {
          found.verified = false;
          found.complaint = fmt::format(
              "rank {}, cell ({}, {}, {}): expected ({:.12e}, {:.12e}), got ({:.12e}, {:.12e})",
              s.rank(), x, y, z, expected.real(), expected.imag(), got.real(), got.imag());
        }
        found.max_error = std::max(found.max_error, error);
      }
  return found;
}

// FNV-1a over words: a plane is compared with what base gave without keeping a copy of it.
std::uint64_t problem::digest_of(index z) const {
  std::uint64_t digest = 14695981039346656037U;
  for (index y = 0; y < shape().ny(); ++y) {
    const complex* row = result + shape().plane_index(0, y, z);
    for (index x = 0; x < shape().nx(); ++x) {
      std::uint64_t words[2];
      std::memcpy(words, row + x, sizeof(words));
      for (const std::uint64_t word : words) digest = (digest ^ word) * 1099511628211U;
    }
  }
  return digest;
}

void problem::keep_as_reference() {
  digests_.clear();
  for (index z = shape().own_z().low; z < shape().own_z().high; ++z)
    digests_.push_back(digest_of(z));
}

verdict problem::check_against_reference() const {
  PLAIT_EXPECTS(std::ssize(digests_) == shape().own_z().size(), "no reference was kept");
  for (index z = shape().own_z().low; z < shape().own_z().high; ++z)
    if (digest_of(z) != digests_[static_cast<std::size_t>(z - shape().own_z().low)])
      return {false, 0,
              fmt::format("rank {}, plane z = {}: not the bits of base", shape().rank(), z)};
  return {};
}

double memory_bytes(const spectral::slabs& shape, int in_flight) noexcept {
  const double each = static_cast<double>(shape.planes_size()) +
                      static_cast<double>(shape.line_side_size() + shape.plane_side_size());
  double elements = static_cast<double>(shape.lines_size()) + in_flight * each;
  if (shape.rank() == 0 && shape.size() <= most_cells_in_series)
    elements += 2 * static_cast<double>(shape.size());
  return elements * sizeof(complex);
}

}  // namespace ft
