// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include <plait/plait.hpp>

#include "common/serial_grid.hpp"

namespace poisson {
namespace {

using plait::axis;
using plait::point;
using plait::side;

/// Strips of so many cells, half a megabyte of each vector: a task of some 100 µs.
constexpr std::int64_t cells_per_strip = std::int64_t{1} << 16;

// Mixes the bits of a cell's place  [splitmix64, Steele, Lea and Flood 2014].
std::uint64_t mixed(std::uint64_t bits) noexcept {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

problem::problem(domain of, int rank)
    : block_problem(std::move(of), rank),
      x(whole().blocks(), rank),
      r(whole().blocks(), rank),
      p(whole().blocks(), rank),
      w(whole().blocks(), rank),
      strips_(strips_of(whole(), rank, cells_per_strip)) {}

bool problem::is_periodic(setting how) const noexcept {
  return how == setting::distributed && whole().edge() == boundary::periodic;
}

const box& problem::grid(setting how) const {
  return how == setting::distributed ? whole().blocks().global() : cells();
}

double problem::exact(setting how, const point<3>& cell) const noexcept {
  if (!is_periodic(how)) return 1;
  std::uint64_t place = 0;
  for (const axis a : plait::axes<3>) {
    const std::int64_t n = whole().cells()[static_cast<std::size_t>(plait::index_of(a))];
    place = place * 1'000'003U + static_cast<std::uint64_t>((cell[a] + n) % n);
  }
  return static_cast<double>(mixed(place) % 17) - 8;
}

double problem::right_hand_side(setting how, const point<3>& cell) const noexcept {
  const box& all = grid(how);
  double b = 6 * exact(how, cell);
  for (const axis a : plait::axes<3>)
    for (const side s : plait::both_sides) {
      point<3> beside = cell;
      beside[a] += s == side::low ? -1 : 1;
      if (is_periodic(how) || all.contains(beside)) b -= exact(how, beside);
    }
  return b;
}

double problem::smallest_eigenvalue(setting how) const noexcept {
  const auto mode = [](double angle) { return 4 * std::sin(angle / 2) * std::sin(angle / 2); };
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const axis a : plait::axes<3>) {
    const auto n = static_cast<double>(grid(how).extent(a));
    sum += mode(std::numbers::pi / (n + 1));
    if (n > 1) least = std::min(least, mode(2 * std::numbers::pi / n));
  }
  return is_periodic(how) ? least : sum;
}

void problem::reset(setting how) {
  for (array* one : {&x, &r, &p, &w}) one->set_zero();
  const values b = block(r);
  for_each_cell(cells(), [&](const point<3>& cell) { b[cell] = right_hand_side(how, cell); });
}

void problem::for_each_row(const visitor& visit) const {
  plait::stencil::for_each_cell_row(block(x), cells(), visit);
}

serial_solution solve_serially(const problem& of, const stop_rule& stop) {
  using plait::stencil::serial_grid;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const serial_grid zero(of.whole().cells(), of.whole().edge());
  serial_grid x = zero, r = zero, w = zero;
  const auto each_cell = [&](auto&& visit) {
    for_each_cell(of.whole().blocks().global(), [&](const point<3>& cell) {
      visit(cell, cell[axis::x], cell[axis::y], cell[axis::z]);
    });
  };
  each_cell([&](const point<3>& cell, auto... at) {
    r.at(at...) = of.right_hand_side(setting::distributed, cell);
  });
  serial_grid p = r;
  serial_solution result;
  double rr = dot(r.values, r.values);
  const double enough = stop.tolerance * stop.tolerance * rr;
  for (; rr > enough && result.iterations < stop.iterations; ++result.iterations) {
    each_cell(
        [&](const point<3>&, auto... at) { w.at(at...) = 6 * p.at(at...) - p.around(at...); });
    const double alpha = rr / dot(p.values, w.values);
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      x.values[i] += alpha * p.values[i];
      r.values[i] -= alpha * w.values[i];
    }
    const double next_rr = dot(r.values, r.values);
    for (std::size_t i = 0; i < p.values.size(); ++i)
      p.values[i] = r.values[i] + next_rr / rr * p.values[i];
    rr = next_rr;
  }
  result.x = std::move(x.values);
  return result;
}

}  // namespace poisson
