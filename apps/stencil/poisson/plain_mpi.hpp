// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants in plain MPI share: the course of an iteration apart from the
/// product, the account of it, and sums over ranks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel.hpp"
#include "measure/compare/timeline.hpp"
#include "measure/load/time_spent.hpp"
#include "variant.hpp"

namespace poisson {

/// Conjugate gradients.  A variant says how p is turned, how its ghosts come, and how w = A p is
/// computed with them; it leaves the sums of the product in `pw_`.
class plain_mpi : public variant {
 public:
  plain_mpi(plait::environment& env, const options& chosen) : env_(env), options_(chosen) {}

  void prepare(problem& p) override;
  void run(problem& p, int steps, const step_range& recorded) override;
  [[nodiscard]] run_report finish(problem& p) override;

 protected:
  virtual void turn_and_multiply(problem& p) = 0;

  void turn_strip(problem& p, const strip& s) const {
    turn(p.block(p.r)[s.rows], p.block(p.x)[s.rows], p.block(p.p)[s.rows], c_);
  }
  void multiply_strip(problem& p, std::size_t i) {
    product_of_strip(p.block(p.p), p.block(p.w), p.strips()[i], std::span(pw_).subspan(3 * i, 3),
                     c_);
  }

  std::unique_ptr<plait::measure::watched_exchange> ghosts_;  ///< null where isolated
  plait::measure::stopwatch watch_;
  coefficients c_;
  std::vector<double> pw_;  ///< by strip and part

 private:
  [[nodiscard]] double shorten_all(problem& p);
  [[nodiscard]] double over_ranks(double own, const char* name);

  plait::environment& env_;
  options options_;
  double bb_ = 1;
  plait::measure::time_spent reduction_;
};

}  // namespace poisson
