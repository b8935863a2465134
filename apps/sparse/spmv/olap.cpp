// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand, as PETSc's MatMult has it: begin the
// exchange, multiply with the own elements of x, wait, add what needs those of others.  PETSc does
// not look after its messages meanwhile; this does, between two pieces.
#include <memory>

#include "common/kernel.hpp"
#include "plain_mpi.hpp"

namespace spmv {
namespace {

using plait::activity;

class olap final : public plain_mpi {
  using plain_mpi::plain_mpi;

  void multiply(problem& p) override {
    ghosts_->start(watch_);
    bool done = false;
    for (std::size_t i = 0; i < p.pieces().size(); ++i) {
      const piece& one = p.pieces()[i];
      plait::sparse::multiply_own(p.matrix(), one.rows, p.own().data(), p.y.data());
      if (one.needs.empty()) add_squares(p, i);
      watch_.lap(activity::compute, "own");
      if (!done) done = ghosts_->look(watch_);
    }
    ghosts_->finish(watch_);
    for (std::size_t i = 0; i < p.pieces().size(); ++i) {
      const piece& one = p.pieces()[i];
      if (one.needs.empty()) continue;
      plait::sparse::add_far(p.matrix(), one.rows, p.ghosts.data(), p.y.data());
      add_squares(p, i);
    }
    watch_.lap(activity::compute, "far");
  }
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return std::make_unique<olap>(env, setting::distributed);
}

}  // namespace spmv
