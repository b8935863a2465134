// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <plait/plait.hpp>

namespace fft3d {
namespace {

/// Between -1/2 and 1/2, without any pattern. [Steele et al. 2014, the mixing function of SplitMix]
double mixed(std::uint64_t n) noexcept {
  n += 0x9e3779b97f4a7c15U;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9U;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((n ^ (n >> 31)) >> 11) * 0x1p-53 - 0.5;
}

}  // namespace

memory::memory(const spectral::slabs& shape)
    : line_side(shape.line_side_size()),
      plane_side(shape.plane_side_size()),
      planes(shape.planes_size()),
      lines(std::max(shape.lines_size(), shape.plane_side_size())) {}

problem::problem(const spectral::passes& kernel, memory& with) : where(with), kernel_(kernel) {
  const auto shares = [](index n) {
    return std::vector<double>(static_cast<std::size_t>(n), 1.0 / static_cast<double>(n));
  };
  normalising_ = {shares(shape().nx()), shares(shape().ny()), shares(shape().nz())};
}

complex problem::input(setting how, index x, index y, index z) const noexcept {
  if (how == setting::isolated) return shape().own_y().low == 0 ? 1.0 : 0.0;
  const auto n = static_cast<std::uint64_t>(x + shape().nx() * (y + shape().ny() * z));
  return {mixed(2 * n), mixed(2 * n + 1)};
}

void problem::reset(setting how) {
  for (const spectral::field* one :
       {&where.line_side, &where.plane_side, &where.planes, &where.lines})
    std::ranges::fill(one->all(), complex());
  const spectral::slabs& s = shape();
  for (index z = s.own_z().low; z < s.own_z().high; ++z)
    for (index y = 0; y < s.ny(); ++y)
      for (index x = 0; x < s.nx(); ++x)
        where.planes.data()[s.plane_index(x, y, z)] = input(how, x, y, z);
}

double problem::error_bound(setting, std::int64_t steps) const noexcept {
  return static_cast<double>(steps) * 10 * 0x1p-52 *
         (1 + std::log2(static_cast<double>(shape().size())));
}

verdict problem::check_closed_form(setting how, std::int64_t steps) const {
  const spectral::slabs& s = shape();
  const double bound = error_bound(how, steps);
  verdict found;
  for (index z = s.own_z().low; z < s.own_z().high; ++z)
    for (index y = 0; y < s.ny(); ++y)
      for (index x = 0; x < s.nx(); ++x) {
        const complex expected = input(how, x, y, z);
        const complex got = where.planes.data()[s.plane_index(x, y, z)];
        double error = std::abs(got - expected);
        // A value that is no number is infinitely wrong: NaN would be lost in a maximum.
        if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
        if (error > bound && found.verified) {
          found.verified = false;
          found.complaint = fmt::format(
              "rank {}, cell ({}, {}, {}): expected ({:.17g}, {:.17g}), got ({:.17g}, {:.17g})",
              s.rank(), x, y, z, expected.real(), expected.imag(), got.real(), got.imag());
        }
        found.max_error = std::max(found.max_error, error);
      }
  return found;
}

// The transformed field too: there and back may be right where there is wrong.
void problem::keep_as_reference() {
  reference_.assign(where.lines.data(), where.lines.data() + shape().lines_size());
}

verdict problem::check_against_reference() const {
  PLAIT_EXPECTS(std::ssize(reference_) == shape().lines_size(), "no reference was kept");
  for (index i = 0; i < shape().lines_size(); ++i)
    if (std::memcmp(where.lines.data() + i, reference_.data() + i, sizeof(complex)) != 0)
      return {false, 0,
              fmt::format("rank {}, element {} of the transform: expected ({:.17g}, {:.17g}), got "
                          "({:.17g}, {:.17g}) (not the bits of base)",
                          shape().rank(), i, reference_[static_cast<std::size_t>(i)].real(),
                          reference_[static_cast<std::size_t>(i)].imag(),
                          where.lines.data()[i].real(), where.lines.data()[i].imag())};
  return {};
}

}  // namespace fft3d
