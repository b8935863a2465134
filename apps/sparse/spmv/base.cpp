// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange what is needed of x, then multiply.
// Variant `ideal`: base with communication switched off, the figure not to exceed.  Ghosts stay 0,
// and each rank has sums of its own: the same work on data of the same kind, and a product that can
// be checked.
#include <memory>

#include "plain_mpi.hpp"

namespace spmv {
namespace {

class base final : public plain_mpi {
  using plain_mpi::plain_mpi;

  void multiply(problem& p) override {
    if (solves() == setting::distributed) ghosts_->run(watch_);
    multiply_all(p);
  }
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env, setting::distributed);
}

std::unique_ptr<variant> make_ideal(plait::environment& env) {
  return std::make_unique<base>(env, setting::isolated);
}

}  // namespace spmv
