// SPDX-License-Identifier: BSD-3-Clause
// Variant `olap`: plain MPI with the overlap written by hand.  Post everything, compute what needs
// no ghosts in pieces and look after the messages between them, wait, compute the rim.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <plait/comm/mpi.hpp>

#include "common/halo_mpi.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace jacobi3d {
namespace {

using plait::activity;
using plait::stencil::halo_mpi;

// The library moves large messages only inside its calls.  A quarter of a million cells take well
// under a millisecond: often enough to keep a gigabit link busy, seldom enough to cost nothing.
constexpr std::int64_t cells_between_looks = std::int64_t{1} << 18;

class olap final : public variant {
 public:
  explicit olap(plait::environment& env) : communicator_(plait::native(env)) {}

  void prepare(problem& p) override {
    u_.emplace(communicator_, p.u);
    v_.emplace(communicator_, p.v);
    parts_ = p.parts();
    pieces_ = plait::cut_in_tiles(
        parts_.interior, {.rows = tile_rows(p.u.block(p.block())), .cells = cells_between_looks});
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      halo_mpi& ghosts = step % 2 == 0 ? *u_ : *v_;
      start(ghosts);
      compute_interior(p, ghosts);
      finish(ghosts);
      for (const box& slice : parts_.rim) p.relax(slice);
      watch_.lap(activity::compute, "rim");
      std::swap(p.u, p.v);
    }
    watch_.stop();
  }

  [[nodiscard]] run_report finish(problem&) override { return watch_.report(); }

 private:
  void start(halo_mpi& ghosts) {
    ghosts.post_receives();
    watch_.lap(activity::posting, "post receives");
    if (ghosts.packs()) {
      ghosts.pack();
      watch_.lap(activity::compute, "pack");
    }
    ghosts.post_sends();
    watch_.lap(activity::posting, "post sends");
  }

  void compute_interior(problem& p, halo_mpi& ghosts) {
    bool done = false;
    for (const box& piece : pieces_) {
      p.relax(piece);
      watch_.lap(activity::compute, "interior");
      if (done) continue;
      done = ghosts.test();
      watch_.lap(activity::posting, "look");
    }
  }

  void finish(halo_mpi& ghosts) {
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
  plait::interior_and_rim<3> parts_;
  std::vector<box> pieces_;  ///< of the interior
  plait::measure::stopwatch watch_;
};

}  // namespace

std::unique_ptr<variant> make_olap(plait::environment& env) {
  return std::make_unique<olap>(env);
}

}  // namespace jacobi3d
