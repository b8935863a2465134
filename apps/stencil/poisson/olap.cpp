// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand, as LibNBC's users do it.  What the
// neighbours need is turned first and sent; the rest is turned, and multiplied where no ghosts are
// needed, with a look after the messages now and then; then wait, and multiply the rest.
#include "plain_mpi.hpp"

namespace poisson {
namespace {

using plait::activity;

class olap final : public plain_mpi {
 public:
  using plain_mpi::plain_mpi;

 private:
  void turn_and_multiply(problem& p) override {
    for (const strip& s : p.strips())
      if (s.is_sent()) turn_strip(p, s);
    watch_.lap(activity::compute, "turn");
    ghosts_->start(watch_);
    arrived_ = false;
    for (const strip& s : p.strips()) {
      if (s.is_sent()) continue;
      turn_strip(p, s);
      done("turn");
    }
    for (std::size_t i = 0; i < p.strips().size(); ++i) {
      if (p.strips()[i].rim) continue;
      multiply_part(p, i, 0);
      done("product");
    }
    ghosts_->finish(watch_);
    multiply_beside_ghosts(p);
  }

  void multiply_beside_ghosts(problem& p) {
    for (std::size_t i = 0; i < p.strips().size(); ++i) {
      if (p.strips()[i].rim) {
        multiply_strip(p, i);
      } else {
        multiply_part(p, i, 1);
        multiply_part(p, i, 2);
      }
    }
    watch_.lap(activity::compute, "product beside ghosts");
  }

  void multiply_part(problem& p, std::size_t number, std::size_t part) {
    const box& cells = p.strips()[number].parts[part];
    if (!cells.empty()) product(p.block(p.p), p.block(p.w)[cells], pw_[3 * number + part], c_);
  }

  /// The library moves large messages only inside its calls.
  void done(const char* piece) {
    watch_.lap(activity::compute, piece);
    if (!arrived_) arrived_ = ghosts_->look(watch_);
  }

  bool arrived_ = false;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env, const options& chosen) {
  return std::make_unique<olap>(env, chosen);
}

}  // namespace poisson
