// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange what is needed of x, then multiply.
#include <memory>

#include "plain_mpi.hpp"

namespace spmv {
namespace {

class base final : public plain_mpi {
  using plain_mpi::plain_mpi;

  void multiply(problem& p) override {
    ghosts_->start(watch_);
    ghosts_->finish(watch_);
    multiply_all(p);
  }
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace spmv
