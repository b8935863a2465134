// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: the work of base with communication switched off, the figure not to exceed. Each
// block solves a problem of its own, with a zero boundary where its neighbours would be.  Such a
// problem is solved long before the whole one; so that neither numbers vanish nor iterations are
// fewer, alpha and beta are constants: the heavy ball method [Polyak 1964], which approaches the
// solution slowly and keeps r = b - A x, too.
#include <array>
#include <memory>

#include "kernel.hpp"
#include "measure/stepwise.hpp"
#include "variant.hpp"

namespace poisson {
namespace {

using plait::activity;

// Stable for 0 <= beta < 1 and alpha < 2 (1 + beta) / 12.
constexpr double slow_alpha = 1e-3;
constexpr double slow_beta = 0.5;

struct ideal_step {
  explicit ideal_step(problem&) {}

  void operator()(problem& p, plait::measure::stopwatch& watch) {
    const values x = p.block(p.x), r = p.block(p.r), d = p.block(p.p), w = p.block(p.w);
    for (const strip& s : p.strips()) turn(r[s.rows], x[s.rows], d[s.rows], c);
    watch.lap(activity::compute, "turn");
    c.alpha = slow_alpha;
    c.beta = slow_beta;
    std::array<double, 3> pw{};
    for (const strip& s : p.strips()) product_of_strip(d, w, s, pw, c);
    watch.lap(activity::compute, "product");
    c.rr = 0;
    for (const strip& s : p.strips()) {
      double rr = 0;
      shorten(w[s.rows], r[s.rows], rr, c);
      c.rr += rr;
    }
    watch.lap(activity::compute, "shorten");
    ++steps;
  }

  void ended(problem& p, plait::measure::stopwatch& watch) const {
    for (const strip& s : p.strips()) catch_up(p.block(p.p)[s.rows], p.block(p.x)[s.rows], c);
    watch.lap(activity::compute, "catch up");
  }

  void add_to(run_report& report) const {
    report.figures = {{"iterations", static_cast<double>(steps)},
                      {"residual", c.residual_norm()},
                      {"reduction_s", 0.0}};
  }

  coefficients c;
  int steps = 0;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return plait::measure::stepwise_of<problem, ideal_step>(setting::isolated);
}

}  // namespace poisson
