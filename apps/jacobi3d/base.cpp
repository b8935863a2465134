// SPDX-License-Identifier: BSD-3-Clause
// Variant `base`: plain MPI as most people write it.  Exchange all ghosts, then compute everything.
#include <memory>
#include <optional>
#include <utility>

#include <plait/comm/mpi.hpp>

#include "halo_mpi.hpp"
#include "kernel.hpp"
#include "support/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;

class base final : public variant {
 public:
  explicit base(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    if (!halo_) halo_.emplace(communicator_, p);
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      exchange(p.u);
      relax(p.u, p.b, p.v, whole(p.size()));
      watch_.lap(activity::compute, "sweep");
      std::swap(p.u, p.v);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void exchange(field& u) {
    halo_->post_receives(u);
    watch_.lap(activity::posting, "post receives");
    if (halo_->packs()) {
      halo_->pack(u);
      watch_.lap(activity::compute, "pack");
    }
    halo_->post_sends(u);
    watch_.lap(activity::posting, "post sends");
    if (watch_.recording()) {
      halo_->wait_noting();
    } else {
      halo_->wait();
    }
    watch_.lap(activity::exposed, "wait");
    if (watch_.recording()) halo_->add_messages_to(watch_);
    if (halo_->packs()) {
      halo_->unpack(u);
      watch_.lap(activity::compute, "unpack");
    }
  }

  MPI_Comm communicator_;
  std::optional<halo_mpi> halo_;
  plait::app::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_base(plait::environment& env) {
  return std::make_unique<base>(env);
}

}  // namespace jacobi3d
