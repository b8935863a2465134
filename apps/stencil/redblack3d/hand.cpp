// SPDX-License-Identifier: BSD-3-Clause
// Policy HAND: plain MPI, single-tier, as an expert writes it: for each colour, exchange the ghosts
// of the other one on persistent requests, then sweep.  And IDEAL, the same without the exchange:
// the figure not to exceed.  Each block then solves a problem of its own, with a zero boundary
// where its neighbours would be: the same work on data of the same kind, and a result that can be
// checked.
#include <array>
#include <memory>
#include <optional>

#include <plait/comm/mpi.hpp>

#include "common/halo_mpi.hpp"
#include "kernel.hpp"
#include "measure/timeline.hpp"
#include "variant.hpp"

namespace redblack3d {
namespace {

using plait::activity;
using plait::stencil::halo_mpi;

class hand final : public variant {
 public:
  hand(plait::environment& env, setting solves, slow_worker slow)
      : communicator_(plait::native(env)), solves_(solves), slow_(slow) {}

  [[nodiscard]] setting solves() const noexcept override { return solves_; }

  void prepare(problem& p) override {
    if (solves_ == setting::isolated) return;
    for (const colour c : both_colours)
      halo_[index_of(c)].emplace(communicator_, p.u[index_of(c)], first_tag(c));
  }

  void run(problem& p, int steps, const step_range& recorded) override {
    const block_data data = p.data();
    waited_ = 0;
    watch_.start();
    for (int step = 0; step < steps; ++step) {
      watch_.begin_step(step, recorded);
      for (const colour c : both_colours) {
        if (halo_[index_of(other(c))]) exchange(*halo_[index_of(other(c))]);
        slow_.run(0, [&] { relax(data, c, p.cells()); });
        watch_.lap(activity::compute, c == colour::red ? "red" : "black");
      }
    }
    wall_s_ = watch_.stop().wall_s;
  }

  [[nodiscard]] run_report finish(problem&) override {
    for (auto& one : halo_) one.reset();
    run_report report = watch_.report();
    const double wait_s = plait::ticks_to_seconds(waited_);
    report.figures = {{"wait_s", wait_s}, {"compute_s", wall_s_ - wait_s}};
    report.words["progress"] = "";
    return report;
  }

 private:
  void exchange(halo_mpi& halo) {
    const plait::ticks start = plait::now_ticks();
    if (halo.packs()) {
      halo.pack();
      watch_.lap(activity::compute, "pack");
    }
    halo.post_receives();
    halo.post_sends();
    watch_.lap(activity::posting, "start");
    if (watch_.recording()) {
      halo.wait_noting();
    } else {
      halo.wait();
    }
    watch_.lap(activity::exposed, "wait");
    if (watch_.recording()) halo.add_messages_to(watch_);
    if (halo.packs()) {
      halo.unpack();
      watch_.lap(activity::compute, "unpack");
    }
    waited_ += plait::now_ticks() - start;
  }

  MPI_Comm communicator_;
  setting solves_;
  slowness slow_;
  std::array<std::optional<halo_mpi>, 2> halo_;  ///< by the colour of the ghosts
  plait::measure::stopwatch watch_;
  double wall_s_ = 0;
  plait::ticks waited_ = 0;
};

}  // namespace

std::unique_ptr<variant> make_hand(plait::environment& env, slow_worker slow) {
  return std::make_unique<hand>(env, setting::distributed, slow);
}

std::unique_ptr<variant> make_ideal(plait::environment& env, slow_worker slow) {
  return std::make_unique<hand>(env, setting::isolated, slow);
}

}  // namespace redblack3d
