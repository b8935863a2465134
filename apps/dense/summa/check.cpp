// SPDX-License-Identifier: BSD-3-Clause
// Checks C by entries that are known everywhere: by sums over rows, each with a weight, of every
// column of a process's part, or row by row where that is cheap.  [Freivalds 1979]
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "problem.hpp"

namespace summa {
namespace {

constexpr std::int64_t cheap = std::int64_t{1} << 22;  // products

/// Never 0, so that a wrong cell changes the sum.
double weight_of(std::int64_t row) {
  return static_cast<double>(row % 3) + 1;
}

}  // namespace

/// Local rows of C from `first` to `last`.
struct problem::checked_rows {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// sums += alpha (w' op(A)) op(B), sizes the same of magnitudes.
void problem::add_product(const checked_rows& rows, std::vector<double>& sums,
                          std::vector<double>& sizes) const {
  const auto of = [this](int matrix, op how, std::int64_t row, std::int64_t column) {
    return how == op::none ? entry(matrix, row, column) : entry(matrix, column, row);
  };
  for (std::int64_t l = 0; l < what.k; ++l) {
    double sum = 0, size = 0;
    for (std::int64_t i = rows.first; i < rows.last; ++i) {
      const double value = weight_of(i) * of(0, what.of_a, where.c.rows.to_global(i, grid.p()), l);
      sum += value;
      size += std::abs(value);
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double value =
          of(1, what.of_b, l, where.c.columns.to_global(static_cast<std::int64_t>(j), grid.q()));
      sums[j] += what.alpha * sum * value;
      sizes[j] += std::abs(what.alpha * value) * size;
    }
  }
}

/// Adds the product that a run computes whose panels are stand-ins.
void problem::add_stand_in_product(const checked_rows& rows, std::vector<double>& sums,
                                   std::vector<double>& sizes) const {
  const auto add = [&](std::size_t j, double value, double size) {
    sums[j] += what.alpha * value;
    sizes[j] += std::abs(what.alpha) * size;
  };
  for (const step& s : steps) {
    if (where.stationary != form::stationary_c && !owns_sums(s)) continue;
    switch (where.stationary) {
      case form::stationary_c:
        for (std::int64_t l = 0; l < s.width; ++l) {
          double sum = 0, size = 0;
          for (std::int64_t i = rows.first; i < rows.last; ++i) {
            sum += weight_of(i) * stand_in(false, i + l * left_rows());
            size += std::abs(weight_of(i) * stand_in(false, i + l * left_rows()));
          }
          for (std::size_t j = 0; j < sums.size(); ++j) {
            const double y = stand_in(true, static_cast<std::int64_t>(j) * s.width + l);
            add(j, sum * y, size * std::abs(y));
          }
        }
        break;
      case form::stationary_a:
        for (std::int64_t l = 0; l < where.left.columns.count(grid.q()); ++l) {
          double sum = 0, size = 0;
          for (std::int64_t i = rows.first; i < rows.last; ++i) {
            const double value =
                weight_of(i) * left_part()[static_cast<std::size_t>(i + l * left_rows())];
            sum += value;
            size += std::abs(value);
          }
          for (std::int64_t j = 0; j < s.width; ++j) {
            const double y = stand_in(true, l * s.width + j);
            add(static_cast<std::size_t>(where.c.columns.to_local(s.first) + j), sum * y,
                size * std::abs(y));
          }
        }
        break;
      case form::stationary_b: {
        const std::int64_t start = where.c.rows.to_local(s.first);
        for (std::int64_t i = std::max(rows.first, start); i < std::min(rows.last, start + s.width);
             ++i)
          for (std::int64_t l = 0; l < left_rows(); ++l) {
            const double x = weight_of(i) * stand_in(false, l + (i - start) * left_rows());
            for (std::size_t j = 0; j < sums.size(); ++j) {
              const double value = x * right_part()[static_cast<std::size_t>(l) +
                                                    j * static_cast<std::size_t>(right_rows())];
              add(j, value, std::abs(value));
            }
          }
        break;
      }
    }
  }
}

verdict problem::check_rows(const checked_rows& rows, setting how) const {
  const auto columns = static_cast<std::size_t>(c_columns());
  std::vector<double> expected(columns), sizes(columns), got(columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::int64_t i = rows.first; i < rows.last; ++i) {
      got[j] +=
          weight_of(i) * c[static_cast<std::size_t>(i) + j * static_cast<std::size_t>(c_rows())];
      if (what.beta == 0) continue;
      const double before =
          what.beta * weight_of(i) *
          entry(2, where.c.rows.to_global(i, grid.p()),
                where.c.columns.to_global(static_cast<std::int64_t>(j), grid.q()));
      expected[j] += before;
      sizes[j] += std::abs(before);
    }
  if (how == setting::distributed) {
    add_product(rows, expected, sizes);
  } else {
    add_stand_in_product(rows, expected, sizes);
  }
  verdict found;
  for (std::size_t j = 0; j < columns; ++j) {
    double error = std::abs(got[j] - expected[j]);
    if (sizes[j] > 0) error /= sizes[j];
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error > error_bound(how, 1) && found.verified) {
      found.verified = false;
      found.complaint =
          fmt::format("rank {}, column {}, rows {} to {} of its own: expected {:.17g}, got {:.17g}",
                      grid.env().rank(), j, rows.first, rows.last, expected[j], got[j]);
    }
    found.max_error = std::max(found.max_error, error);
  }
  return found;
}

verdict problem::check_closed_form(setting how, std::int64_t) const {
  const bool each = c_rows() * c_columns() * std::max<std::int64_t>(what.k, 1) <= cheap;
  const std::int64_t together = each ? 1 : std::max<std::int64_t>(1, c_rows());
  verdict found;
  for (std::int64_t row = 0; row < c_rows(); row += together) {
    verdict one = check_rows({row, std::min(row + together, c_rows())}, how);
    found.max_error = std::max(found.max_error, one.max_error);
    if (found.verified && !one.verified) {
      found.verified = false;
      found.complaint = std::move(one.complaint);
    }
  }
  return found;
}

double problem::error_bound(setting, std::int64_t) const {
  if (what.kind == entries::integers) return 0;
  return 2 * static_cast<double>(what.k + what.m + 4) * 0x1p-53;
}

verdict problem::check_against_reference() const {
  if (what.kind != entries::integers) return {};
  PLAIT_EXPECTS(reference_.size() == c.size(), "no reference was kept");
  for (std::size_t i = 0; i < c.size(); ++i)
    if (std::memcmp(&c[i], &reference_[i], sizeof(double)) != 0 &&
        !(c[i] == 0 && reference_[i] == 0))
      return {false, 0,
              fmt::format("rank {}, cell {} of its own: expected {:.17g}, got {:.17g} (not the "
                          "bits of base)",
                          grid.env().rank(), i, reference_[i], c[i])};
  return {};
}

}  // namespace summa
