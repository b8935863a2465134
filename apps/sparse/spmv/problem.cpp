// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "common/kernel.hpp"
#include "measure/base/gather.hpp"

namespace spmv {
namespace {

std::vector<plait::point<1>> points_of(const std::vector<std::int64_t>& indices) {
  std::vector<plait::point<1>> result;
  result.reserve(indices.size());
  for (const std::int64_t i : indices) result.push_back(plait::point<1>(i));
  return result;
}

/// The value that element i of x begins with: small whole numbers without a pattern, none 0.
double start_value(std::int64_t i) noexcept {
  const std::int64_t k = (i * 7919 + 13) % 16;
  return static_cast<double>(k < 8 ? k - 8 : k - 7);
}

std::size_t place(setting to) noexcept {
  return to == setting::distributed ? 0 : 1;
}

}  // namespace

problem::problem(plait::environment& env, dealt_matrix matrix, method how,
                 std::int64_t nonzeros_per_piece)
    : multiplied(matrix.owners(), env.rank()),
      env_(env),
      a_(std::move(matrix)),
      how_(how),
      pieces_(plait::sparse::cut_rows(a_, nonzeros_per_piece)),
      needed_(env, multiplied.blocks(), points_of(a_.ghosts)) {
  ghosts.resize(a_.ghosts.size());
  y.resize(static_cast<std::size_t>(a_.own_rows()));
  if (how == method::cg) {
    x.resize(y.size());
    r.resize(y.size());
    for (const setting to : {setting::distributed, setting::isolated}) {
      const std::vector<double> b = right_hand_side(to);
      const double own_squares = plait::sparse::dot(b, b);
      squares_of_start_[place(to)] =
          to == setting::distributed ? plait::measure::sum(env, own_squares) : own_squares;
    }
  }
}

std::span<double> problem::own() noexcept {
  const std::span<const int> blocks = multiplied.local_blocks();
  if (blocks.empty()) return {};
  auto view = multiplied.block(blocks.front());
  return {&view[view.cells().low], static_cast<std::size_t>(a_.own_columns())};
}

std::span<const double> problem::own() const noexcept {
  return const_cast<problem*>(this)->own();  // returned as const
}

/// A 1, computed without messages.
std::vector<double> problem::right_hand_side(setting to) const {
  const std::vector<double> ones(
      static_cast<std::size_t>(std::max(a_.own_columns(), a_.far.columns)), 1.0);
  std::vector<double> b(y.size());
  const plait::sparse::row_range all{0, a_.own_rows()};
  if (to == setting::distributed) {
    plait::sparse::multiply(a_, all, ones.data(), ones.data(), b.data());
  } else {
    plait::sparse::multiply_own(a_, all, ones.data(), b.data());
  }
  return b;
}

void problem::reset(setting to) {
  std::ranges::fill(ghosts, 0.0);
  std::ranges::fill(y, 0.0);
  now = {};
  const std::span<double> mine = own();
  if (how_ == method::cg) {
    std::ranges::fill(x, 0.0);
    r = right_hand_side(to);
    std::ranges::copy(r, mine.begin());
    now.squares = squares_of_start_[place(to)];
    return;
  }
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = start_value(a_.original_columns[i]);
}

std::vector<double> problem::gather_multiplied() const {
  std::vector<std::int64_t> bits;
  for (const double one : own()) bits.push_back(std::bit_cast<std::int64_t>(one));
  const auto got = env_.exchange(
      std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(env_.size()), bits));
  std::vector<double> all;
  for (const std::vector<std::int64_t>& part : got)
    for (const std::int64_t one : part) all.push_back(std::bit_cast<double>(one));
  return all;
}

void problem::expect_product(setting how) {
  expected_[place(how)] = expect(how);
}

