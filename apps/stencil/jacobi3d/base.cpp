// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange all ghosts, then compute everything.
#include <memory>
#include <optional>
#include <utility>

#include <plait/comm/mpi.hpp>

#include "common/halo_mpi.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::stencil::halo_mpi;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    u_.emplace(communicator_, p.u);
    v_.emplace(communicator_, p.v);
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      exchange(step % 2 == 0 ? *u_ : *v_);
      p.relax(p.own());
      watch_.lap(activity::compute, "sweep");
      std::swap(p.u, p.v);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void exchange(halo_mpi& ghosts) {
    ghosts.post_receives();
    watch_.lap(activity::posting, "post receives");
    if (ghosts.packs()) {
      ghosts.pack();
      watch_.lap(activity::compute, "pack");
    }
    ghosts.post_sends();
    watch_.lap(activity::posting, "post sends");
    if (watch_.recording()) {
      ghosts.wait_noting();
    } else {
      ghosts.wait();
    }
    watch_.lap(activity::exposed, "wait");
    if (watch_.recording()) ghosts.add_messages_to(watch_);
    if (ghosts.packs()) {
      ghosts.unpack();
      watch_.lap(activity::compute, "unpack");
    }
  }

  MPI_Comm communicator_;
  std::optional<halo_mpi> u_;  ///< the ghosts of what is u at first, and of v
  std::optional<halo_mpi> v_;
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace jacobi3d
