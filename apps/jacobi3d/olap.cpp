// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand.  Post everything, compute what needs
// no ghosts in pieces and look after the messages between them, wait, compute the rim.
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

// The library moves large messages only inside its calls.  A quarter of a million cells take well
// under a millisecond: often enough to keep a gigabit link busy, seldom enough to cost nothing.
constexpr std::int64_t cells_between_looks = std::int64_t{1} << 18;

class olap final : public variant {
 public:
  explicit olap(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    if (!halo_) halo_.emplace(communicator_, p);
    parts_ = cut(p.size(), halo_->faces());
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      start_exchange(p.u);
      compute_interior(p);
      finish_exchange(p.u);
      for (const box& slice : parts_.rim) relax(p.u, p.b, p.v, slice);
      watch_.lap(activity::compute, "rim");
      std::swap(p.u, p.v);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void start_exchange(field& u) {
    halo_->post_receives(u);
    watch_.lap(activity::posting, "post receives");
    if (halo_->packs()) {
      halo_->pack(u);
      watch_.lap(activity::compute, "pack");
    }
    halo_->post_sends(u);
    watch_.lap(activity::posting, "post sends");
  }

  void compute_interior(problem& p) {
    bool done = false;
    for_each_piece(p.u, parts_.interior, cells_between_looks, [&](const box& piece) {
      relax(p.u, p.b, p.v, piece);
      watch_.lap(activity::compute, "interior");
      if (done) return;
      done = halo_->test();
      watch_.lap(activity::posting, "look");
    });
  }

  void finish_exchange(field& u) {
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
  interior_and_rim parts_;
  plait::app::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return std::make_unique<olap>(env);
}

}  // namespace jacobi3d
