// SPDX-License-Identifier: BSD-3-Clause
#include "kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <plait/plait.hpp>

#include "common/kernel_words.cl"

namespace poisson {
namespace {

#include "device/cg_cells.cl"

using plait::axis;
using plait::point;

constexpr auto lanes = static_cast<std::int64_t>(lanes_of_a_sum);

/// Element i of a row goes to lane i mod 8: eight sums side by side, which vectors of any width add
/// in the same way.
class lane_sum {
 public:
  void add(const double* __restrict a, const double* __restrict b, std::int64_t cells) noexcept {
    double sums[lanes];
    for (std::int64_t j = 0; j < lanes; ++j) sums[j] = lane_[j];
    std::int64_t i = 0;
    for (; i + lanes <= cells; i += lanes)
      for (std::int64_t j = 0; j < lanes; ++j) sums[j] += a[i + j] * b[i + j];
    for (std::int64_t j = 0; i + j < cells; ++j) sums[j] += a[i + j] * b[i + j];
    for (std::int64_t j = 0; j < lanes; ++j) lane_[j] = sums[j];
  }
  [[nodiscard]] double total() const noexcept { return total_of_lanes(lane_); }
  [[nodiscard]] std::span<const double, lanes_of_a_sum> of_lanes() const noexcept { return lane_; }

 private:
  double lane_[lanes] = {};
};

void product_row(const double* __restrict p, double* __restrict w, std::int64_t cells,
                 std::ptrdiff_t y, std::ptrdiff_t z) noexcept {
  for (std::int64_t i = 0; i < cells; ++i)
    w[i] = multiplied(p[i], p[i - 1], p[i + 1], p[i - y], p[i + y], p[i - z], p[i + z]);
}

/// Calls visit(first, cells) for each row of these cells.
template <class Visit>
void each_row(const const_values& of, Visit&& visit) {
  const std::int64_t cells = of.cells().extent(axis::x);
  for_each_row(of.cells(), [&](const point<3>& first) { visit(first, cells); });
}

/// Multiplies the cells of w; calls also(first, cells) for each row when it is done.
template <class Also>
void multiply_rows(const const_values& p, const values& w, Also&& also) {
  each_row(w, [&](const point<3>& at, std::int64_t cells) {
    product_row(p.at(at), w.at(at), cells, p.stride(axis::y), p.stride(axis::z));
    also(at, cells);
  });
}

void shorten_row(const double* __restrict w, double* __restrict r, std::int64_t cells,
                 double alpha) noexcept {
  for (std::int64_t i = 0; i < cells; ++i) r[i] -= alpha * w[i];
}

void turn_row(const double* __restrict r, double* __restrict x, double* __restrict p,
              std::int64_t cells, double alpha, double beta) noexcept {
  for (std::int64_t i = 0; i < cells; ++i) {
    x[i] += alpha * p[i];
    p[i] = r[i] + beta * p[i];
  }
}

void advance_row(const double* __restrict q, double* __restrict x, double* __restrict r,
                 double* __restrict p, double* __restrict s, double* __restrict w,
                 double* __restrict z, std::int64_t cells, double alpha, double beta) noexcept {
  for (std::int64_t i = 0; i < cells; ++i) {
    const double zi = q[i] + beta * z[i];
    const double si = w[i] + beta * s[i];
    const double pi = r[i] + beta * p[i];
    z[i] = zi;
    s[i] = si;
    p[i] = pi;
    x[i] += alpha * pi;
    r[i] -= alpha * si;
    w[i] -= alpha * zi;
  }
}

}  // namespace

void multiply(const_values p, values w) {
  multiply_rows(p, w, [](const point<3>&, std::int64_t) {});
}

void product(const_values p, values w, double& pw, const coefficients& c) {
  if (c.done) return;
  lane_sum sum;
  multiply_rows(
      p, w, [&](const point<3>& at, std::int64_t cells) { sum.add(p.at(at), w.at(at), cells); });
  pw = sum.total();
}

void product_of_strip(const_values p, values w, const strip& cells, std::span<double> pw,
                      const coefficients& c) {
  if (c.done) return;
  std::array<lane_sum, 3> sums;
  multiply_rows(p, w[cells.rows], [&](point<3> at, std::int64_t) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (cells.parts[i].empty()) continue;
      at[axis::x] = cells.parts[i].low[axis::x];
      sums[i].add(p.at(at), w.at(at), cells.parts[i].extent(axis::x));
    }
  });
  for (std::size_t i = 0; i < sums.size(); ++i) pw[i] = sums[i].total();
}

void shorten(const_values w, values r, double& rr, const coefficients& c) {
  if (c.done) return;
  lane_sum sum;
  each_row(r, [&](const point<3>& at, std::int64_t cells) {
    shorten_row(w.at(at), r.at(at), cells, c.alpha);
    sum.add(r.at(at), r.at(at), cells);
  });
  rr = sum.total();
}

void turn(const_values r, values x, values p, const coefficients& c) {
  if (c.done) return;
  each_row(x, [&](const point<3>& at, std::int64_t cells) {
    turn_row(r.at(at), x.at(at), p.at(at), cells, c.alpha, c.beta);
  });
}

void catch_up(const_values p, values x, const coefficients& c) {
  each_row(x, [&](const point<3>& at, std::int64_t cells) {
    shorten_row(p.at(at), x.at(at), cells, -c.alpha);
  });
}

double dot(const_values a, const_values b) {
  lane_sum sum;
  each_row(b, [&](const point<3>& at, std::int64_t cells) { sum.add(a.at(at), b.at(at), cells); });
  return sum.total();
}

void sum_lanes_of(const_values a, const_values b, std::span<double> sums) {
  PLAIT_EXPECTS(sums.size() == lanes_of_a_sum, "the lanes of a sum");
  lane_sum sum;
  each_row(b, [&](const point<3>& at, std::int64_t cells) { sum.add(a.at(at), b.at(at), cells); });
  std::ranges::copy(sum.of_lanes(), sums.begin());
}

double square(const_values r, const std::vector<strip>& strips) {
  double sum = 0;
  for (const strip& s : strips) sum += dot(r[s.rows], r[s.rows]);
  return sum;
}

void advance(const_values q, values x, values r, values p, values s, values w, values z,
             std::span<double> dots, const coefficients& c) {
  if (c.done) return;
  lane_sum rr;
  lane_sum rw;
  each_row(x, [&](const point<3>& at, std::int64_t cells) {
    advance_row(q.at(at), x.at(at), r.at(at), p.at(at), s.at(at), w.at(at), z.at(at), cells,
                c.alpha, c.beta);
    rr.add(r.at(at), r.at(at), cells);
    rw.add(r.at(at), w.at(at), cells);
  });
  dots[0] = rr.total();
  dots[1] = rw.total();
}

}  // namespace poisson
