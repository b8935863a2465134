// SPDX-License-Identifier: BSD-3-Clause
// Variant `ideal`: the work of base with communication switched off, the figure not to exceed. Each
// block solves a problem of its own, with a zero boundary where its neighbours would be.  Such a
// problem is solved long before the whole one; so that neither numbers vanish nor iterations are
// fewer, alpha and beta are constants: the heavy ball method [Polyak 1964], which approaches the
// solution slowly and keeps r = b - A x, too.
#include <memory>

#include "kernel.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace poisson {
namespace {

using plait::activity;

// Stable for 0 <= beta < 1 and alpha < 2 (1 + beta) / 12.
constexpr double slow_alpha = 1e-3;
constexpr double slow_beta = 0.5;

class ideal final : public variant {
 public:
  [[nodiscard]] setting solves() const noexcept override { return setting::isolated; }

  void prepare(problem&) override {}

  void run(problem& p, int steps, const step_range& recorded) override {
    coefficients c;
    const values x = p.block(p.x), r = p.block(p.r), d = p.block(p.p), w = p.block(p.w);
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      for (const strip& s : p.strips()) turn(r[s.rows], x[s.rows], d[s.rows], c);
      watch_.lap(activity::compute, "turn");
      c.alpha = slow_alpha;
      c.beta = slow_beta;
      std::array<double, 3> pw{};
      for (const strip& s : p.strips()) product_of_strip(d, w, s, pw, c);
      watch_.lap(activity::compute, "product");
      c.rr = 0;
      for (const strip& s : p.strips()) {
        double rr = 0;
        shorten(w[s.rows], r[s.rows], rr, c);
        c.rr += rr;
      }
      watch_.lap(activity::compute, "shorten");
    }
    for (const strip& s : p.strips()) catch_up(d[s.rows], x[s.rows], c);
    watch_.lap(activity::compute, "catch up");
    (void)watch_.stop();
    residual_norm_ = c.residual_norm();
    steps_ = steps;
  }

  [[nodiscard]] run_report finish(problem&) override {
    run_report report = watch_.report();
    report.figures = {{"iterations", static_cast<double>(steps_)},
                      {"residual", residual_norm_},
                      {"reduction_s", 0.0}};
    return report;
  }

 private:
  plait::measure::stopwatch watch_;
  double residual_norm_ = 0;
  int steps_ = 0;
};

}  // namespace

std::unique_ptr<variant> make_ideal() {
  return std::make_unique<ideal>();
}

}  // namespace poisson
