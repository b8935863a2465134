// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange all ghosts, multiply, add up with
// MPI_Allreduce; each blocks.
// Variant `ideal`: the work of base with communication switched off, the figure not to exceed. Each
// block solves a problem of its own, with a zero boundary where its neighbours would be.  Such a
// problem is solved long before the whole one; so that neither numbers vanish nor iterations are
// fewer, alpha and beta are constants: the heavy ball method [Polyak 1964], which approaches the
// solution slowly and keeps r = b - A x, too.
#include "plain_mpi.hpp"

namespace poisson {
namespace {

using plait::activity;

class base final : public plain_mpi {
 public:
  base(plait::environment& env, const options& chosen, setting solves)
      : plain_mpi(env, chosen), solves_(solves) {}
  [[nodiscard]] setting solves() const noexcept override { return solves_; }

 private:
  void turn_and_multiply(problem& p) override {
    for (const strip& s : p.strips()) turn_strip(p, s);
    watch_.lap(activity::compute, "turn");
    if (ghosts_) ghosts_->run(watch_);
    for (std::size_t i = 0; i < p.strips().size(); ++i) multiply_strip(p, i);
    watch_.lap(activity::compute, "product");
  }

  setting solves_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env, const options& chosen) {
  return std::make_unique<base>(env, chosen, setting::distributed);
}

std::unique_ptr<variant> make_ideal(plait::environment& env, const options& chosen) {
  return std::make_unique<base>(env, chosen, setting::isolated);
}

}  // namespace poisson
