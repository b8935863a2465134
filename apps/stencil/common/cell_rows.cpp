// SPDX-License-Identifier: BSD-3-Clause
#include "cell_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace plait::stencil {
namespace {

std::string described(const cell_row& row, std::int64_t i, int rank, double expected) {
  return fmt::format("rank {}, cell ({}, {}, {}): expected {:.17g}, got {:.17g}", rank,
                     row.first[axis::x] + i * row.step, row.first[axis::y], row.first[axis::z],
                     expected, row.values[i]);
}

}  // namespace

void judgement::hold(const cell_row& row, std::int64_t i, double expected) {
  double error = std::abs(row.values[i] - expected);
  if (relative && expected != 0) error /= expected;
  // A value that is no number is infinitely wrong: NaN would be lost in a maximum.
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  if (error > bound && found.verified) {
    found.verified = false;
    found.complaint = described(row, i, rank, expected);
  }
  found.max_error = std::max(found.max_error, error);
}

void kept_cells::compare(const cell_row& row, std::size_t place, int rank,
                         measure::verdict& result) const {
  const auto count = static_cast<std::size_t>(row.cells);
  PLAIT_EXPECTS(place + count <= values_.size(), "no reference was kept");
  const double* const expected = values_.data() + place;
  if (!result.verified || std::memcmp(row.values, expected, count * sizeof(double)) == 0) return;
  std::int64_t i = 0;
  while (std::memcmp(row.values + i, expected + i, sizeof(double)) == 0) ++i;
  result = {false, 0, described(row, i, rank, expected[i]) + " (not the bits of the reference)"};
}

}  // namespace plait::stencil
