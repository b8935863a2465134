// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <plait/plait.hpp>

namespace poisson {
namespace {

using plait::axis;
using plait::point;
using plait::side;
using plait::stencil::for_each_cell_row;

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

problem::problem(domain whole, int rank)
    : x(whole.blocks(), rank),
      r(whole.blocks(), rank),
      p(whole.blocks(), rank),
      w(whole.blocks(), rank),
      whole_(std::move(whole)),
      rank_(rank),
      strips_(strips_of(whole_, rank, cells_per_strip)) {}

double problem::exact(setting how, const point<3>& cell) const noexcept {
  if (how == setting::isolated || whole_.edge() == boundary::dirichlet) return 1;
  std::uint64_t place = 0;
  for (const axis a : plait::axes<3>) {
    const std::int64_t n = whole_.cells()[static_cast<std::size_t>(plait::index_of(a))];
    place = place * 1'000'003U + static_cast<std::uint64_t>((cell[a] + n) % n);
  }
  return static_cast<double>(mixed(place) % 17) - 8;
}

double problem::right_hand_side(setting how, const point<3>& cell) const noexcept {
  const bool periodic = how == setting::distributed && whole_.edge() == boundary::periodic;
  const box& all = how == setting::isolated ? cells() : whole_.blocks().global();
  double b = 6 * exact(how, cell);
  for (const axis a : plait::axes<3>)
    for (const side s : plait::both_sides) {
      point<3> beside = cell;
      beside[a] += s == side::low ? -1 : 1;
      if (periodic || all.contains(beside)) b -= exact(how, beside);
    }
  return b;
}

double problem::smallest_eigenvalue(setting how) const noexcept {
  const bool periodic = how == setting::distributed && whole_.edge() == boundary::periodic;
  const auto mode = [](double angle) { return 4 * std::sin(angle / 2) * std::sin(angle / 2); };
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const axis a : plait::axes<3>) {
    const auto n = static_cast<double>(
        how == setting::isolated ? cells().extent(a)
                                 : whole_.cells()[static_cast<std::size_t>(plait::index_of(a))]);
    sum += mode(std::numbers::pi / (n + 1));
    if (n > 1) least = std::min(least, mode(2 * std::numbers::pi / n));
  }
  return periodic ? least : sum;
}

void problem::reset(setting how) {
  for (array* one : {&x, &r, &p, &w}) one->set_zero();
  const values b = block(r);
  for_each_cell(cells(), [&](const point<3>& cell) { b[cell] = right_hand_side(how, cell); });
}

void problem::keep_as_reference() {
  reference_.clear();
  for_each_cell_row(block(x), cells(), [&](const auto& row) { reference_.keep(row); });
}

std::string problem::differs_from_reference() const {
  const auto rows = [&](const auto& visit) { for_each_cell_row(block(x), cells(), visit); };
  return reference_.compare(rank_, "base", rows).complaint;
}

double problem::distance_to_reference() const {
  double largest = 0;
  const double* expected = reference_.values().data();
  for_each_cell(cells(), [&](const point<3>& cell) {
    largest = std::max(largest, std::abs(block(x)[cell] - *expected++));
  });
  return largest;
}

double memory_bytes(const box& cells) noexcept {
  // x, r, p, w, the reference, and z, s and q of the pipelined variant.
  return plait::stencil::memory_bytes(cells, 8);
}

serial_solution solve_serially(const problem& of, const stop_rule& stop) {
  const auto [nx, ny, nz] = of.whole().cells();
  const bool periodic = of.whole().edge() == boundary::periodic;
  const auto cells = static_cast<std::size_t>(nx * ny * nz);
  const auto place = [nx = nx, ny = ny](std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(x + nx * (y + ny * z));
  };
  std::vector<double> r(cells);
  std::vector<double> p;
  std::vector<double> w(cells);
  serial_solution result{0, std::vector<double>(cells, 0.0)};
  for_each_cell(of.whole().blocks().global(), [&](const point<3>& cell) {
    r[place(cell[axis::x], cell[axis::y], cell[axis::z])] =
        of.right_hand_side(setting::distributed, cell);
  });
  p = r;
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    if (!inside && !periodic) return 0.0;
    return p[place((x + nx) % nx, (y + ny) % ny, (z + nz) % nz)];
  };
  double rr = dot(r, r);
  const double enough = stop.tolerance * stop.tolerance * rr;
  for (; rr > enough && result.iterations < stop.iterations; ++result.iterations) {
    for (std::int64_t z = 0; z < nz; ++z)
      for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x)
          w[place(x, y, z)] = 6 * at(x, y, z) - at(x - 1, y, z) - at(x + 1, y, z) -
                              at(x, y - 1, z) - at(x, y + 1, z) - at(x, y, z - 1) - at(x, y, z + 1);
    const double alpha = rr / dot(p, w);
    for (std::size_t i = 0; i < cells; ++i) {
      result.x[i] += alpha * p[i];
      r[i] -= alpha * w[i];
    }
    const double next_rr = dot(r, r);
    for (std::size_t i = 0; i < cells; ++i) p[i] = r[i] + next_rr / rr * p[i];
    rr = next_rr;
  }
  return result;
}

}  // namespace poisson