expected_product problem::expect(setting how) const {
  const std::vector<double> all = gather_multiplied();
  expected_product to;
  to.y.assign(y.size(), 0);
  to.bound.assign(y.size(), 0);
  const auto add = [&](const plait::sparse::sparse_matrix& part, std::size_t row, auto&& element) {
    const auto columns = part.columns_of(static_cast<std::int64_t>(row));
    const auto values = part.values_of(static_cast<std::int64_t>(row));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double term = values[k] * element(columns[k]);
      to.y[row] += term;
      to.bound[row] += std::abs(term);
    }
  };
  for (std::size_t row = 0; row < y.size(); ++row) {
    if (how == setting::distributed)
      add(a_.far, row, [&](std::int32_t ghost) {
        return all[static_cast<std::size_t>(a_.ghosts[static_cast<std::size_t>(ghost)])];
      });
    add(a_.own, row, [&](std::int32_t column) {
      return all[static_cast<std::size_t>(a_.first_column() + column)];
    });
    const auto i = static_cast<std::int64_t>(row);
    to.bound[row] *= static_cast<double>(a_.own.nonzeros(i) + a_.far.nonzeros(i) + 2) *
                     std::numeric_limits<double>::epsilon();
  }
  return to;
}

verdict problem::check_closed_form(setting how, std::int64_t) const {
  return check_product(expected_[place(how)]);
}

verdict problem::check_product(const expected_product& expected) const {
  verdict found;
  for (std::size_t row = 0; row < y.size(); ++row) {
    const double error = std::abs(y[row] - expected.y[row]);
    if (error == 0) continue;
    const double share =
        how_ == method::residues ? std::numeric_limits<double>::max() : error / expected.bound[row];
    if (share <= 1) {
      found.max_error = std::max(found.max_error, share);
      continue;
    }
    found.verified = false;
    found.max_error = std::numeric_limits<double>::max();
    found.complaint =
        fmt::format("rank {}: row {} of the product is {}, expected {} to within {}", a_.rank,
                    a_.original_rows[row], y[row], expected.y[row], expected.bound[row]);
    return found;
  }
  return found;
}

double problem::error_bound(setting, std::int64_t) noexcept {
  return 1;
}

void problem::keep_as_reference() {
  reference_ = {std::vector<double>(own().begin(), own().end()), y, x, r};
}

verdict problem::check_against_reference() const {
  verdict found;
  const std::array<std::span<const double>, 4> got{own(), y, x, r};
  constexpr std::array<const char*, 4> names{"what is multiplied", "y", "x", "r"};
  for (std::size_t v = 0; v < got.size(); ++v)
    for (std::size_t i = 0; i < got[v].size(); ++i)
      if (std::bit_cast<std::uint64_t>(got[v][i]) !=
          std::bit_cast<std::uint64_t>(reference_[v][i])) {
        found.verified = false;
        found.complaint = fmt::format("rank {}: element {} of {} is {}, of base {}", a_.rank, i,
                                      names[v], got[v][i], reference_[v][i]);
        return found;
      }
  return found;
}

double problem::checksum() const {
  double sum = 0;
  for (std::size_t i = 0; i < own().size(); ++i)
    sum += static_cast<double>(a_.original_columns[i] + 1) * own()[i];
  return plait::measure::sum(env_, sum);
}

double problem::residual() const {
  const double squares = plait::measure::sum(env_, plait::sparse::dot(r, r));
  const double start = squares_of_start_[place(setting::distributed)];
  return start > 0 ? std::sqrt(squares / start) : 0;
}

double first_sum(method how, std::span<const double> own, std::span<const double> y) {
  if (how == method::cg) return plait::sparse::dot(own, y);
  return how == method::residues ? plait::sparse::residue_squares(y) : plait::sparse::dot(y, y);
}

void use_first_sum(method how, double sum, scalars& now) {
  if (how == method::power) {
    now.factor = sum > 0 ? 1 / std::sqrt(sum) : 0;
  } else if (how == method::residues) {
    now.factor = plait::sparse::residue(sum);
  } else {
    if (!(sum > 0) && now.squares > 0) now.indefinite = true;
    now.factor = sum > 0 ? now.squares / sum : 0;
  }
}

void use_second_sum(double sum, scalars& now) {
  now.turn = now.squares > 0 ? sum / now.squares : 0;
  now.squares = sum;
}

void next_multiplied(method how, const scalars& now, std::span<const double> y,
                     std::span<double> own) {
  if (how == method::residues) {
    plait::sparse::next_residues(now.factor, y, own);
  } else {
    plait::sparse::scale(now.factor, y, own);
  }
}

double vector_bytes(const dealt_matrix& a) noexcept {
  return 8.0 * (5 * static_cast<double>(a.own_rows()) + 2 * static_cast<double>(a.own_columns()) +
                static_cast<double>(a.far.columns));
}

}  // namespace spmv
