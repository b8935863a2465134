// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange all ghosts, multiply, add up with
// MPI_Allreduce; each blocks.
#include "plain_mpi.hpp"

namespace poisson {
namespace {

using plait::activity;

class base final : public plain_mpi {
 public:
  using plain_mpi::plain_mpi;

 private:
  void turn_and_multiply(problem& p) override {
    for (const strip& s : p.strips()) turn_strip(p, s);
    watch_.lap(activity::compute, "turn");
    ghosts_->run(watch_);
    for (std::size_t i = 0; i < p.strips().size(); ++i) multiply_strip(p, i);
    watch_.lap(activity::compute, "product");
  }
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env, const options& chosen) {
  return std::make_unique<base>(env, chosen);
}

}  // namespace poisson
