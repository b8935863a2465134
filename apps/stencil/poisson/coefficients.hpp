// SPDX-License-Identifier: BSD-3-Clause
/// The scalars of conjugate gradients: what an iteration makes of its inner products.  One object
/// for each rank, the same bits on all of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace poisson {

/// Alpha and beta of rows without communication, which take the heavy ball method (base.cpp).
/// Stable for 0 <= beta < 1 and alpha < 2 (1 + beta) / 12.
inline constexpr double slow_alpha = 1e-3;
inline constexpr double slow_beta = 0.5;

/// Rule that ends a run: at |r| <= tolerance |b|, or after so many iterations.
struct stop_rule {
  double tolerance = 1e-8;
  std::int64_t iterations = 1000;
};

/// x += alpha p, r -= alpha A p, p = r + beta p  [Hestenes and Stiefel 1952].  The update of x is
/// left to when p is changed, so that both read p once: with alpha = beta = 0 at first.
struct coefficients {
  double alpha = 0;
  double beta = 0;
  double rr = 0;  ///< r·r
  double enough_rr = 0;
  std::int64_t iterations = 0;
  std::int64_t most = 0;
  bool done = false;  ///< nothing is changed any more

  coefficients() = default;
  coefficients(double bb, const stop_rule& stop)
      : rr(bb), enough_rr(stop.tolerance * stop.tolerance * bb), most(stop.iterations) {
    done = is_over();
  }

  /// p·Ap is known.
  void step_length(double pw) {
    if (!done) alpha = rr / pw;
  }
  /// r·r of the new residual is known: this iteration is over.
  void next_direction(double new_rr) {
    if (done) return;
    beta = new_rr / rr;
    rr = new_rr;
    ++iterations;
    done = is_over();
  }
  /// Pipelined: r·r and r·Ar of this iteration are known together.  [Ghysels and Vanroose 2014,
  /// algorithm 3]
  void both(double new_rr, double rw) {
    if (done) return;
    const bool first = iterations == 0;
    beta = first ? 0 : new_rr / rr;
    alpha = first ? new_rr / rw : new_rr / (rw - beta * new_rr / alpha);
    rr = new_rr;
    done = is_over();
    if (!done) ++iterations;
  }

  [[nodiscard]] double residual_norm() const noexcept { return std::sqrt(rr); }
  [[nodiscard]] bool converged() const noexcept { return rr <= enough_rr; }

 private:
  // A residual that is no number stays so.
  [[nodiscard]] bool is_over() const noexcept {
    return converged() || iterations >= most || !std::isfinite(rr);
  }
};

}  // namespace poisson
