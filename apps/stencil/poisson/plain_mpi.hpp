// SPDX-License-Identifier: BSD-3-Clause
/// Describes what the variants in plain MPI share: the course of an iteration apart from the
/// product, the account of it, and sums over ranks.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernel.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace poisson {

/// Conjugate gradients.  A variant says how p is turned, how its ghosts come, and how w = A p is
/// computed with them; it leaves the sums of the product in `pw_`.
class plain_mpi : public variant {
 public:
  plain_mpi(plait::environment& env, const options& chosen);

  void prepare(problem& p) override;
  void run(problem& p, int steps, const step_range& recorded) override;
  [[nodiscard]] run_report finish(problem& p) override;

 protected:
  virtual void turn_and_multiply(problem& p) = 0;

  void turn_strip(problem& p, const strip& s) const;
  void multiply_strip(problem& p, std::size_t number);

  std::optional<exchange> ghosts_;
  plait::measure::stopwatch watch_;
  coefficients c_;
  std::vector<std::array<double, 3>> pw_;  ///< by strip and part

 private:
  [[nodiscard]] double sum_product() const;
  [[nodiscard]] double shorten_all(problem& p);
  [[nodiscard]] double over_ranks(double own, const char* name);

  plait::environment& env_;
  options options_;
  double bb_ = 0;
  plait::ticks reduction_ = 0;
};

}  // namespace poisson
